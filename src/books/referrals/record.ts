import { Type } from '../../core/type.js';
import { array, named, nullable, numberOrText, string, wireIdOf } from '../../core/wire-schema.js';
import {
  amount,
  amountOrNone,
  flag,
  id,
  inside,
  json,
  ref,
  shown,
  text,
  time,
  timeOrNone,
  word,
} from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { STATUSES, TYPES, type Product, type ReferralSettings } from './types.js';

/** A line of an order. Shops add keys of their own. */
const product = named(
  'Product',
  Type.Unsafe<Product>(
    Type.Object(
      {
        item_id: Type.Optional(nullable(wireIdOf)),
        title: Type.Optional(nullable(string)),
        subtotal: Type.Optional(nullable(numberOrText)),
        tax: Type.Optional(nullable(numberOrText)),
        discount: Type.Optional(nullable(numberOrText)),
        total: Type.Optional(nullable(numberOrText)),
        price: Type.Optional(nullable(numberOrText)),
      },
      { additionalProperties: true },
    ),
  ),
);

/** A commission. Amounts are minor units of `currency`; null reads as the program currency. */
export const referrals = record('referrals', {
  id: id({ sort: true, find: 'anywhere' }),
  affiliate_id: ref({ sort: true, find: 'column' }),
  parent_id: ref({ find: 'column' }),
  customer_id: ref({ find: 'column' }),
  visit_id: ref({ find: 'column' }),
  description: text({ find: 'anywhere' }),
  status: word(STATUSES, { sort: true, find: 'column' }),
  amount_minor: amount({ sort: true, find: 'anywhere' }),
  order_total_minor: amountOrNone({ sort: true, find: 'column' }),
  currency: text({ find: 'column' }),
  utm_campaign: text({ find: 'anywhere' }),
  provider: text({ sort: true, find: 'anywhere' }),
  provider_id: shown(text({ sort: true, find: 'anywhere' }), nullable(wireIdOf), wireId),
  provider_sub_id: text({ find: 'column' }),
  /** Same order, same key; null for rows entered by hand. */
  dedup_key: inside(text()),
  site_id: inside(text()),
  products: json<readonly Product[]>(array(product)),
  payout_transaction_id: ref(),
  payout_id: ref({ find: 'column' }),
  /** Paid before it was imported, so outside every payout. */
  paid_elsewhere: inside(flag()),
  type: word(TYPES, { sort: true, find: 'column' }),
  settings: json<ReferralSettings>(),
  payload_hash: inside(text()),
  reject_reason: inside(text()),
  payable_at: timeOrNone(),
  /** Set by imports only. */
  source_key: inside(text()),
  created_at: time({ sort: true }),
  updated_at: time({ sort: true }),
});

export type Referral = RecordOf<typeof referrals>;

/** Digits only and exact as a JSON number: a number; any other order id stays text. */
export function wireId(reference: string | null): number | string | null {
  const isNumber =
    reference !== null && /^(?:0|[1-9]\d*)$/u.test(reference) && Number.isSafeInteger(Number(reference));
  return isNumber ? Number(reference) : reference;
}
