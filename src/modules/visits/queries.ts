import type { Knex } from 'knex';
import { shorterWay, type Window } from '../../core/page.js';
import { cut } from '../../core/text.js';
import type { Db, Row } from '../../database/db.js';
import type { ListOrder, LongList } from '../../database/long-list.js';
import { findVisits } from './repository.js';
import type { ExportedVisit, Visit, VisitFilter, VisitOrder } from './types.js';

const TEXT_COLUMNS = ['url', 'referrer', 'utm_campaign', 'utm_medium', 'utm_source'];
const SEARCH_TEXT = new Set([...TEXT_COLUMNS, 'ip']);
/** Beginnings of addresses, as much as an index takes; lists by address are sorted by the first. */
const URL_KEY = { column: 'url_key', length: 500 } as const;
const KEYS: ReadonlyMap<string, { readonly column: string; readonly length: number }> = new Map([
  ['url', URL_KEY],
  ['referrer', { column: 'referrer_key', length: 191 }],
]);
const NULLABLE = new Set(['affiliate_id', 'utm_campaign', 'utm_medium', 'utm_source', URL_KEY.column]);
const SORTABLE: ReadonlyMap<string, string> = new Map([
  ...['id', 'created_at', 'affiliate_id', 'utm_campaign', 'utm_medium', 'utm_source'].map(
    (name) => [name, name] as const,
  ),
  ['url', URL_KEY.column],
]);
const SEARCH_NUMBER = new Set(['affiliate_id', 'referral_id', 'user_id']);
const EXPORTED: readonly (keyof ExportedVisit)[] = [
  'id',
  'affiliate_id',
  ...(['url', 'referrer', 'utm_campaign', 'utm_medium', 'utm_source'] as const),
  'converted',
  'created_at',
];
const NUMBERS = ['id', 'affiliate_id', 'converted', 'created_at'] as const;
/** `column:text` and `column=text` (conventions §4); `id` only in the first form. */
const COLUMN_SEARCH = /^([a-z_]+)\s*([:=])(.*)$/su;

/** The stored column behind a wire name; the id for an unknown one. */
export const sortColumn = (name: string): string => SORTABLE.get(name) ?? 'id';

