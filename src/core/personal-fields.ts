import { isMap } from './is-map.js';

/** Fields with payment details, on any level of a record. */
export const PAYMENT_FIELDS: ReadonlySet<string> = new Set([
  'payment_email',
  'bank_details',
  'payment_details',
  'iban',
  'bic',
]);

/** Fields that hold personal data of an affiliate or buyer wherever they appear. */
export const PERSONAL_FIELDS: ReadonlySet<string> = new Set([
  ...PAYMENT_FIELDS,
  'custom_param',
  'custom_fields',
  'note',
  'email',
  'first_name',
  'last_name',
  'full_name',
  'ip',
]);

/** A copy in which `change` replaces the values of these fields on any level; undefined removes a field. */
export function withFields(
  value: unknown,
  fields: ReadonlySet<string>,
  change: (value: unknown, field: string) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map((entry) => withFields(entry, fields, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => {
      const next = fields.has(key) ? change(entry, key) : withFields(entry, fields, change);
      return next === undefined ? [] : [[key, next]];
    }),
  );
}
