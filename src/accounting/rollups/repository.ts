import { chunks } from '../../core/chunks.js';
import type { DayRange } from '../../core/dates.js';
import type { Db, Row } from '../../platform/database/db.js';

const CHUNK = 1000;

export interface DayCounts {
  readonly day: number;
  readonly visits: number;
  readonly referrals: number;
  readonly affiliates: number;
}

const fromRow = (row: Row): DayCounts => ({
  day: Number(row.day),
  visits: Number(row.visits),
  referrals: Number(row.referrals),
  affiliates: Number(row.affiliates),
});

/** The figures of these scopes per day, both ends included; a day appears once per thousand scopes. */
export async function readDays(db: Db, scopes: readonly string[], range: DayRange): Promise<DayCounts[]> {
  const days: DayCounts[] = [];
  for (const chunk of chunks(scopes, CHUNK)) {
    const rows: Row[] = await db('daily_stats')
      .select('day')
      .whereIn('scope', chunk)
      .whereBetween('day', [range.start, range.end])
      .groupBy('day')
      .sum({ visits: 'visits', referrals: 'referrals', affiliates: 'affiliates' });
    days.push(...rows.map(fromRow));
  }
  return days;
}

/** Clicks by scope, of these affiliates or of all. */
export async function sumVisits(
  db: Db,
  scopes: readonly string[] | null,
  range: DayRange,
): Promise<{ readonly scope: string; readonly visits: number }[]> {
  if (scopes?.length === 0) return [];
  const query = db('daily_stats').select('scope').whereBetween('day', [range.start, range.end]);
  const rows: Row[] = await (
    scopes === null ? query.where('scope', 'like', 'a:%') : query.whereIn('scope', scopes)
  )
    .groupBy('scope')
    .sum({ visits: 'visits' });
  return rows.map((row) => ({ scope: String(row.scope), visits: Number(row.visits) }));
}

/** Most clicks first; of these scopes none. */
export async function mostVisited(
  db: Db,
  except: readonly string[],
  range: DayRange,
  limit: number,
): Promise<{ readonly scope: string; readonly visits: number }[]> {
  const rows: Row[] = await db('daily_stats')
    .select('scope')
    .where('scope', 'like', 'a:%')
    .whereNotIn('scope', except)
    .whereBetween('day', [range.start, range.end])
    .groupBy('scope')
    .havingRaw('sum(visits) > 0')
    .orderByRaw('sum(visits) desc, scope')
    .limit(limit)
    .sum({ visits: 'visits' });
  return rows.map(({ scope, visits }) => ({ scope: String(scope), visits: Number(visits) }));
}

/** Every day of one scope. */
export async function readScope(db: Db, scope: string): Promise<DayCounts[]> {
  const rows: Row[] = await db('daily_stats')
    .select('day', 'visits', 'referrals', 'affiliates')
    .where({ scope })
    .orderBy('day');
  return rows.map(fromRow);
}

export async function deleteScope(trx: Db, scope: string): Promise<void> {
  await trx('daily_stats').where({ scope }).delete();
}
