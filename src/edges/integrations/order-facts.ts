import type { OrderEvent, ProviderRefund, RenewalEvent } from '../../../adapters/commerce.js';
import type { ToldRefund } from '../../books/orders/service.js';
import type { NewFact, Order } from '../../books/orders/types.js';
import type { Needs } from './needs.js';

// What a shop's events say, as facts of their order: by their content, never by when they came.

/** A refund in the words of the order record; without an id it is everything refunded so far. */
export const toldRefund = (refund: ProviderRefund): ToldRefund => ({
  refund_id: refund.refund_id ?? null,
  gross: Math.max(0, refund.gross),
  base: null,
  ...(refund.items && { items: refund.items }),
  ...(refund.shipping !== undefined && { shipping: refund.shipping }),
  ...(refund.shipping_tax !== undefined && { shipping_tax: refund.shipping_tax }),
  currency: refund.currency,
  undone: refund.state === 'undone',
  ...(refund.refund_id === undefined && refund.provisional === true && { provisional: true }),
  ...(refund.refund_id !== undefined && refund.by_id === true && { by_id: true }),
});

/**
 * Payment and refunds that an order's own event carries; its list of refunds is the whole list at that time.
 */
export function eventFacts(
  { orders: { facts } }: Pick<Needs, 'orders'>,
  order: Pick<Order, 'terms'>,
  { type, at }: OrderEvent | RenewalEvent,
  refunds: readonly ToldRefund[] | undefined,
): NewFact[] {
  const told = (refunds ?? []).map((refund) => facts.refundFact(order, refund, at));
  const ids = (refunds ?? []).flatMap(({ refund_id: id }) => (id === null ? [] : [id]));
  return [
    ...(type === 'order.created' ? [] : [facts.paymentFact('paid', at)]),
    ...told,
    ...(refunds === undefined ? [] : [facts.listFact(ids, at)]),
  ];
}
