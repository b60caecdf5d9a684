import { chunks } from '../../core/chunks.js';
import { chartBuckets, dayRange, parseDay, siteDay, type DayRange } from '../../core/dates.js';
import type { Db } from '../../platform/database/db.js';
import { fail, FieldCheck } from '../../errors.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import { affiliateCreated, affiliateRemoved } from '../../program/affiliates/domain-events.js';
import type { Deps } from './deps.js';
import { deleteScope, mostVisited, readDays, readScope, sumVisits, type DayCounts } from './repository.js';
import type { Chart, ChartDates, ChartSeries } from './types.js';

export interface Tally {
  readonly affiliateId: number;
  /** When the counted row was created (epoch ms). */
  readonly at: number;
  readonly visits?: number;
  readonly referrals?: number;
  readonly affiliates?: number;
}

type ScopeCounts = DayCounts & { readonly scope: string };
type Allows = (section: 'referrals' | 'visits') => Promise<boolean>;

const SHARDS = 16;
const DEFAULT_DAYS = 30;
const MAX_YEARS = 20;
const ROWS_PER_STATEMENT = 500;
const SERIES_NAMES: Readonly<Record<ChartSeries, string>> = {
  referrals: 'Referrals',
  visits: 'Visits',
  affiliates: 'Affiliates',
};

/**
 * Figures per day, written in the transaction of the rows they count, so that a chart never reads all visits.
 */
