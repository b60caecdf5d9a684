import { countOf } from '../../records/list.js';
import type { Db, Row } from '../../platform/database/db.js';
import { TOTALS } from './totals-queries.js';

export async function affiliatesAfter(db: Db, afterId: number, limit: number): Promise<number[]> {
  const rows: Row[] = await db('affiliates')
    .select('id')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  return rows.map((row) => Number(row['id']));
}

export async function countAffiliates(db: Db): Promise<number> {
  return countOf(db('affiliates'));
}

/** The first payouts that are still open, at most `limit`. */
export async function openPayouts(db: Db, limit: number): Promise<number[]> {
  const open = db('payouts').select('id').whereIn('status', ['draft', 'processing']);
  const rows: Row[] = await open.orderBy('id').limit(limit);
  return rows.map((row) => Number(row['id']));
}

/** What all affiliates are owed in this currency, the program's until now; sums without a currency are in it. */
export async function owedIn(db: Db, currency: string): Promise<number> {
  const row: Row | undefined = await db('referral_totals')
    .sum({ owed: 'unpaid_minor' })
    .whereIn('currency', [currency, ''])
    .first();
  return Number(row?.['owed'] ?? 0);
}

/**
 * Referrals without a currency were in the program's former one: writes its code into them. Only those of these
 * affiliates, unless `ids` is null.
 */
export async function nameCurrency(trx: Db, currency: string, ids: readonly number[] | null): Promise<void> {
  const ofThese = (query: ReturnType<Db>): ReturnType<Db> =>
    ids === null ? query : query.whereIn('affiliate_id', ids);
  const renamed = await ofThese(trx('referrals').whereNull('currency')).update({ currency });
  if (renamed === 0) return;
  const only = ids === null ? '' : ` and affiliate_id in (${ids.map(() => '?').join(', ')})`;
  await trx.dialect.addSelected(
    trx,
    'referral_totals',
    {
      columns: ['affiliate_id', 'provider', 'currency', ...TOTALS],
      text:
        `select affiliate_id, provider, ? as currency, ${TOTALS.join(', ')} ` +
        `from ${trx.name('referral_totals')} where currency = ''${only}`,
      bindings: [currency, ...(ids ?? [])],
    },
    ['affiliate_id', 'provider', 'currency'],
    TOTALS,
  );
  await ofThese(trx('referral_totals').where({ currency: '' })).delete();
}

/** Stores, in the rows of these affiliates or of all, the currency they are counted in. */
export async function markCurrency(trx: Db, currency: string, ids: readonly number[] | null): Promise<void> {
  const unmarked = trx('affiliates').whereNull('counted_in');
  await (ids === null ? unmarked : unmarked.whereIn('id', ids)).update({ counted_in: currency });
}

/** Computes the earnings of these affiliates in the currency, which is now the program's. */
export async function countInCurrency(trx: Db, currency: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const [affiliates, totals] = [trx.name('affiliates'), trx.name('referral_totals')];
  const sum = (figures: string): string =>
    `coalesce((select sum(${figures}) from ${totals} t where t.affiliate_id = ${affiliates}.id and t.currency = ?), 0)`;
  await trx.execute(
    `update ${affiliates} set total_earnings_minor = ${sum('t.paid_minor + t.unpaid_minor')}, ` +
      `unpaid_earnings_minor = ${sum('t.unpaid_minor')}, counted_in = null ` +
      `where id in (${ids.map(() => '?').join(', ')})`,
    [currency, currency, ...ids],
  );
}
