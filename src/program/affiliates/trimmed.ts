import { isMap, type JsonMap } from '../../core/is-map.js';
import { affiliates } from './record.js';

// Affiliates inside other records, for callers who may not read affiliates (docs/security.md).

const KEPT: readonly string[] = ['id', 'status', 'user_id'];
const PAYMENT: readonly string[] = ['payment_email', 'bank_details'];

/** What such a caller sees of the payment details: payouts show where the money goes. */
export interface TrimOptions {
  readonly payment: boolean;
}

/**
 * The response with every affiliate in it reduced to id, name, picture and status; other fields are empty.
 */
export function trimmed(value: unknown, options: TrimOptions): unknown {
  if (Array.isArray(value)) return value.map((entry) => trimmed(entry, options));
  if (!isMap(value)) return value;
  if (isMap(value['user_details'])) return trimmedAffiliate(value, value['user_details'], options);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, trimmed(entry, options)]));
}

function trimmedAffiliate(affiliate: JsonMap, details: JsonMap, options: TrimOptions): JsonMap {
  const name = nameOf(affiliate, details);
  const user = affiliate['user'];
  return Object.fromEntries(
    Object.entries(affiliate).map(([key, value]) => {
      if (key === 'user_details') return [key, person(details, name, ['affiliate_id', 'user_id', 'avatar'])];
      if (key === 'user')
        return [key, isMap(user) ? emptied(person(user, name, ['ID', 'photo']), user) : user];
      if (KEPT.includes(key) || (options.payment && PAYMENT.includes(key))) return [key, value];
      if (key === 'settings') return [key, settingsOf(value, options)];
      return [
        key,
        key in affiliates.wire || PAYMENT.includes(key) ? blank(key, value) : trimmed(value, options),
      ];
    }),
  );
}

/** An affiliate without a user is called by its payment address, which is no name here. */
function nameOf({ id, payment_email: address }: JsonMap, { full_name: name }: JsonMap): unknown {
  return name === address ? `Affiliate #${String(id)}` : name;
}

const person = (from: JsonMap, name: unknown, kept: readonly string[]): JsonMap => ({
  ...Object.fromEntries(kept.filter((key) => key in from).map((key) => [key, from[key]])),
  full_name: name,
  ...('display_name' in from && { display_name: name }),
});

/** Its keys, as clients read them without checking. */
const emptied = (person: JsonMap, from: JsonMap): JsonMap =>
  Object.fromEntries(Object.keys(from).map((key) => [key, key in person ? person[key] : '']));

const BLANK: JsonMap = {
  ...affiliates.emptied([]),
  rate: null,
  rate_type: 'default',
  custom_fields: [],
  created_at: null,
  updated_at: null,
};

const settingsOf = (value: unknown, { payment }: TrimOptions): JsonMap => ({
  ...(BLANK['settings'] as JsonMap),
  ...(payment && isMap(value) && { bank_details: value['bank_details'] }),
});

const blank = (key: string, value: unknown): unknown => {
  if (key in BLANK) return BLANK[key];
  return typeof value === 'number' ? 0 : '';
};
