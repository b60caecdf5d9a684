import type { Opening } from '../../accounting/orders/service.js';
import type { NewFact, OpenReason } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { nameOf } from './input.js';
import type { PricedOrder } from './price.js';
import type { LimitedOrder } from './limits.js';
import { reasonsOf, termsOf } from './row.js';

/** What is known about an order when no shop reports it. */
const NOTHING_KNOWN = { lines: null, reasons: [], source: null, facts: [] };

/** The order as it is stored: its frozen terms and first facts. */
export async function openingOf(app: Deps, order: PricedOrder & LimitedOrder): Promise<Opening> {
  const { report, row, conversion, commission, credit, statusByExtension, first, limits, left_minor } = order;
  const { refundFlat } = await app.settings.rules();
  const { lines, reasons, source, facts } = report.shop?.order ?? NOTHING_KNOWN;
  const now = app.clock.now();
  return {
    name: nameOf(conversion.provider, conversion),
    currency: conversion.currency,
    terms: termsOf(
      row,
      { conversion, commission },
      { flat_rule: refundFlat, limits, lines, reasons: openReasons(order, reasons) },
    ),
    paid_at: paidAt(order, now),
    first,
    left_minor,
    subscription_id: conversion.subscription?.phase === 'first' ? conversion.subscription.id : null,
    source: source ?? credit.source,
    click: credit.click ?? null,
    facts: [...facts, ...(statusByExtension === 'rejected' ? [rejectedFact(now)] : [])],
  };
}

/** The source of a lead knows whose sign-up it was, so the customer's names count at once. */
export const isPaidNow = (order: PricedOrder): boolean =>
  order.conversion.lead !== null || paidAt(order, 0) !== null;

/** The open reasons of an order. An extension that sets pending adds a reason; one that sets unpaid removes all. */
function openReasons(
  { statusByExtension, hits, commission }: PricedOrder,
  given: readonly OpenReason[],
): readonly OpenReason[] {
  if (statusByExtension === 'unpaid') return [];
  const held = statusByExtension === 'pending' ? (['manual'] as const) : [];
  return [...reasonsOf(hits, commission), ...given, ...held];
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
