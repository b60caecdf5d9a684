import type { OrderToStore } from '../../accounting/orders/service.js';
import type { NewFact, OpenReason } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { nameOf } from './input.js';
import type { PricedOrder } from './price.js';
import type { LimitedOrder } from './limits.js';
import { reasonsOf, termsOf } from './referral-row.js';
import type { Conversion } from './types.js';

/** The order as it is stored: its frozen terms and first facts. */
export async function orderToStore(app: Deps, order: PricedOrder & LimitedOrder): Promise<OrderToStore> {
  const { report, row, conversion, commission, credit, statusByExtension, first, limits, left_minor } = order;
  const { refundFlat } = await app.settings.rules();
  const reported = report.shop?.order;
  const now = app.clock.now();
  return {
    name: nameOf(conversion.provider, conversion),
    currency: conversion.currency,
    terms: termsOf(
      row,
      { conversion, commission },
      { flat_rule: refundFlat, limits, lines: reported?.lines ?? null, reasons: openReasons(order) },
    ),
    paid_at: paidAt(order, now),
    first,
    left_minor,
    subscription_id: reported ? reported.subscription_id : beginsSubscription(conversion),
    source: reported?.source ?? credit.source,
    click: credit.click ?? null,
    facts: statusByExtension === 'rejected' ? [rejectedFact(now)] : [],
    known: reported?.known,
  };
}

/** The subscription that begins with this order. */
const beginsSubscription = ({ subscription }: Conversion): string | null =>
  subscription?.phase === 'first' ? subscription.id : null;

/** The source of a lead knows whose sign-up it was, so the customer's names count at once. */
export const isPaidNow = (order: PricedOrder): boolean =>
  order.conversion.lead !== null || paidAt(order, 0) !== null;

/** The open reasons of an order. An extension that sets pending adds a reason; one that sets unpaid removes all. */
function openReasons({ statusByExtension, hits, commission, report }: PricedOrder): readonly OpenReason[] {
  if (statusByExtension === 'unpaid') return [];
  const reported = report.shop?.order?.reasons ?? [];
  const held = statusByExtension === 'pending' ? (['manual'] as const) : [];
  return [...reasonsOf(hits, commission), ...reported, ...held];
}

function paidAt({ statusByExtension, conversion, report }: PricedOrder, now: number): number | null {
  const reported = report.shop?.order ?? { paid_at: conversion.status === 'unpaid' ? now : null };
  return statusByExtension === 'unpaid' ? (reported.paid_at ?? now) : reported.paid_at;
}

const rejectedFact = (at: number): NewFact => ({
  key: `judgement:${at}`,
  at,
  data: { kind: 'judgement', verdict: 'rejected', reason: 'extension', clears: [] },
});
