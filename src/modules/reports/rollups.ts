import type { App } from '../../app.js';
import { siteDay } from '../../core/dates.js';
import type { Db } from '../../database/db.js';

export interface Tally {
  readonly affiliateId: number;
  /** When the counted row was created (epoch ms). */
  readonly at: number;
  readonly visits?: number;
  readonly referrals?: number;
  readonly affiliates?: number;
}

const SHARDS = 16;

/** Per-day figures written in the transaction of the rows they count, so that a chart never scans visits. */
export class RollupsService {
  constructor(private readonly app: App) {}

  /** Adds (or takes away) rows of one affiliate and day. The total is spread over shards, so writers do not queue on one row. */
  async add(trx: Db, ...tallies: readonly Tally[]): Promise<void> {
    const { timeZone } = this.app.host.site();
    const rows = new Map<string, { scope: string; day: number; visits: number; referrals: number; affiliates: number }>();
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
    const sorted = [...rows.values()].toSorted((a, b) => a.scope.localeCompare(b.scope) || a.day - b.day); // one lock order
    if (sorted.length > 0) await trx.dialect.addTo(trx, 'daily_stats', sorted, ['scope', 'day'], ['visits', 'referrals', 'affiliates']);
  }
}
