import { dayStart, parseDay } from '../core/dates.js';
import { SUB_IDS, type SubId } from '../core/sub-ids.js';
import type { Query } from './list.js';

/** The days that a list can be narrowed to, in the form of a request (`dayFilters` of http/schema.ts). */
export interface DayQuery {
  /** First and last day of creation on the site's calendar, both included: `YYYY-MM-DD`. */
  readonly date_from?: string | undefined;
  readonly date_to?: string | undefined;
}

/** A query of a list with a filter for an affiliate (`recordFilters` of http/schema.ts). */
export interface RecordQuery extends DayQuery {
  readonly affiliate_id?: number | undefined;
}

/** A range of times of creation; the first is included, the second is not. */
export interface CreationRange {
  readonly from: number | null;
  readonly before: number | null;
}

export const AT_ANY_TIME: CreationRange = { from: null, before: null };

export function createdOf({ date_from: from, date_to: to }: DayQuery, timeZone: string): CreationRange {
  const [first, last] = [from, to].map((day) => (day ? parseDay(day) : null));
  return {
    from: typeof first === 'number' ? dayStart(first, timeZone) : null,
    before: typeof last === 'number' ? dayStart(last + 1, timeZone) : null,
  };
}

export function whereCreated(query: Query, { from, before }: CreationRange, column = 'created_at'): void {
  if (from !== null) query.where(column, '>=', from);
  if (before !== null) query.where(column, '<', before);
}

/** The sub ids of links that a list can be narrowed to (`subIdFilters` of http/schema.ts). */
export type SubIdQuery = Readonly<Partial<Record<SubId, string | undefined>>>;

/** Those that a request names; a blank one does not filter. */
export const givenSubIds = (query: SubIdQuery): SubIdQuery =>
  Object.fromEntries(SUB_IDS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
