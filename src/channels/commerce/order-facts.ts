import type { OrderEvent, ProviderRefund, RenewalEvent } from '../../../adapters/commerce.js';
import type { ReportedRefund } from '../../accounting/orders/service.js';
import type { NewFact, Order } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';

// Turns the events of a shop into facts of their order, by content and not by time of arrival.

/** A refund as the order stores it; without an id, it is the total refunded so far. */
export const reportedRefund = (refund: ProviderRefund): ReportedRefund => ({
  refund_id: refund.refund_id ?? null,
  gross: Math.max(0, refund.gross),
  base: null,
  ...(refund.items && { items: refund.items }),
  ...(refund.shipping !== undefined && { shipping: refund.shipping }),
  ...(refund.fees !== undefined && { fees: refund.fees }),
  ...(refund.other !== undefined && { other: refund.other }),
  ...(refund.shipping_tax !== undefined && { shipping_tax: refund.shipping_tax }),
  currency: refund.currency,
  undone: refund.state === 'undone',
  ...(refund.refund_id === undefined && refund.provisional === true && { provisional: true }),
  ...(refund.refund_id !== undefined && refund.by_id === true && { by_id: true }),
});

/**
 * The payment and the refunds in an order's own event; unless marked as partial, its list of refunds is
 * complete at that time.
 */
export function eventFacts(
  { orders: { facts } }: Pick<Deps, 'orders'>,
  order: Pick<Order, 'terms'>,
  { type, at, order: { some_refunds: isPart = false } }: OrderEvent | RenewalEvent,
  refunds: readonly ReportedRefund[] | undefined,
): NewFact[] {
  const returned = (refunds ?? []).map((refund) => facts.refundFact(order, refund, at));
  const ids = (refunds ?? []).flatMap(({ refund_id: id }) => (id === null ? [] : [id]));
  return [
    ...(type === 'order.created' ? [] : [facts.paymentFact('paid', at)]),
    ...returned,
    ...(refunds === undefined || isPart ? [] : [facts.listFact(ids, at)]),
  ];
}
