import type { App } from '../../app.js';
import { siteDay } from '../../core/dates.js';
import type { Db } from '../../database/db.js';
import type { PayoutTransaction } from './types.js';

const KIND = 'payout_to_affiliate';

/**
 * Queues the mail that a transaction was paid, in the transaction that marks it: one per transaction and site day, however often
 * it is toggled. The sender finds affiliate, user and template through the payload when it is due.
 */
export async function queuePaidMails(
  app: App,
  trx: Db,
  transactions: readonly PayoutTransaction[],
): Promise<void> {
  const day = siteDay(app.clock.now(), app.host.site().timeZone);
  await app.outbox.enqueue(
    trx,
    transactions
      .filter((transaction) => transaction.affiliate_id !== null)
      .map(({ id, payout_id, affiliate_id }) => ({
        event: `transaction:${id}:paid:${day}`,
        recipient: `affiliate:${affiliate_id}`,
        kind: KIND,
        payload: { transaction_id: id, payout_id, affiliate_id },
      })),
  );
}
