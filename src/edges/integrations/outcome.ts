import { createHash } from 'node:crypto';
import type { CommerceProvider, Outcome, ProviderOrder } from '../../../adapters/commerce.js';
import { minor } from '../../core/money.js';
import type { Db } from '../../platform/database/db.js';

const KEY_MAX = 191;
const ZERO = minor(0);

/** An outcome with what the inbox has to do about it. */
export interface Handled extends Outcome {
  /** Of a deferred event: the name it waits for. */
  readonly awaits?: string;
  /**
   * Of a deferred event: when it is judged with what is known then; without it, it is dropped after a week.
   */
  readonly until?: number;
  /** Names that became known: what waited for them can go on. */
  readonly ready?: readonly string[];
  /** Of an event whose row was written with its effect: the deliveries that waited for it. */
  readonly woken?: readonly number[];
}

/**
 * Writes an event's own row in the transaction of its effect; the inbox writes those that changed nothing.
 */
export type Done = (trx: Db, handled: Handled) => Promise<Handled>;

export interface EventContext {
  readonly provider: CommerceProvider;
  /** Its time of waiting is over: judge with what is known. */
  readonly final: boolean;
  /** Nothing is tried after this: a shop that can not be asked is not waited for. */
  readonly isLast: boolean;
  readonly done: Done;
  /** What a person should know of the event. */
  readonly flags: readonly string[];
}

export const ignored = (reason: string): Handled => ({ result: 'ignored', reason });
export const unchanged = (reason?: string): Handled => ({
  result: 'unchanged',
  ...(reason === undefined ? {} : { reason }),
});
export const deferred = (awaits: string, until?: number): Handled => ({
  result: 'deferred',
  reason: 'order_unknown',
  awaits,
  ...(until === undefined ? {} : { until }),
});

/** Long keys are hashed to fit their column. */
export const shortKey = (text: string, max = KEY_MAX): string =>
  text.length <= max ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;

export const awaitKey = (account: string, ref: string): string => shortKey(`${account}|${ref}`);

/** Two shops of one provider may count their subscriptions alike. */
export const subscriptionKey = (account: string, id: string): string =>
  shortKey(account === '' ? id : `${account}|${id}`);

/** The parts an event without an order lacks. */
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
