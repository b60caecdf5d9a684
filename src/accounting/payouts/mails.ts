import { siteDay } from '../../core/dates.js';
import { MINUTE } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { QueueEntry } from '../../program/outbox/types.js';
import { methodOf } from './methods.js';
import type { Deps } from './deps.js';
import { readPaidTo } from './paid-to.js';
import type { PaidTo, PayoutTransaction } from './types.js';

const KIND = 'payout_to_affiliate';
/** Time to correct a mark made by mistake before mails are sent. */
const DELAY_MS = 5 * MINUTE;

/**
 * Queues the mail about a payment in the transaction that marks it as paid: at most one per payment and site
 * day, sent five minutes later if it is still paid. It names the day and the payee of the payment, which may be
 * another one than the affiliate's of now.
 */
export async function queuePaidMails(
  app: Deps,
  trx: Db,
  transactions: readonly PayoutTransaction[],
): Promise<void> {
  const now = app.clock.now();
  const day = siteDay(now, app.host.site().timeZone);
  const affiliates = await app.affiliates.findMany(transactions.map((each) => each.affiliate_id));
  const paid = await readPaidTo(app, trx, transactions);
  await app.outbox.enqueueAgain(
    trx,
    transactions.flatMap((transaction, at) => {
      const affiliate = affiliates.get(transaction.affiliate_id ?? 0);
      const details = methodOf(app, transaction.payout_method)?.details;
      return mailOf(transaction, day, {
        paid_at: now,
        ...(affiliate && { paid_to: payeeText(paid[at]!, details === 'bank_details') }),
      });
    }),
    DELAY_MS,
  );
}

/**
 * The payment is no longer paid: a mail that was not sent is called off; marking it again queues it again.
 */
export async function callOffPaidMails(app: Deps, trx: Db, transaction: PayoutTransaction): Promise<void> {
  const day = siteDay(app.clock.now(), app.host.site().timeZone);
  // It may have been marked before midnight and set back after it.
  await app.outbox.callOff(trx, [...mailOf(transaction, day), ...mailOf(transaction, day - 1)]);
}

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/u;

/** Where the money went, for its owner: of a bank account the last four characters. */
function payeeText({ form, payment_email: email, bank_details: details }: PaidTo, byBank: boolean): string {
  if (form !== null) return form.label;
  if (!byBank) return email;
  const iban = IBAN.exec(details)?.[0];
  return iban === undefined ? '' : `•••• ${iban.slice(-4)}`;
}

const mailOf = (
  { id, payout_id, affiliate_id }: PayoutTransaction,
  day: number,
  then: { readonly paid_at?: number; readonly paid_to?: string } = {},
): QueueEntry[] =>
  affiliate_id === null
    ? []
    : [
        {
          event: `transaction:${id}:paid:${day}`,
          recipient: `affiliate:${affiliate_id}`,
          kind: KIND,
          payload: { transaction_id: id, payout_id, affiliate_id, ...then },
        },
      ];
