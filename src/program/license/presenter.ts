import { cleanText } from '../../core/text.js';
import { humanDate } from '../../core/dates.js';
import type { WireLicense } from './schemas.js';
import type { LicenseReport, LicenseStatus, StoredLicense } from './types.js';

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

interface Shown {
  readonly license: StoredLicense | null;
  readonly key: string | null;
  readonly timeZone: string;
}

/**
 * The documented keys and nothing else, whatever the provider sent;
 * its texts are plain (docs/interface.md §13).
 */
export function presentLicense({ license, key, timeZone }: Shown, note: LicenseReport = {}): WireLicense {
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

function picked(report: LicenseReport): Partial<WireLicense> {
  const out: Partial<WireLicense> = {};
  for (const key of FLAGS) if (typeof report[key] === 'boolean') out[key] = report[key];
  for (const key of TEXTS) if (typeof report[key] === 'string') out[key] = cleanText(report[key]);
  // The app splits these at <br> and prints the parts as text.
  for (const key of LINES)
    if (typeof report[key] === 'string')
      out[key] = report[key]
        .split(/\r?\n|<br\s*\/?>/)
        .map(cleanText)
        .filter(Boolean)
        .join('<br>');
  for (const key of LINKS)
    if (typeof report[key] === 'string' && /^https?:\/\//.test(report[key])) out[key] = report[key];
  const days = report['days_remaining'];
  if (days === null || (typeof days === 'number' && Number.isInteger(days))) out.days_remaining = days;
  return out;
}

const mask = (key: string): string => MASK.repeat(Math.max(0, key.length - SHOWN)) + key.slice(-SHOWN);
