import type { Knex } from 'knex';
import { currencyDigits } from '../../core/money.js';
import type { Db, Row } from '../../database/db.js';
import type { LongList } from '../../database/long-list.js';
import type { Condition } from './filters.js';
import { COLUMNS, fromRow } from './repository.js';
import type { Affiliate } from './types.js';

/** A list or export in the words of the database layer. */
export interface AffiliateFilter {
  readonly search: string;
  /** Affiliates of host users that match the search. */
  readonly searchUserIds: readonly number[];
  readonly statuses: readonly string[];
  readonly groupIds: readonly number[] | null;
  readonly conditions: readonly Condition[];
  /** Of the money columns. */
  readonly currency: string;
}

export interface AffiliateOrder {
  readonly column: string;
  readonly nullable: boolean;
  readonly direction: 'asc' | 'desc';
}

type Query = Knex.QueryBuilder;

const ORDERS: Readonly<Record<string, { readonly column: string; readonly nullable: boolean }>> = {
  id: { column: 'id', nullable: false },
  total_earnings: { column: 'total_earnings_minor', nullable: false },
  unpaid_earnings: { column: 'unpaid_earnings_minor', nullable: false },
  referrals: { column: 'referrals', nullable: false },
  visits: { column: 'visits', nullable: false },
  created_at: { column: 'created_at', nullable: false },
  updated_at: { column: 'updated_at', nullable: false },
  status: { column: 'status', nullable: false },
  rate: { column: 'rate_e4', nullable: true },
  payment_email: { column: 'payment_email', nullable: true },
};

/** Whitelist with a silent fallback to the id (conventions §4). */
export function readOrder(orderBy: string | undefined, orderType: string | undefined): AffiliateOrder {
  const known = orderBy !== undefined && Object.hasOwn(ORDERS, orderBy) ? ORDERS[orderBy] : undefined;
  return {
    ...(known ?? { column: 'id', nullable: false }),
    direction: orderType?.toUpperCase() === 'ASC' ? 'asc' : 'desc',
  };
}

/** The whole list: each order has an index. */
export const affiliateList = (db: Db): LongList => ({
  name: 'affiliates',
  table: 'affiliates',
  where: {},
  total: { text: `(select count(*) from ${db.name('affiliates')})`, bindings: [] },
});

export async function countAffiliates(db: Db, filter: AffiliateFilter): Promise<number> {
  const row: Row | undefined = await matching(db, filter).count({ n: '*' }).first();
  return Number(row?.n ?? 0);
}

export async function listAffiliates(
  db: Db,
  filter: AffiliateFilter,
  order: AffiliateOrder,
  window: { readonly limit: number; readonly offset: number },
): Promise<Affiliate[]> {
  const rows: Row[] = await sorted(matching(db, filter), order)
    .select(COLUMNS)
    .limit(window.limit)
    .offset(window.offset);
  return rows.map(fromRow);
}

/** All rows in pages by key: rows nobody touches meanwhile come exactly once, and nothing stays open between pages. */
export async function* affiliatePages(
  db: Db,
  filter: AffiliateFilter,
  order: AffiliateOrder,
  size = 1000,
): AsyncGenerator<Affiliate[]> {
  let last: Row | null = null;
  for (;;) {
    const query = sorted(matching(db, filter), order).select(COLUMNS).limit(size);
    if (last) after(query, order, last);
    const rows: Row[] = await query;
    if (rows.length > 0) yield rows.map(fromRow);
    if (rows.length < size) return;
    last = rows.at(-1) ?? null;
  }
}

function sorted(query: Query, { column, nullable, direction }: AffiliateOrder): Query {
  if (column === 'id') return query.orderBy('id', direction);
  // Spelt out: "nulls last" of the query builder turns around with the direction on some databases.
  if (nullable) query.orderByRaw('case when ?? is null then 1 else 0 end', [column]);
  return query.orderBy(column, direction).orderBy('id', direction);
}

