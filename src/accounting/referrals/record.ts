import { Type } from '../../core/type.js';
import { array, named, nullable, numberOrText, string, wireIdOf } from '../../core/dto-schema.js';
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
import { amountInput, choice, inForm, shortText, type Entry } from '../../records/form.js';
import { record, type RecordOf } from '../../records/record.js';
import {
  MANUAL_STATUSES,
  MANUAL_TYPES,
  STATUSES,
  TYPES,
  type Product,
  type ReferralSettings,
} from './words.js';

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

/** The order's number in its shop; 0 for none. */
const orderNumber: Entry<string | null> = {
  schema: nullable(wireIdOf),
  hint: 'Order ID in the source system',
  read(input) {
    const text = shortText(255).read(input);
    return text === '0' ? null : text;
  },
};

/** A commission. Amounts are minor units of `currency`; null reads as the program currency. */
export const referrals = record('referrals', {
  id: id({ sort: true, find: 'anywhere' }),
  affiliate_id: ref({ sort: true, find: 'column' }),
  parent_id: ref({ find: 'column' }),
  customer_id: ref({ find: 'column' }),
  visit_id: ref({ find: 'column' }),
  description: inForm(text({ find: 'anywhere' }), shortText(255)),
  status: inForm(word(STATUSES, { sort: true, find: 'column' }), choice(MANUAL_STATUSES)),
  amount_minor: inForm(amount({ sort: true, find: 'anywhere' }), amountInput),
  order_total_minor: amountOrNone({ sort: true, find: 'column' }),
  currency: text({ find: 'column' }),
  utm_campaign: text({ find: 'anywhere' }),
  sub1: text({ find: 'column' }),
  sub2: text({ find: 'column' }),
  sub3: text({ find: 'column' }),
  sub4: text({ find: 'column' }),
  sub5: text({ find: 'column' }),
  provider: inForm(text({ sort: true, find: 'anywhere' }), shortText(100)),
  provider_id: inForm(shown(text({ sort: true, find: 'anywhere' }), nullable(wireIdOf), dtoId), orderNumber),
  provider_sub_id: text({ find: 'column' }),
  /** A key that is the same for the same order, so that it is stored once; null for rows entered by hand. */
  dedup_key: inside(text()),
  site_id: inside(text()),
  products: json<readonly Product[]>(array(product)),
  payout_transaction_id: ref(),
  payout_id: ref({ find: 'column' }),
  /** Paid before it was imported, so it belongs to no payout. */
  paid_elsewhere: inside(flag()),
  type: inForm(word(TYPES, { sort: true, find: 'column' }), choice(MANUAL_TYPES)),
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

/** A number if it consists of digits and is exact as a JSON number; other order ids are text. */
function dtoId(reference: string | null): number | string | null {
  const isNumber =
    reference !== null && /^(?:0|[1-9]\d*)$/u.test(reference) && Number.isSafeInteger(Number(reference));
  return isNumber ? Number(reference) : reference;
}
