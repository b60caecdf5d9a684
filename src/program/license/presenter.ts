import { cleanText } from '../../core/text.js';
import { humanDate } from '../../core/dates.js';
import type { LicenseDto } from './schemas.js';
import type { LicenseReport, LicenseStatus, LicenseRow } from './types.js';

const STATUSES: readonly LicenseStatus[] = [
  'valid',
  'expired',
  'disabled',
  'invalid',
  'error',
  'unregistered',
];
const FLAGS = ['is_expired', 'is_lifetime', 'in_grace_period'] as const;
const TEXTS = [
  'expires_human',
  'customer_name',
  'customer_email_masked',
  'product_title',
  'variation_title',
  'subscription_status',
] as const;
const LINES = ['message', 'error_message'] as const;
const LINKS = ['purchase_url', 'renew_url', 'manage_url', 'account_url', 'support_url'] as const;
const MASK = '•';
const SHOWN = 4;

interface LicenseContext {
  readonly license: LicenseRow | null;
  readonly key: string | null;
  readonly timeZone: string;
}

/** Only the documented keys of what the provider sent, with texts as plain text (docs/interface.md §13). */
export function presentLicense(
  { license, key, timeZone }: LicenseContext,
  note: LicenseReport = {},
): LicenseDto {
  if (!license)
    return { status: 'unregistered', license_status: 'unregistered', license_expires: null, ...picked(note) };
  const { report } = license;
  const status =
    STATUSES.find((known) => known === (report['status'] ?? report['license_status'])) ?? 'error';
  const expires = report['license_expires'] ?? report['expires'];
  return {
    status,
    license_status: status,
    license_expires: typeof expires === 'string' ? cleanText(expires) : null,
    ...picked(report),
    ...(key === null ? {} : { license_key_masked: mask(key) }),
    last_checked_human: humanDate(license.checked_at, timeZone),
    ...picked(note),
  };
}

function picked(report: LicenseReport): Partial<LicenseDto> {
  const days = report['days_remaining'];
  return {
    ...picks(report, FLAGS, (value) => (typeof value === 'boolean' ? value : undefined)),
    ...picks(report, TEXTS, (value) => (typeof value === 'string' ? cleanText(value) : undefined)),
    ...picks(report, LINES, (value) => (typeof value === 'string' ? cleanLines(value) : undefined)),
    ...picks(report, LINKS, (value) =>
      typeof value === 'string' && /^https?:\/\//.test(value) ? value : undefined,
    ),
    ...(days === null || Number.isInteger(days) ? { days_remaining: days as number | null } : {}),
  };
}

/** These keys of the report, if their values have the right form. */
function picks<K extends string, V>(
  report: LicenseReport,
  keys: readonly K[],
  read: (value: unknown) => V | undefined,
): Partial<Record<K, V>> {
  const found = keys.map((key) => [key, read(report[key])] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as Partial<Record<K, V>>;
}

/** The app splits these at <br> and prints the parts as text. */
const cleanLines = (text: string): string =>
  text
    .split(/\r?\n|<br\s*\/?>/)
    .map(cleanText)
    .filter(Boolean)
    .join('<br>');

const mask = (key: string): string => MASK.repeat(Math.max(0, key.length - SHOWN)) + key.slice(-SHOWN);
