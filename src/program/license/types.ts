export type LicenseStatus = 'valid' | 'expired' | 'disabled' | 'invalid' | 'error' | 'unregistered';

/** What a provider tells of a license (docs/interface.md §13); only the keys listed there go out. */
export type LicenseReport = Readonly<Record<string, unknown>>;

/** The option row. The key is sealed with the service secret. */
export interface StoredLicense {
  readonly sealed_key: string;
  readonly report: LicenseReport;
  readonly checked_at: number;
}
