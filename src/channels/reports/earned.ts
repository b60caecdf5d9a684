import { chartBuckets, dayStart, siteDay } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { Deps } from './deps.js';
import { earnedSlots, type Span } from './earned-queries.js';
import type { ChartDates } from '../../accounting/rollups/types.js';

export interface EarningsChart {
  readonly currency: string;
  readonly labels: readonly string[];
  readonly earnings: readonly number[];
  readonly total: number;
  /** The value of the same orders. */
  readonly order_totals: readonly number[];
  readonly order_total: number;
}

/** Paid and unpaid commissions of these days, by the day they were recorded. */
export async function earnedIn(app: Deps, dates: ChartDates): Promise<EarningsChart> {
  const { range, span } = await spanOf(app, dates);
  const { timeZone } = app.host.site();
  const buckets = chartBuckets(range.start, range.end);
  const earned = buckets.labels.map(() => 0);
  const orders = buckets.labels.map(() => 0);
  for (const { at, amount, order_total: value } of await earnedSlots(app.db, span)) {
    const bucket = buckets.indexOf(siteDay(at, timeZone));
    if (bucket < 0) continue;
    earned[bucket] = (earned[bucket] ?? 0) + amount;
    orders[bucket] = (orders[bucket] ?? 0) + value;
  }
  const money = (amount: number): number => toWire(minor(amount), span.currency);
  return {
    currency: span.currency,
    labels: buckets.labels,
    earnings: earned.map(money),
    total: money(sumOf(earned)),
    order_totals: orders.map(money),
    order_total: money(sumOf(orders)),
  };
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, each) => sum + each, 0);

/** The chosen days, and the instants at which they begin and end. */
export async function spanOf(
  app: Deps,
  dates: ChartDates,
): Promise<{ range: { readonly start: number; readonly end: number }; span: Span }> {
  const range = app.rollups.range(dates);
  const { timeZone } = app.host.site();
  const { currency } = await app.settings.referralConfig();
  return {
    range,
    span: { from: dayStart(range.start, timeZone), to: dayStart(range.end + 1, timeZone), currency },
  };
}
