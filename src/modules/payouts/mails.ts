import { siteDay } from '../../core/dates.js';
import type { Db } from '../../database/db.js';
import type { PayoutTransaction } from './types.js';

const KIND = 'payout_to_affiliate';

/**
 * Queues the mail that a transaction was paid, in the transaction that marks it: one per transaction and site day, however often
 * it is toggled. The sender finds affiliate, user and template through the payload when it is due.
 */
export async function queuePaidMails(
  db: Db,
  transactions: readonly PayoutTransaction[],
  at: { now: number; timeZone: string },
): Promise<void> {
  const rows = transactions
    .filter((transaction) => transaction.affiliate_id !== null)
    .map((transaction) => ({
      event: `transaction:${transaction.id}:paid:${siteDay(at.now, at.timeZone)}`,
      recipient: `affiliate:${transaction.affiliate_id}`,
      kind: KIND,
      payload: JSON.stringify({
        transaction_id: transaction.id,
        payout_id: transaction.payout_id,
        affiliate_id: transaction.affiliate_id,
      }),
      status: 'pending',
      attempts: 0,
      next_attempt_at: at.now,
      created_at: at.now,
      updated_at: at.now,
    }));
  if (rows.length > 0) await db.dialect.upsert(db, 'outbox', rows, ['event', 'recipient'], []);
}
