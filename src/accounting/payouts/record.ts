import type { JsonMap } from '../../core/is-map.js';
import { Type } from '../../core/type.js';
import {
  array,
  integer,
  mapOrEmptyList,
  mapOrList,
  nullable,
  number,
  string,
} from '../../core/dto-schema.js';
import { amount, id, json, line, ref, shown, text, time, word } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';
import { PAYOUT_STATUSES, TRANSACTION_STATUSES, type PayoutSettings } from './words.js';

/** What a run was asked for. Extensions and imports may add to it or leave parts out; without any it is `[]`. */
const wireSettings = Type.Unsafe<JsonMap | readonly never[]>({
  anyOf: [
    Type.Object(
      {
        start_date: Type.Optional(string),
        end_date: Type.Optional(string),
        min_payout: Type.Optional(number),
        affiliate_ids: Type.Optional(array(integer)),
      },
      { additionalProperties: true },
    ),
    { type: 'array', items: { type: 'string' }, maxItems: 0 },
  ],
});

/** A batch of transactions: book-keeping only, no money is moved. */
export const payouts = record('payouts', {
  id: id({ sort: true, find: 'anywhere' }),
  created_by: ref({ find: 'column' }),
  total_amount_minor: amount({ sort: true, find: 'anywhere' }),
  payout_method: line({ find: 'column' }),
  status: word(PAYOUT_STATUSES, { sort: true, find: 'column' }),
  currency: text({ find: 'column' }),
  title: line({ sort: true, find: 'anywhere' }),
  description: text({ find: 'anywhere' }),
  settings: shown(json<PayoutSettings | JsonMap>(), wireSettings, (settings) => mapOrList(settings ?? {})),
  created_at: time({ sort: true }),
  updated_at: time(),
});

/** What one affiliate gets in one payout. It is not deleted with the affiliate. */
export const transactions = record('payout_transactions', {
  id: id({ sort: true, find: 'anywhere' }),
  created_by: ref({ find: 'column' }),
  affiliate_id: ref({ sort: { by: 'coalesce(affiliate_id, 0)' }, find: 'column' }),
  payout_id: id({ find: 'column' }),
  total_amount_minor: amount({ sort: true, find: 'anywhere' }),
  payout_method: line({ find: 'column' }),
  status: word(TRANSACTION_STATUSES, { sort: true, find: 'column' }),
  currency: text({ find: 'column' }),
  settings: shown(json<JsonMap>(), nullable(mapOrEmptyList), (settings) =>
    settings === null ? null : mapOrList(settings),
  ),
  created_at: time({ sort: true, find: 'anywhere' }),
  updated_at: time(),
});

export type Payout = RecordOf<typeof payouts>;
export type PayoutTransaction = RecordOf<typeof transactions>;
