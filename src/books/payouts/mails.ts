import { siteDay } from '../../core/dates.js';
import { MINUTE } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { Queued } from '../../program/outbox/types.js';
import type { Needs } from './needs.js';
import type { PayoutTransaction } from './types.js';

const KIND = 'payout_to_affiliate';
/** Time to correct a mark made by mistake before anybody gets a mail. */
const DELAY_MS = 5 * MINUTE;

/**
 * Queues the mail about a payment in the transaction that marks it as paid: at most one per payment and site
 * day, sent five minutes later if it is still paid. The sender finds affiliate, user and template by the
 * payload.
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

/**
 * The payment is no longer paid: a mail that was not sent is called off; marking it again queues it again.
 */
export async function callOffPaidMails(app: Needs, trx: Db, transaction: PayoutTransaction): Promise<void> {
  const day = siteDay(app.clock.now(), app.host.site().timeZone);
  // It may have been marked before midnight and set back after it.
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
