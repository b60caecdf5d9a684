import { siteDay } from '../../core/dates.js';
import type { Db } from '../../platform/database/db.js';
import type { Queued } from '../../program/outbox/types.js';
import type { Needs } from './needs.js';
import type { PayoutTransaction } from './types.js';

const KIND = 'payout_to_affiliate';
/** A mark that was a slip is set back by then, and nobody hears of it. */
const DELAY_MS = 5 * 60_000;

/**
 * Queues the mail that a transaction was paid, in the transaction that marks it:
 * at most one per transaction and site day, sent five minutes later if it still is paid then.
 * The sender finds affiliate, user and template through the payload when it is due.
 */
export async function queuePaidMails(
  app: Needs,
  trx: Db,
  transactions: readonly PayoutTransaction[],
): Promise<void> {
  const day = siteDay(app.clock.now(), app.host.site().timeZone);
  await app.outbox.enqueueAgain(
    trx,
    transactions.flatMap((transaction) => mailOf(transaction, day)),
    DELAY_MS,
  );
}

/** Set back: a mail that has not gone out is called off; another mark queues it again. */
export async function callOffPaidMails(app: Needs, trx: Db, transaction: PayoutTransaction): Promise<void> {
  const day = siteDay(app.clock.now(), app.host.site().timeZone);
  // marked shortly before midnight, set back after it
  await app.outbox.callOff(trx, [...mailOf(transaction, day), ...mailOf(transaction, day - 1)]);
}

const mailOf = ({ id, payout_id, affiliate_id }: PayoutTransaction, day: number): Queued[] =>
  affiliate_id === null
    ? []
    : [
        {
          event: `transaction:${id}:paid:${day}`,
          recipient: `affiliate:${affiliate_id}`,
          kind: KIND,
          payload: { transaction_id: id, payout_id, affiliate_id },
        },
      ];
