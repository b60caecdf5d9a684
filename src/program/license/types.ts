export type LicenseStatus = 'valid' | 'expired' | 'disabled' | 'invalid' | 'error' | 'unregistered';

/**
 * What a provider reports about a license (docs/interface.md §13); responses contain only the keys listed
 * there.
 */
export type LicenseReport = Readonly<Record<string, unknown>>;

/** The option row. The key is sealed with the service secret. */
export interface LicenseRow {
  readonly sealed_key: string;
  readonly report: LicenseReport;
  readonly checked_at: number;
}
