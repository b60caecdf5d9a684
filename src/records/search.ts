import { amountSearch, type AmountSearch, type SqlPart } from '../core/amount-search.js';
import type { siteOffsets } from '../core/dates.js';
import { own } from '../core/own.js';
import type { Db } from '../platform/database/db.js';
import type { Matching, Query } from './list.js';

/** How a text is searched for in a column: in amounts as people read them, in times as exports show them. */
export type SearchKind = 'text' | 'number' | 'amount' | 'time';

/** The columns a search looks in. Names are those of the interface; an amount `x` is stored as `x_minor`. */
export interface SearchSpec {
  /** For an ordinary search. */
  readonly anywhere: Readonly<Record<string, SearchKind>>;
  /**
   * For `column:text` (contains) and `column=text` (equals). `id` is always one of them, in the first form.
   */
  readonly columns: Readonly<Record<string, SearchKind>>;
}

export interface Search {
  readonly text: string;
  /** The currency of amounts that have none. */
  readonly currency: string;
  /** The offsets of the site's clock over the times of the rows, needed to search in times. */
  readonly offsets?: ReturnType<typeof siteOffsets>;
  /** Further conditions of an ordinary search, each added by `or`. */
  readonly also?: Matching;
}

interface Term {
  readonly name: string;
  readonly kind: SearchKind;
  readonly text: string;
}

const COLUMN_SEARCH = /^([a-z_]+\d*)\s*([:=])(.*)$/su;

export function searchIn(db: Db, query: Query, spec: SearchSpec, search: Search): void {
  if (search.text === '') return;
  const conditions = conditionsOf(db, spec, search);
  if (conditions.length === 0) query.whereRaw('1 = 0');
  else
    query.where((any) => {
      for (const condition of conditions) any.orWhere(condition);
    });
}

/** The conditions of a search; a row has to meet one of them. */
function conditionsOf(db: Db, spec: SearchSpec, search: Search): Matching[] {
  const [, name = '', operator, value = ''] = COLUMN_SEARCH.exec(search.text) ?? [];
  const kind = name === 'id' && operator === ':' ? 'number' : own(spec.columns, name);
  if (kind !== undefined) {
    const term = { name, kind, text: value.trim() };
    return present([operator === ':' ? contains(db, term, search) : equals(db, term, search)]);
  }
  const anywhere = Object.entries(spec.anywhere).map(([each, eachKind]) =>
    contains(db, { name: each, kind: eachKind, text: search.text }, search),
  );
  return present([...anywhere, search.also ?? null]);
}

const present = (conditions: readonly (Matching | null)[]): Matching[] =>
  conditions.filter((condition) => condition !== null);

/** Null when no value of the column can contain the text: a number contains digits only. */
function contains(db: Db, { name, kind, text }: Term, search: Search): Matching | null {
  const like = (sql: string): Matching => sqlPart({ text: `${sql} like ?`, bindings: [`%${text}%`] });
  if (kind === 'text') return (one) => void db.dialect.contains(one, [name], text);
  if (kind === 'number') return isWholeNumber(text) ? like(db.dialect.asText(name)) : null;
  if (kind === 'amount') return amountIs(db, amountTerm(name, text, ':', search));
  const { offsets = [] } = search;
  return offsets.length > 0 && isTimeText(text) ? like(db.dialect.timeText(siteTime(name, offsets))) : null;
}

function equals(db: Db, { name, kind, text }: Term, search: Search): Matching | null {
  if (kind === 'text') return (one) => void one.where(name, text);
  // Other texts must not be compared with numbers.
  if (kind === 'number') return isWholeNumber(text) ? (one) => void one.where(name, Number(text)) : null;
  return kind === 'amount' ? amountIs(db, amountTerm(name, text, '=', search)) : null;
}

const isWholeNumber = (text: string): boolean => /^\d{1,15}$/u.test(text);

const amountTerm = (
  name: string,
  value: string,
  operator: AmountSearch['operator'],
  { currency }: Search,
): AmountSearch => ({ column: `${name}_minor`, value, operator, currency });

function amountIs(db: Db, wanted: AmountSearch): Matching | null {
  const part = amountSearch(db.dialect, wanted);
  return part === null ? null : sqlPart(part);
}

const sqlPart =
  ({ text, bindings }: SqlPart): Matching =>
  (query) =>
    void query.whereRaw(text, [...bindings]);

/** Any part of a day and time as exports show it, on the site's clock: `2026-01`, `01-15`, `14:30`. */
export const isTimeText = (text: string): boolean => /^[\d :-]{1,19}$/u.test(text) && /\d/u.test(text);

/** The time on the site's clock in milliseconds, as SQL text. */
function siteTime(column: string, offsets: ReturnType<typeof siteOffsets>): string {
  const [only] = offsets;
  if (offsets.length === 1 && only !== undefined) return `${column} + ${only.offset}`;
  const periods = offsets.filter(({ until }) => Number.isFinite(until));
  const last = offsets.at(-1)?.offset ?? 0;
  const cases = periods.map(({ until, offset }) => `when ${column} < ${until} then ${offset}`).join(' ');
  return `${column} + case ${cases} else ${last} end`;
}
