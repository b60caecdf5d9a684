import type { Db } from '../../platform/database/db.js';
import type { Referral } from '../referrals/types.js';
import { limitsOf } from './counted-order.js';
import * as store from './repository.js';
import type { InheritedTerms, OpenCause, OpenReason, Order, OrderLimit, RejectReason } from './types.js';

/**
 * If the first payment was rejected for one of these reasons, its renewals earn nothing. A refund affects only its
 * own order.
 */
const ENDING: readonly (RejectReason | null)[] = ['manual', 'disputed'];

/** What an order takes from the orders around it. */
export interface OrderContext {
  readonly inherited: InheritedTerms | null;
  readonly left_minor: number | null;
}

export async function contextOf(
  db: Db,
  order: Order,
  { type }: Pick<Referral, 'type'>,
): Promise<OrderContext> {
  return {
    inherited: await inheritedBy(db, order, type),
    left_minor: await leftOf(db, limitsOf(order.terms), order),
  };
}

async function inheritedBy(db: Db, order: Order, type: Referral['type']): Promise<InheritedTerms | null> {
  if (order.first_order_id === null) return null;
  const first = (await store.findOrders(db, [order.first_order_id]))[0];
  return first === undefined ? null : inheritedFrom(first, type === 'recurring_sale');
}

/** The open reasons of the first order and, for renewals (`ends`), the rejection of its payment. */
export function inheritedFrom(first: Order, ends: boolean): InheritedTerms {
  const stored =
    first.open_causes.length > 0 ? first.open_causes : first.reasons.map((reason) => `${reason} ${reason}`);
  const { reject_reason: reason } = first;
  const ending = ends && reason !== null && ENDING.includes(reason) ? reason : null;
  const name = stored.find((text) => text.startsWith(`!${ending ?? ''} `)) ?? `!${ending ?? ''} rejected`;
  return {
    causes: stored.filter((text) => !text.startsWith('!')).map(causeOf),
    rejected: ending && { name: nameIn(name), reason: ending },
  };
}

const causeOf = (text: string): OpenCause => ({
  reason: text.slice(0, text.indexOf(' ')) as OpenReason, // stored by openCauses
  name: nameIn(text),
});

/** The name in `reason name`; no reason has a space. */
const nameIn = (text: string): string => text.slice(text.indexOf(' ') + 1);

type OrderUnderLimits = Pick<
  Order,
  'affiliate_id' | 'customer_id' | 'currency' | 'first_order_id' | 'created_at'
> & {
  /** Absent for an order that is not stored yet. */
  readonly id?: number;
};

/** What the limits still allow this order to earn, after the orders before it; null without limits. */
export async function leftOf(
  db: Db,
  limits: readonly OrderLimit[],
  order: OrderUnderLimits,
): Promise<number | null> {
  let left: number | null = null;
  for (const limit of limits) {
    const now = await leftOfOne(db, limit, order);
    left = left === null || now === null ? (left ?? now) : Math.min(left, now);
  }
  return left;
}

async function leftOfOne(db: Db, limit: OrderLimit, order: OrderUnderLimits): Promise<number | null> {
  if (limit.kind === 'renewals')
    return order.first_order_id !== null &&
      (await store.renewalsBefore(db, order.first_order_id, order.id)) + 1 >= limit.count
      ? 0
      : null;
  if (limit.kind === 'reward')
    return limit.of_customer && order.customer_id === null
      ? null
      : Math.max(0, limit.amount_minor - (await store.dueOfRuleBefore(db, order, limit)));
  if (order.customer_id === null) return null;
  return Math.max(0, limit.amount_minor - (await store.dueOfCustomerBefore(db, order, limit.days)));
}
