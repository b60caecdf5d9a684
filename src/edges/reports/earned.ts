import { chartBuckets, dayStart, siteDay } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { Needs } from './needs.js';
import { campaignClicks, campaignEarnings, earnedSlots, type Span } from './earned-queries.js';
import type { ChartDates } from '../../books/rollups/types.js';

export interface Earned {
  readonly currency: string;
  readonly labels: readonly string[];
  readonly earnings: readonly number[];
  readonly total: number;
}

export interface Campaigns {
  readonly currency: string;
  readonly campaigns: readonly {
    readonly name: string;
    readonly clicks: number;
    readonly orders: number;
    readonly earnings: number;
  }[];
}

/** Paid and unpaid commissions of these days, by the day they were recorded. */
export async function earnedIn(app: Needs, dates: ChartDates): Promise<Earned> {
  const { range, span } = await spanOf(app, dates);
  const { timeZone } = app.host.site();
  const buckets = chartBuckets(range.start, range.end);
  const earned = buckets.labels.map(() => 0);
  for (const { at, amount } of await earnedSlots(app.db, span)) {
    const bucket = buckets.indexOf(siteDay(at, timeZone));
    if (bucket >= 0) earned[bucket] = (earned[bucket] ?? 0) + amount;
  }
  const money = (amount: number): number => toWire(minor(amount), span.currency);
  return {
    currency: span.currency,
    labels: buckets.labels,
    earnings: earned.map(money),
    total: money(earned.reduce((sum, each) => sum + each, 0)),
  };
}

/** What campaigns brought in these days, those with most clicks first; a blank name stands for none. */
export async function campaignsIn(app: Needs, dates: ChartDates): Promise<Campaigns> {
  const { span } = await spanOf(app, dates);
  const earned = await campaignEarnings(app.db, span);
  return {
    currency: span.currency,
    campaigns: (await campaignClicks(app.db, span)).map(({ name, clicks, orders }) => ({
      name,
      clicks,
      orders,
      earnings: toWire(minor(earned.get(name) ?? 0), span.currency),
    })),
  };
}

async function spanOf(
  app: Needs,
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
