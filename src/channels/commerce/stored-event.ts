import type { ProviderEvent, ProviderOrder, ProviderRefund } from '../../../adapters/commerce.js';
import { CLOCK_SKEW_MS, statedTime } from '../../core/stated-time.js';
import { LINE } from '../../core/text.js';
import { failFields } from '../../errors.js';
import { shortKey } from '../../core/order-key.js';

const ACCOUNT_MAX = 150;

/** Makes ids fit their column: long ones are hashed. An id is never changed, so that no two become one. */
function idText(id: string, max?: number): string {
  if (!LINE.fits(id)) failFields({ id: { [LINE.rule]: LINE.says } });
  return shortKey(id.trim(), max);
}

/** Can the ids of the event be stored as they are? */
export function namesFit(event: ProviderEvent): boolean {
  try {
    return arrived(event, 0).type === event.type;
  } catch {
    return false;
  }
}

/**
 * Prepares an event for storing: with a time that is not to come, and ids of limited length
 * (docs/integrations.md §2). The times of two events decide which of them counts, so they must be comparable
 * also when the shop's clock is a little ahead.
 */
export function arrived(event: ProviderEvent, now: number, lateAfterMs?: number): ProviderEvent {
  const at = Number.isSafeInteger(event.at) && event.at > 0 ? statedTime(event.at, now, CLOCK_SKEW_MS) : now;
  const isLate = lateAfterMs !== undefined && now - at > lateAfterMs;
  return {
    ...event,
    at,
    account: idText(event.account, ACCOUNT_MAX),
    ...(isLate && { flags: [...(event.flags ?? []), 'late_delivery'] }),
    ...('order' in event && { order: orderIds(event.order, { at, now }) }),
    ...('refund' in event && { refund: refundIds(event.refund) }),
    ...('order_ref' in event && { order_ref: idText(event.order_ref) }),
    ...('refs' in event && { refs: event.refs.map((ref) => idText(ref)) }),
    ...('dispute_id' in event && { dispute_id: idText(event.dispute_id) }),
    ...('lead' in event && { lead: { ...event.lead, id: idText(event.lead.id) } }),
  } as ProviderEvent; // the same event with other texts
}

function orderIds(
  order: ProviderOrder,
  { at, now }: { readonly at: number; readonly now: number },
): ProviderOrder {
  return {
    ...order,
    id: idText(order.id),
    created_at: statedTime(order.created_at > 0 ? order.created_at : at, now),
    ...(order.sub_id !== undefined && { sub_id: idText(order.sub_id) }),
    ...(order.refs && { refs: order.refs.map((ref) => idText(ref)) }),
    ...(order.upgrade_of !== undefined && { upgrade_of: idText(order.upgrade_of) }),
    ...(order.subscription && { subscription: { ...order.subscription, id: idText(order.subscription.id) } }),
    ...(order.refunds && { refunds: order.refunds.map(refundIds) }),
  };
}

const refundIds = (refund: ProviderRefund): ProviderRefund => ({
  ...refund,
  order_ref: idText(refund.order_ref),
  ...(refund.refund_id !== undefined && { refund_id: idText(refund.refund_id) }),
});
