import type { CommerceProvider, Outcome, ProviderEvent, ProviderOrder } from '../../../adapters/commerce.js';
import { minor } from '../../core/money.js';
import { shortKey } from '../../core/order-key.js';
import type { Db } from '../../platform/database/db.js';

const ZERO = minor(0);

/** An outcome, and what the inbox has to do next. */
export interface EventResult extends Outcome {
  /** For a deferred event: the name it waits for. */
  readonly waitsFor?: string;
  /**
   * For a deferred event: when to evaluate it with what is known then; without a time, it is dropped after a
   * week.
   */
  readonly until?: number;
  /** Names that are known now: deliveries that waited for them can continue. */
  readonly resolved?: readonly string[];
  /** For an event whose row was written with its effect: the deliveries that waited for it. */
  readonly wokenIds?: readonly number[];
  /** For an order that no affiliate brought: what is kept of it, in case a person enters its commission. */
  readonly kept?: { readonly ref: string; readonly event: ProviderEvent };
}

/** Writes an event's row in the transaction of its effect; for events without effect, the inbox does it. */
export type StoreOutcome = (trx: Db, handled: EventResult) => Promise<EventResult>;

export interface EventContext {
  readonly provider: CommerceProvider;
  /** The account of the event's shop, then its other names, under which orders may be stored too. */
  readonly accounts: readonly string[];
  /** It has waited long enough: evaluate it with what is known. */
  readonly final: boolean;
  /** The last try: do not wait for a shop that cannot be asked. */
  readonly isLast: boolean;
  readonly storeOutcome: StoreOutcome;
  /** Remarks for a person. */
  readonly flags: readonly string[];
}

/** What is found first under one of these names. */
export async function firstFound<T>(
  names: readonly string[],
  look: (name: string) => Promise<T | null>,
): Promise<T | null> {
  for (const name of names) {
    const found = await look(name);
    if (found !== null) return found;
  }
  return null;
}

export const ignored = (reason: string): EventResult => ({ result: 'ignored', reason });
export const unchanged = (reason?: string): EventResult => ({
  result: 'unchanged',
  ...(reason === undefined ? {} : { reason }),
});
export const deferred = (waitsFor: string, until?: number): EventResult => ({
  result: 'deferred',
  reason: 'order_unknown',
  waitsFor,
  ...(until === undefined ? {} : { until }),
});

export const awaitKey = (account: string, ref: string): string => shortKey(`${account}|${ref}`);

/** Two shops of one provider may number their subscriptions alike. */
export const subscriptionKey = (account: string, id: string): string =>
  shortKey(account === '' ? id : `${account}|${id}`);

/** The parts that an event without an order does not have. */
export const NO_ORDER: ProviderOrder = {
  id: '',
  currency: 'USD',
  items: [],
  coupons: [],
  customer: {},
  attribution: {},
  created_at: 0,
  totals: {
    goods: ZERO,
    goods_before_discount: ZERO,
    goods_tax: ZERO,
    shipping: ZERO,
    shipping_tax: ZERO,
    fees: ZERO,
    fees_tax: ZERO,
    grand_total: ZERO,
    paid: ZERO,
  },
};
