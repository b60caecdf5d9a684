import type { Db, Row } from '../../platform/database/db.js';
import { TOTALS } from './totals-queries.js';

/** Locks every affiliate, so that no earnings change meanwhile. */
export async function lockAllAffiliates(trx: Db): Promise<void> {
  await trx.dialect.forUpdate(trx('affiliates').select('id').orderBy('id'));
}

export async function hasOpenPayout(db: Db): Promise<boolean> {
  const row: Row | undefined = await db('payouts').first('id').whereIn('status', ['draft', 'processing']);
  return row !== undefined;
}

/** What all affiliates are owed in this currency, the program's until now; sums without a currency are in it. */
export async function owedIn(db: Db, currency: string): Promise<number> {
  const row: Row | undefined = await db('referral_totals')
    .sum({ owed: 'unpaid_minor' })
    .whereIn('currency', [currency, ''])
    .first();
  return Number(row?.['owed'] ?? 0);
}

/** Referrals without a currency were in the program's former one: writes its code into them. */
export async function nameCurrency(trx: Db, currency: string): Promise<void> {
  await trx('referrals').whereNull('currency').update({ currency });
  await trx.dialect.addSelected(
    trx,
    'referral_totals',
    {
      columns: ['affiliate_id', 'provider', 'currency', ...TOTALS],
      text:
        `select affiliate_id, provider, ? as currency, ${TOTALS.join(', ')} ` +
        `from ${trx.name('referral_totals')} where currency = ''`,
      bindings: [currency],
    },
    ['affiliate_id', 'provider', 'currency'],
    TOTALS,
  );
  await trx('referral_totals').where({ currency: '' }).delete();
}

/** Computes the earnings of every affiliate in this currency, in one statement. */
export async function countInCurrency(trx: Db, currency: string): Promise<void> {
  const [affiliates, totals] = [trx.name('affiliates'), trx.name('referral_totals')];
  const sum = (figures: string): string =>
    `coalesce((select sum(${figures}) from ${totals} t where t.affiliate_id = ${affiliates}.id and t.currency = ?), 0)`;
  await trx.execute(
    `update ${affiliates} set total_earnings_minor = ${sum('t.paid_minor + t.unpaid_minor')}, ` +
      `unpaid_earnings_minor = ${sum('t.unpaid_minor')}`,
    [currency, currency],
  );
}
