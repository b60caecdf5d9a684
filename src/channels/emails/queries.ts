import type { Db, Row } from '../../platform/database/db.js';
import type { EmailTemplate, MailSubject } from './types.js';

/** An amount in minor units of its currency. */
export interface CurrencyAmount {
  readonly currency: string;
  readonly amount_minor: number;
}

/** Paid and unpaid commissions of an affiliate since an instant, by currency; null is the program's. */
export async function earnedSince(
  db: Db,
  affiliateId: number,
  since: number,
  program: string,
): Promise<CurrencyAmount[]> {
  const rows = await db.raw(
    `select coalesce(currency, ?) as currency, sum(amount_minor) as total from ${db.name('referrals')} ` +
      "where affiliate_id = ? and status in ('paid', 'unpaid') and created_at >= ? group by 1 order by 1",
    [program, affiliateId, since],
  );
  return rows.map((row) => ({ currency: String(row['currency']), amount_minor: Number(row['total']) }));
}

/** What an affiliate earned, and how much of it is unpaid, by currency. */
export async function earnings(
  db: Db,
  affiliateId: number,
  program: string,
): Promise<{ readonly total: CurrencyAmount[]; readonly unpaid: CurrencyAmount[] }> {
  const rows = await db.raw(
    "select coalesce(nullif(currency, ''), ?) as currency, sum(paid_minor + unpaid_minor) as total, " +
      'sum(unpaid_minor) as unpaid ' +
      `from ${db.name('referral_totals')} where affiliate_id = ? group by 1 order by 1`,
    [program, affiliateId],
  );
  const amounts = (column: 'total' | 'unpaid'): CurrencyAmount[] =>
    rows.map((row) => ({ currency: String(row['currency']), amount_minor: Number(row[column]) }));
  return { total: amounts('total'), unpaid: amounts('unpaid') };
}

export async function countItems(db: Db, transactionId: number): Promise<number> {
  const row: { n: number | string } | undefined = await db('payout_items')
    .where({ transaction_id: transactionId })
    .count({ n: '*' })
    .first();
  return Number(row?.n ?? 0);
}

/** Commissions recorded in a time, by status and currency. */
export async function commissionsBetween(
  db: Db,
  { from, to }: { from: number; to: number },
): Promise<{ status: string; currency: string | null; amount_minor: number }[]> {
  const rows: { status: string; currency: string | null; amount: number | string | null }[] = await db(
    'referrals',
  )
    .select('status', 'currency')
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .whereIn('status', ['pending', 'unpaid', 'paid', 'rejected'])
    .groupBy('status', 'currency')
    .orderBy(['status', 'currency'])
    .sum({ amount: 'amount_minor' });
  return rows.map((row) => ({
    status: row.status,
    currency: row.currency,
    amount_minor: Number(row.amount ?? 0),
  }));
}

/** The newest rows that a mail of this kind could be about, for a preview. */
export async function newestSubject(
  db: Db,
  { smartcode_groups: groups }: Pick<EmailTemplate, 'smartcode_groups'>,
): Promise<MailSubject> {
  const newest = async (query: ReturnType<Db>): Promise<Row> =>
    ((await query.orderBy('id', 'desc').first()) as Row | undefined) ?? {};
  const number = (value: unknown): number | null =>
    value === null || value === undefined ? null : Number(value);
  if (groups.includes('transaction')) {
    const row = await newest(db('payout_transactions').select('id', 'affiliate_id', 'payout_id'));
    return {
      affiliate_id: number(row['affiliate_id']),
      transaction_id: number(row['id']),
      payout_id: number(row['payout_id']),
    };
  }
  if (groups.includes('referral')) {
    const row = await newest(
      db('referrals').select('id', 'affiliate_id').whereIn('status', ['unpaid', 'paid']),
    );
    return { affiliate_id: number(row['affiliate_id']), referral_id: number(row['id']) };
  }
  return { affiliate_id: number((await newest(db('affiliates').select('id')))['id']) };
}
