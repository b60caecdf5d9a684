import type { Knex } from 'knex';
import { currencyDigits } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import type { Matching } from '../../records/list.js';
import type { Condition } from './filters.js';
import { affiliates } from './record.js';

/** A list or export in the words of the database layer. */
export interface AffiliateFilter {
  readonly affiliateId?: number;
  readonly created: CreationRange;
  readonly search: string;
  /** Affiliates of host users that match the search. */
  readonly searchUserIds: readonly number[];
  readonly statuses: readonly string[];
  readonly asksDeletion?: boolean;
  readonly groupIds: readonly number[] | null;
  readonly conditions: readonly Condition[];
  /** The currency of the money columns. */
  readonly currency: string;
}

type Query = Knex.QueryBuilder;

export const affiliatesMatching =
  (db: Db, filter: AffiliateFilter): Matching =>
  (query) => {
    if (filter.affiliateId !== undefined) query.where('id', filter.affiliateId);
    if (filter.statuses.length > 0) query.whereIn('status', filter.statuses);
    if (filter.asksDeletion === true) query.whereNotNull('deletion_asked_at');
    if (filter.asksDeletion === false) query.whereNull('deletion_asked_at');
    if (filter.groupIds !== null) query.whereIn('group_id', filter.groupIds);
    whereCreated(query, filter.created);
    if (filter.search !== '')
      query.where((any) => {
        matchSearch(db, any, filter);
      });
    for (const condition of filter.conditions) applyCondition(db, query, condition, filter.currency);
  };

function matchSearch(db: Db, query: Query, { search, searchUserIds }: AffiliateFilter): void {
  query.where((q) => void db.dialect.contains(q, Object.keys(affiliates.search.anywhere), search));
  if (searchUserIds.length > 0) query.orWhereIn('user_id', searchUserIds);
  // Ids are compared as text only when the search is a number, as digits contain no wildcard.
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
        column,
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

function equalText(
  query: Query,
  column: string,
  operator: '=' | '!=' | 'IN',
  values: readonly string[],
): void {
  const sql = column === 'status' ? column : `lower(${column})`; // its words are lower case and have an index
  const among = `(${values.map(() => '?').join(', ')})`;
  if (operator === '!=') query.whereRaw(`${sql} not in ${among}`, [...values]).orWhereNull(column);
  else query.whereRaw(`${sql} in ${among}`, [...values]);
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
  const digits = kind === 'amount' ? currencyDigits(currency) : 0;
  const fraction = match?.[2];
  if (!match || (fraction !== undefined && fraction.length > digits)) {
    query.whereRaw('1 = 0');
    return;
  }
  // Amounts are searched as decimal text: in "20.5" the last digits are 205 tenths, in "20" the whole part
  // contains 20.
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

/** Sums over the rows of a list, in minor units. */
export async function sumAffiliates(
  db: Db,
  matching: Matching,
): Promise<{ count: number; earned: number; unpaid: number }> {
  const query = db('affiliates');
  matching(query);
  const row = (await query
    .count({ n: '*' })
    .sum({ earned: 'total_earnings_minor', unpaid: 'unpaid_earnings_minor' })
    .first()) as Row | undefined;
  return {
    count: Number(row?.['n'] ?? 0),
    earned: Number(row?.['earned'] ?? 0),
    unpaid: Number(row?.['unpaid'] ?? 0),
  };
}
