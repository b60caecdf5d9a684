import { createHash } from 'node:crypto';
import type { ConversionInput } from './types.js';

const MARK = 8; // hex digits per field; eight fields fill the column
const FIELDS = [
  'type',
  'status',
  'order',
  'items',
  'customer',
  'attribution',
  'description',
  'other',
] as const;

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const orNull = (value: unknown): unknown => value ?? null;

/** Hashes of the submitted fields, to recognize a repeat with other data and name the fields that differ. */
export function fingerprint(input: ConversionInput): string {
  const values: Record<(typeof FIELDS)[number], unknown> = {
    type: input.type ?? 'sale',
    status: input.status ?? 'pending',
    order: orNull(input.order),
    items: input.items ?? [],
    customer: orNull(input.customer),
    attribution: [input.affiliate, input.coupon, input.visit_id].map(orNull),
    description: orNull(input.description),
    other: [input.subscription, input.upgrade_of, input.commission, input.site_id].map(orNull),
  };
  return FIELDS.map((field) => sha(stable(values[field])).slice(0, MARK)).join('');
}

/** The names of the fields that differ between two fingerprints. */
export function differences(stored: string, sent: string): string[] {
  return FIELDS.filter(
    (_, at) => stored.slice(at * MARK, (at + 1) * MARK) !== sent.slice(at * MARK, (at + 1) * MARK),
  );
}

/** JSON with sorted keys. Absent is equal to null, and 5 to "5". */
function stable(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object')
    return JSON.stringify(typeof value === 'number' || typeof value === 'boolean' ? `${value}` : value);
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined && entry !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${stable(entry)}`).join(',')}}`;
}
