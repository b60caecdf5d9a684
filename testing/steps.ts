import type { ConversionInput, RefundInput } from '../src/index.js';

/** Optional fields of an order. */
export type OrderFields = Partial<ConversionInput> & {
  /** The goods, before discount. Without it the seed chooses an amount. */
  readonly subtotal?: string | number;
  /** The cookie of `visit`, for the visitor who buys. Default: the last visit. */
  readonly cookie?: string | null;
};

/** One step of a story. Steps about an order or a payment mean the last one. */
export type Step =
  | { readonly do: 'click'; readonly affiliate: string }
  | { readonly do: 'order'; readonly fields: OrderFields }
  | { readonly do: 'renewal'; readonly fields: OrderFields }
  | { readonly do: 'complete' }
  | { readonly do: 'refund'; readonly refund: RefundInput }
  | { readonly do: 'cancel' }
  | { readonly do: 'dispute'; readonly state: 'opened' | 'won' | 'lost' }
  | { readonly do: 'payout' }
  | { readonly do: 'returned'; readonly cause: string }
  | { readonly do: 'wait'; readonly time: string };

/** A visitor follows a link of this affiliate. */
export const click = (affiliate = 'alice'): Step => ({ do: 'click', affiliate });

/** The visitor buys. */
export const order = (fields: OrderFields = {}): Step => ({ do: 'order', fields });

/** The last order was the first of a subscription; its next payment arrives. */
export const renewal = (fields: OrderFields = {}): Step => ({ do: 'renewal', fields });

/** The last order is paid. */
export const complete = (): Step => ({ do: 'complete' });

/** Money of the last order is given back; all of it unless an amount is given. */
export const refund = (amount?: string | number, more: RefundInput = {}): Step => ({
  do: 'refund',
  refund: amount === undefined ? more : { ...more, amount },
});

/** The last order is canceled. */
export const cancel = (): Step => ({ do: 'cancel' });

/** The payment of the last order is disputed, or its dispute ends. */
export const dispute = (state: 'opened' | 'won' | 'lost' = 'opened'): Step => ({ do: 'dispute', state });

/** Everything that can be paid is paid. */
export const payout = (): Step => ({ do: 'payout' });

/** The last payment comes back from the bank. */
export const returned = (cause = 'account closed'): Step => ({ do: 'returned', cause });

/** Time passes, and due jobs run: `30m`, `12h`, `31d`, `2w`. */
export const wait = (time: string): Step => ({ do: 'wait', time });

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `31d` in milliseconds. */
export function lengthOf(time: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(time) ?? [];
  const length = Number(count) * (UNITS[unit] ?? 0);
  if (length === 0) throw new TypeError(`"${time}" is no length of time; use 30m, 12h, 31d or 2w.`);
  return length;
}