export async function countVisits(db: Db, filter: VisitFilter): Promise<number> {
  const row: Row | undefined = await filtered(db, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

/** Every visit or those of one affiliate, converted or not: the counters of the affiliates tell how many there are (reliability I3). */
export function longListOf(db: Db, { affiliateId, converted }: WholeList): LongList {
  const [affiliates, visits] = [db.name('affiliates'), db.name('visits')];
  const counted = {
    all: 'visits - visits_purged',
    converted: 'visits_converted',
    not_converted: 'visits - visits_purged - visits_converted',
  }[converted ?? 'all'];
  const where: Readonly<Record<string, number>> = converted === null ? {} : { converted: flagOf(converted) };
  const name = `visits ${converted ?? 'all'}`;
  if (affiliateId !== undefined) {
    return {
      name: `${name} of ${affiliateId}`,
      table: 'visits',
      where: { affiliate_id: affiliateId, ...where },
      total: {
        text: `coalesce((select ${counted} from ${affiliates} where id = ?), 0)`,
        bindings: [affiliateId],
      },
    };
  }
  const stray = `select count(*) from ${visits} where affiliate_id is null${converted === null ? '' : ` and converted = ${flagOf(converted)}`}`;
  return {
    name,
    table: 'visits',
    where,
    total: { text: `(select coalesce(sum(${counted}), 0) from ${affiliates}) + (${stray})`, bindings: [] },
  };
}

/** As the long lists understand it. An affiliate's own visits have an index on their ids and times only, converted ones on their ids. */
export const listOrder = (
  { column, direction }: VisitOrder,
  { affiliateId, converted }: WholeList,
): ListOrder => ({
  column,
  direction,
  nullable: NULLABLE.has(column),
  indexed: column === 'id' || (converted === null && (affiliateId === undefined || !NULLABLE.has(column))),
});

type WholeList = Pick<VisitFilter, 'affiliateId' | 'converted'>;
const flagOf = (converted: 'converted' | 'not_converted'): number => Number(converted === 'converted');

/** The ids of a page of a filtered list; `total` tells from which end it is nearer. */
export async function pageIds(
  db: Db,
  filter: VisitFilter,
  order: VisitOrder,
  window: Window & { readonly total: number },
): Promise<number[]> {
  const { limit, offset, backwards } = shorterWay(window, window.total);
  const rows: Row[] = await ordered(db, filtered(db, filter), order, backwards)
    .select({ id: column(db, 'id') })
    .limit(limit)
    .offset(offset);
  const ids = rows.map((row) => Number(row['id']));
  return backwards ? ids.toReversed() : ids;
}

/** Whole rows in the order of their ids' list. */
export async function visitsInOrder(db: Db, ids: readonly number[]): Promise<Visit[]> {
  const visits = new Map((await findVisits(db, ids)).map((visit) => [visit.id, visit]));
  return ids.flatMap((id) => visits.get(id) ?? []);
}

// Where nulls go differs between databases; knex's own `nulls last` drops the column on two of them.
function ordered(db: Db, query: Knex.QueryBuilder, order: VisitOrder, backwards: boolean): Knex.QueryBuilder {
  const direction = (order.direction === 'asc') === backwards ? 'desc' : 'asc';
  if (NULLABLE.has(order.column))
    query.orderByRaw(`(?? is null) ${backwards ? 'desc' : 'asc'}`, [column(db, order.column)]);
  if (order.column !== 'id') query.orderBy(column(db, order.column), direction);
  return query.orderBy(column(db, 'id'), direction);
}

/** The next rows of an export, by key: no cursor stays open between pages. */
export async function nextVisits(
  db: Db,
  filter: VisitFilter,
  order: VisitOrder,
  page: { after: ExportedVisit | null; limit: number },
): Promise<ExportedVisit[]> {
  const query = ordered(db, filtered(db, filter), order, false)
    .select([...new Set([...EXPORTED, order.column])].map((name) => column(db, name)))
    .limit(page.limit);
  if (page.after !== null) seek(db, query, order, page.after);
  const rows: Row[] = await query;
  for (const row of rows) for (const name of NUMBERS) if (row[name] !== null) row[name] = Number(row[name]); // in place: exports are long
  return rows as unknown as ExportedVisit[];
}

// The rows behind the last one of a page; nulls stand last in both directions.
function seek(db: Db, query: Knex.QueryBuilder, order: VisitOrder, last: ExportedVisit): void {
  const beyond = order.direction === 'asc' ? '>' : '<';
  const [id, sorted] = [column(db, 'id'), column(db, order.column)];
  const value = last[order.column as keyof ExportedVisit] ?? null;
  if (order.column === 'id') query.where(id, beyond, last.id);
  else if (value === null) query.whereNull(sorted).where(id, beyond, last.id);
  else {
    query.where((any) => {
      any.where(sorted, beyond, value).orWhere((same) => {
        same.where(sorted, value).where(id, beyond, last.id);
      });
      if (NULLABLE.has(order.column)) any.orWhereNull(sorted);
    });
  }
}

const column = (db: Db, name: string): string => `${db.name('visits')}.${name}`;

function filtered(db: Db, filter: VisitFilter): Knex.QueryBuilder {
  const query = db('visits');
  if (filter.affiliateId !== undefined) query.where(column(db, 'affiliate_id'), filter.affiliateId);
  if (filter.converted !== null) query.where(column(db, 'converted'), flagOf(filter.converted));
  if (filter.search !== '') search(db, query, filter);
  return query;
}

function search(db: Db, query: Knex.QueryBuilder, { search: text, userIds }: VisitFilter): void {
  const [, name = '', operator, value = ''] = COLUMN_SEARCH.exec(text) ?? [];
  if (SEARCH_TEXT.has(name) || SEARCH_NUMBER.has(name) || (name === 'id' && operator === ':')) {
    searchColumn(db, query, { name, contains: operator === ':', value: value.trim() });
    return;
  }
  query.where((any) => {
    db.dialect.contains(
      any,
      TEXT_COLUMNS.map((each) => column(db, each)),
      text,
    );
    if (userIds.length > 0)
      any.orWhereIn(
        column(db, 'affiliate_id'),
        db('affiliates')
          .select('id')
          .whereIn('user_id', [...userIds]),
      );
  });
}

function searchColumn(
  db: Db,
  query: Knex.QueryBuilder,
  part: { name: string; contains: boolean; value: string },
): void {
  const name = column(db, part.name);
  if (SEARCH_TEXT.has(part.name)) {
    const key = KEYS.get(part.name);
    if (part.contains)
      query.where((any) => {
        db.dialect.contains(any, [name], part.value);
      });
    else
      query.where({
        ...(key && { [column(db, key.column)]: cut(part.value, key.length) }),
        [name]: part.value,
      });
    return;
  }
  // A number column never holds other characters, and such a value must not reach a numeric comparison.
  if (!/^\d{1,15}$/.test(part.value)) query.whereRaw('1 = 0');
  else if (part.contains) query.whereRaw(`${db.dialect.asText(name)} like ?`, [`%${part.value}%`]);
  else query.where(name, Number(part.value));
}
