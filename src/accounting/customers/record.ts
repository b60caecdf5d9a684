import { id, inside, json, ref, text, time } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** A buyer who came through an affiliate. */
export const customers = record('customers', {
  id: id({ sort: true }),
  user_id: ref(),
  /**
   * The affiliate who brought the customer first. It is set by a first order that was paid; later orders
   * never change it.
   */
  by_affiliate_id: ref(),
  /** When `by_affiliate_id` was set. */
  bound_at: inside(ref()),
  /** A customer who is probably the same person, since an order named both; a person merges them. */
  same_person_as: ref(),
  /**
   * When the buyer first paid for an order that no affiliate brought; earlier orders then bind the buyer to
   * no affiliate.
   */
  own_since: inside(ref()),
  email: text({ sort: true, find: 'anywhere' }),
  /** In lower case and without surrounding blanks; unique. */
  email_key: inside(text()),
  first_name: text({ find: 'anywhere' }),
  last_name: text({ find: 'anywhere' }),
  ip: text(),
  settings: json<Readonly<Record<string, unknown>>>(),
  created_at: time({ sort: true }),
  updated_at: time(),
});

export type Customer = RecordOf<typeof customers>;

/**
 * The personal columns, emptied. The affiliate and the date of the first purchase without one are not
 * changed.
 */
export const ERASED: Partial<Customer> = customers.emptied(['by_affiliate_id', 'bound_at', 'own_since']);
