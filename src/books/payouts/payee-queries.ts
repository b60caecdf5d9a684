import type { Db, Row } from '../../platform/database/db.js';
import { int } from './queries.js';
import { frozenPayee } from './payees.js';
import type { Payee } from './types.js';

const CHUNK = 1000;

/** Keeps where these affiliates of a payout are paid; a transaction that has its payee keeps it. */
export async function freezePayees(db: Db, payoutId: number, affiliateIds: readonly number[]): Promise<void> {
  const payees = db.name('payout_payees');
  await db.execute(
    `insert into ${payees} (transaction_id, affiliate_id, payment_email, settings) ` +
      `select t.id, t.affiliate_id, a.payment_email, a.settings from ${db.name('payout_transactions')} t ` +
      `join ${db.name('affiliates')} a on a.id = t.affiliate_id where t.payout_id = ${int(payoutId)} ` +
      `and t.affiliate_id in (${affiliateIds.map(int).join(', ')}) ` +
      `and not exists (select 1 from ${payees} known where known.transaction_id = t.id)`,
  );
}

/** The kept payees of these transactions; those of earlier versions have none. */
export async function payeesOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Payee>> {
  const found = new Map<number, Payee>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows: Row[] = await db('payout_payees')
      .select('transaction_id', 'payment_email', 'settings')
      .whereIn('transaction_id', ids.slice(at, at + CHUNK));
    for (const row of rows)
      found.set(Number(row['transaction_id']), frozenPayee(row['payment_email'], row['settings']));
  }
  return found;
}

/** Forgets the payee of a transaction, so that `freezePayees` takes the affiliate's of now. */
export async function dropPayee(db: Db, transactionId: number): Promise<void> {
  await db('payout_payees').where({ transaction_id: transactionId }).delete();
}
