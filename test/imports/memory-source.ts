import type { Migrator } from '../../adapters/imports.js';
import type { Stage } from '../../src/core/imports/stages.js';

export type Rows = Partial<Record<Stage, readonly object[]>>;

/** A source in memory. */
export function memorySource(rows: Rows, extra: Partial<Migrator> = {}): Migrator {
  return {
    slug: 'affiliate_wp',
    name: 'AffiliateWP',
    timeZone: 'UTC',
    isAvailable: async () => true,
    counts: async () => Object.fromEntries(Object.entries(rows).map(([stage, list]) => [stage, list.length])),
    migrate: async (stage, cursor, limit) => {
      const from = Number(cursor ?? 0);
      const page = (rows[stage] ?? []).slice(from, from + limit);
      return { rows: page as never[], nextCursor: String(from + page.length), done: page.length < limit };
    },
    ...extra,
  };
}