export class RollupsService {
  constructor(private readonly app: Deps) {
    app.internal.on(affiliateCreated, (trx, { affiliate }) =>
      this.add(trx, { affiliateId: affiliate.id, at: affiliate.created_at, affiliates: 1 }),
    );
    app.affiliates.addPart({ move: (trx, merging) => this.#moveTotals(trx, merging) });
    app.internal.on(affiliateRemoved, (trx, { id }) => this.#removeAffiliate(trx, id));
  }

  /**
   * Adds or subtracts rows of one affiliate and day, at the end of the transaction. The total is spread over
   * several rows, so that writers do not wait for one row.
   */
  add(trx: Db, ...tallies: readonly Tally[]): void {
    trx.beforeCommit(this.#addAll, tallies);
  }

  readonly #addAll = async (trx: Db, tallies: readonly Tally[]): Promise<void> => {
    const { timeZone } = this.app.host.site();
    const rows = new Map<
      string,
      { scope: string; day: number; visits: number; referrals: number; affiliates: number }
    >();
    for (const tally of tallies) {
      const day = siteDay(tally.at, timeZone);
      for (const scope of [`a:${tally.affiliateId}`, `all:${tally.affiliateId % SHARDS}`]) {
        const row = rows.get(`${scope}@${day}`) ?? { scope, day, visits: 0, referrals: 0, affiliates: 0 };
        row.visits += tally.visits ?? 0;
        row.referrals += tally.referrals ?? 0;
        row.affiliates += tally.affiliates ?? 0;
        rows.set(`${scope}@${day}`, row);
      }
    }
    // always the same lock order
    const sorted = [...rows.values()].toSorted((a, b) => a.scope.localeCompare(b.scope) || a.day - b.day);
    if (sorted.length > 0)
      await trx.dialect.addTo(
        trx,
        'daily_stats',
        sorted,
        ['scope', 'day'],
        ['visits', 'referrals', 'affiliates'],
      );
  };

  /** The days of a chart in the site's time zone (docs/interface.md §12.2). */
  range({ start_date: start, end_date: end }: ChartDates): DayRange {
    const check = new FieldCheck();
    for (const [field, value] of Object.entries({ start_date: start, end_date: end })) {
      if (value && parseDay(value) === null)
        check.add(field, 'date', 'The date must have the form YYYY-MM-DD.');
    }
    check.throwIfAny();
    const today = siteDay(this.app.clock.now(), this.app.host.site().timeZone);
    return (
      dayRange(start, end, { start: today - DEFAULT_DAYS, end: today, maxYears: MAX_YEARS }) ??
      fail('invalid_date_range')
    );
  }

  /**
   * Rows per day of one affiliate, without the series that the caller may not see (docs/interface.md §6.8).
   */
  async ofAffiliate(id: number, dates: ChartDates, allows: Allows): Promise<Chart> {
    await this.app.affiliates.get(id);
    const series: ChartSeries[] = [];
    if (await allows('referrals')) series.push('referrals');
    if (await allows('visits')) series.push('visits');
    return this.chart([id], dates, series);
  }

  /**
   * Rows per day of a group's current members. `labels` and `data` repeat the chart under the names of the
   * original interface.
   */
  async ofGroup(
    id: number,
    dates: ChartDates,
  ): Promise<Chart & { readonly labels: Chart['xAxisData']; readonly data: Chart['series'] }> {
    await this.app.groups.get(id);
    const members = await this.app.groups.memberIds(id);
    const chart = await this.chart(members, dates, ['referrals', 'visits', 'affiliates']);
    return { ...chart, labels: chart.xAxisData, data: chart.series };
  }

  /** The counts of these affiliates, or of all, by day, week or month. Without a series there is no axis. */
  async chart(
    of: readonly number[] | 'all',
    dates: ChartDates,
    wanted: readonly ChartSeries[],
  ): Promise<Chart> {
    const range = this.range(dates);
    if (wanted.length === 0) return { xAxisData: [], series: [] };
    const scopes =
      of === 'all' ? Array.from({ length: SHARDS }, (_, shard) => `all:${shard}`) : of.map((id) => `a:${id}`);
    const buckets = chartBuckets(range.start, range.end);
    const series = wanted.map((key) => ({ key, name: SERIES_NAMES[key], data: buckets.labels.map(() => 0) }));
    for (const row of await readDays(this.app.db, scopes, range)) {
      const bucket = buckets.indexOf(row.day);
      for (const line of series) line.data[bucket] = (line.data[bucket] ?? 0) + row[line.key];
    }
    return { xAxisData: buckets.labels, series: series.map(({ name, data }) => ({ name, data })) };
  }

  /** The clicks of these affiliates, or of all affiliates with clicks, in these days. */
  async visitsOf(of: readonly number[] | 'all', dates: ChartDates): Promise<ReadonlyMap<number, number>> {
    const scopes = of === 'all' ? null : of.map((id) => `a:${id}`);
    const sums = await sumVisits(this.app.db, scopes, this.range(dates));
    return new Map(sums.map(({ scope, visits }) => [Number(scope.slice(2)), visits]));
  }

  /** The clicks of the affiliates with most clicks in these days, without those named in `except`. */
  async mostVisited(
    dates: ChartDates,
    { except, limit }: { readonly except: readonly number[]; readonly limit: number },
  ): Promise<ReadonlyMap<number, number>> {
    const scopes = except.map((id) => `a:${id}`);
    const sums = await mostVisited(this.app.db, scopes, this.range(dates), limit);
    return new Map(sums.map(({ scope, visits }) => [Number(scope.slice(2)), visits]));
  }

  /** Moves the clicks and referrals of each day. The rest is deleted with the row. */
  async #moveTotals(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
    const [old, now] = [from % SHARDS, into % SHARDS];
    const moves: readonly (readonly [scope: string, sign: 1 | -1])[] = [
      [`a:${from}`, -1],
      [`a:${into}`, 1],
      ...(old === now
        ? []
        : ([
            [`all:${old}`, -1],
            [`all:${now}`, 1],
          ] as const)),
    ];
    const days = await readScope(trx, `a:${from}`);
    const rows = days.flatMap(({ day, visits, referrals }) =>
      moves.map(([scope, sign]) => ({
        scope,
        day,
        visits: sign * visits,
        referrals: sign * referrals,
        affiliates: 0,
      })),
    );
    await this.#write(trx, rows);
  }

  /** Subtracts a deleted affiliate's figures from the totals; its rows are already deleted. */
  async #removeAffiliate(trx: Db, affiliateId: number): Promise<void> {
    const scope = `a:${affiliateId}`;
    const rows = (await readScope(trx, scope)).map(({ day, visits, referrals, affiliates }) => ({
      scope: `all:${affiliateId % SHARDS}`,
      day,
      visits: -visits,
      referrals: -referrals,
      affiliates: -affiliates,
    }));
    await this.#write(trx, rows);
    await deleteScope(trx, scope);
  }

  async #write(trx: Db, rows: readonly ScopeCounts[]): Promise<void> {
    for (const chunk of chunks(rows, ROWS_PER_STATEMENT)) {
      await trx.dialect.addTo(
        trx,
        'daily_stats',
        chunk.map((row) => ({ ...row })),
        ['scope', 'day'],
        ['visits', 'referrals', 'affiliates'],
      );
    }
  }
}
