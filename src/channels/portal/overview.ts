import { chartBuckets, dayStart, dayText, siteDay } from '../../core/dates.js';
import { QUARTER_HOUR } from '../../core/duration.js';
import { cleanHtml } from '../../core/html.js';
import { minor, toWire } from '../../core/money.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { Earnings } from './earnings.js';
import { earnedSlots } from './money-queries.js';
import type { PortalOverview } from './schemas.js';
import { Statement } from './statement.js';

export const PERIODS = [7, 30, 90, 365] as const;
const EVENTS = 6;

interface Days {
  readonly first: number;
  readonly last: number;
}

/**
 * The first page of the portal: results of a period and of the one before, what will be paid when, and what
 * happened last.
 */
export class Overview {
  readonly #earnings: Earnings;
  readonly #statement: Statement;

  constructor(private readonly app: Deps) {
    this.#earnings = new Earnings(app);
    this.#statement = new Statement(app);
  }

  async of(affiliate: Affiliate, wanted: number): Promise<PortalOverview> {
    const length = PERIODS.find((days) => days === wanted) ?? 30;
    const today = siteDay(this.app.clock.now(), this.app.host.site().timeZone);
    const now = await this.#period(affiliate, { first: today - length + 1, last: today });
    const before = await this.#period(affiliate, { first: today - 2 * length + 1, last: today - length });
    const notice = await this.app.hooks.applyFilters('portal_notice_html', '', affiliate);
    return {
      days: length,
      notice_html: cleanHtml(notice),
      link: await this.app.tracking.shareUrlOf(affiliate),
      figures: { now: now.totals, before: before.totals },
      chart: {
        labels: now.labels,
        clicks: now.clicks,
        orders: now.orders,
        earnings: now.earnings,
        earnings_before: before.earnings,
      },
      outlook: await this.#earnings.outlook(affiliate),
      events: await this.#statement.newest(affiliate, EVENTS),
    };
  }

  async #period(affiliate: Affiliate, { first, last }: Days): Promise<Period> {
    const { timeZone } = this.app.host.site();
    const { currency } = await this.app.settings.referralConfig();
    const chart = await this.app.rollups.chart(
      [affiliate.id],
      { start_date: dayText(first), end_date: dayText(last) },
      ['visits', 'referrals'],
    );
    const [clicks = [], orders = []] = chart.series.map(({ data }) => data);
    const buckets = chartBuckets(first, last);
    const earned = buckets.labels.map(() => 0);
    const slots = await earnedSlots(this.app.db, affiliate.id, {
      currency,
      from: dayStart(first, timeZone),
      to: dayStart(last + 1, timeZone),
      slotMs: QUARTER_HOUR,
    });
    for (const { at, amount_minor: amount } of slots) {
      const bucket = buckets.indexOf(siteDay(at, timeZone));
      if (bucket >= 0) earned[bucket] = (earned[bucket] ?? 0) + amount;
    }
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
    const money = (amount: number): number => toWire(minor(amount), currency);
    return {
      labels: buckets.labels,
      clicks,
      orders,
      earnings: earned.map(money),
      totals: { clicks: sum(clicks), orders: sum(orders), earnings: money(sum(earned)) },
    };
  }
}

interface Period {
  readonly labels: readonly string[];
  readonly clicks: readonly number[];
  readonly orders: readonly number[];
  readonly earnings: readonly number[];
  readonly totals: { readonly clicks: number; readonly orders: number; readonly earnings: number };
}