// The rows behind the last one of a page; nulls stand last in both directions.
function after(query: Query, { column, nullable, direction }: AffiliateOrder, last: Row): void {
  const beyond = direction === 'asc' ? '>' : '<';
  const id = Number(last.id);
  const value = last[column] as string | number | null;
  if (column === 'id') {
    query.where('id', beyond, id);
  } else if (value === null) {
    query.whereNull(column).where('id', beyond, id);
  } else {
    query.where((q) => {
      q.where(column, beyond, value).orWhere((tie) => void tie.where(column, value).where('id', beyond, id));
      if (nullable) q.orWhereNull(column);
    });
  }
}

function matching(db: Db, filter: AffiliateFilter): Query {
  const query = db('affiliates');
  if (filter.statuses.length > 0) query.whereIn('status', filter.statuses);
  if (filter.groupIds !== null) query.whereIn('group_id', filter.groupIds);
  if (filter.search !== '') query.where((q) => matchSearch(db, q, filter));
  for (const condition of filter.conditions) applyCondition(db, query, condition, filter.currency);
  return query;
}

function matchSearch(db: Db, query: Query, { search, searchUserIds }: AffiliateFilter): void {
  query.where((q) => void db.dialect.contains(q, ['payment_email'], search));
  if (searchUserIds.length > 0) query.orWhereIn('user_id', searchUserIds);
  // Ids are compared as text only when the search is a number; digits hold no wildcard.
  if (/^\d+$/.test(search))
    for (const column of ['id', 'user_id'])
      query.orWhereRaw(`${db.dialect.asText(column)} like ?`, [`%${search}%`]);
}

function applyCondition(
  db: Db,
  query: Query,
  { column, kind, operator, values }: Condition,
  currency: string,
): void {
  const text = kind === 'text';
  const [value] = values;
  if (operator === 'not_includes') {
    query.where(
      (q) =>
        void q.whereNot((inner) => contains(db, inner, column, kind, value, currency)).orWhereNull(column),
    );
  } else if (operator === 'includes') {
    query.where((q) => contains(db, q, column, kind, value, currency));
  } else if (value === undefined) {
    if (operator !== '!=') query.whereRaw('1 = 0');
  } else if (text && operator !== 'gt' && operator !== 'lt') {
    query.where((q) =>
      equalText(
        q,
        KEYS[column] ?? column,
        operator,
        values.map((each) => String(each).toLowerCase()),
      ),
    );
  } else if (operator === 'IN') {
    query.whereIn(column, values);
  } else {
    query.where(column, ({ '=': '=', '!=': '<>', gt: '>', lt: '<' } as const)[operator], value);
  }
}

/** Columns that hold the lower case of another. */
const KEYS: Readonly<Record<string, string>> = { payment_email: 'payment_email_key' };

function equalText(
  query: Query,
  column: string,
  operator: '=' | '!=' | 'IN',
  values: readonly string[],
): void {
  if (operator === '!=') query.whereNotIn(column, values).orWhereNull(column);
  else query.whereIn(column, values);
}

function contains(
  db: Db,
  query: Query,
  column: string,
  kind: Condition['kind'],
  value: string | number | undefined,
  currency: string,
): void {
  const text = String(value ?? '');
  if (kind === 'text') {
    db.dialect.contains(query, [column], text);
    return;
  }
  const match = /^(\d*)(?:\.(\d*))?$/.exec(text);
  const digits = kind === 'money' ? currencyDigits(currency) : 0;
  const fraction = match?.[2];
  if (!match || (fraction !== undefined && fraction.length > digits)) {
    query.whereRaw('1 = 0');
    return;
  }
  // Amounts are read as decimal text: "20.5" is a number whose tenths end in 205, "20" one whose whole part contains 20.
  const unit = 10 ** (digits - (fraction?.length ?? 0));
  const pattern = fraction === undefined ? `%${match[1]}%` : `%${match[1]}${fraction}`;
  query.whereRaw(`${db.dialect.asText(db.dialect.slot(column, unit))} like ?`, [pattern]);
}

/** Order totals of paid and unpaid referrals in the program currency, minor units. */
export async function orderTotal(db: Db, affiliateId: number, currency: string): Promise<number> {
  const row: Row | undefined = await db('referral_totals')
    .where({ affiliate_id: affiliateId })
    .whereIn('currency', ['', currency])
    .sum({ paid: 'paid_order_minor', unpaid: 'unpaid_order_minor' })
    .first();
  return Number(row?.paid ?? 0) + Number(row?.unpaid ?? 0);
}
