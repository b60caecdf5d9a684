import { toWire } from '../../core/money.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { Needs } from './needs.js';
import { refuseUnapproved } from './approval.js';
import { changedTransactions } from './changed-queries.js';
import { releaseTransaction } from './claim-queries.js';
import { callOffPaidMails, queuePaidMails } from './mails.js';
import { methodOf } from './methods.js';
import * as store from './repository.js';
import type { LeftOut, Payout, PayoutTransaction, TransactionStatus } from './types.js';
import { presentPayout, presentTransaction } from './presenter.js';

const TELL_CHUNK = 1000;

interface Released {
  readonly transaction: PayoutTransaction;
  readonly counted: store.Recomputed;
  readonly referralIds: readonly number[];
}

/**
 * Changes of payout transactions: to paid and back, deletion, failure. Each is one database transaction; only
 * the request that wins a race fires hooks.
 */
export class TransactionChanges {
  constructor(private readonly app: Needs) {}

  async get(
    payoutId: number,
    transactionId: number,
  ): Promise<{ payout: Payout; transaction: PayoutTransaction }> {
    const payout = (await store.findPayout(this.app.db, payoutId)) ?? fail('payout_not_found');
    return {
      payout,
      transaction:
        (await store.findTransaction(this.app.db, payoutId, transactionId)) ?? fail('transaction_not_found'),
    };
  }

  async setStatus(
    payoutId: number,
    transactionId: number,
    { status, confirm }: { readonly status: TransactionStatus; readonly confirm: boolean },
  ): Promise<PayoutTransaction> {
    const { payout, transaction } = await this.get(payoutId, transactionId);
    await this.#refuseOwn(transaction.affiliate_id);
    if (transaction.status === status) return transaction;
    if (status === 'paid') await refuseUnapproved(this.app, payout);
    else this.#refusePaid(transaction);
    return this.app.transaction(async (trx, afterCommit) => {
      const now = this.app.clock.now();
      const from = transaction.status;
      if (status === 'paid' && !confirm) await this.#refuseChanged(trx, transaction);
      const moved = await store.moveTransactions(trx, payoutId, [transactionId], { from, to: status, now });
      const stored =
        (await store.findTransaction(trx, payoutId, transactionId)) ?? fail('transaction_not_found');
      if (moved === 0) return stored; // another request changed it first and fired the hooks
      const counted = await store.recompute(trx, payoutId, now);
      await this.app.audit.write(trx, {
        action: `payout_transaction.${status}`,
        object_type: 'payout_transaction',
        object_id: transactionId,
        before: { status: from },
        after: {
          status,
          total_amount_minor: stored.total_amount_minor,
          currency: stored.currency,
          payout_id: payoutId,
        },
      });
      await this.#announce(trx, afterCommit, [stored], counted);
      return stored;
    });
  }

  /**
   * Marks every open transaction of a payout as paid, with one recount. Those without payment details, or
   * whose commissions changed, stay open.
   */
  async markAllPaid(
    payoutId: number,
    confirm: boolean,
  ): Promise<{ readonly paid: number; readonly left_out: readonly LeftOut[] }> {
    const payout = (await store.findPayout(this.app.db, payoutId)) ?? fail('payout_not_found');
    await this.#refuseOwnAmong(payoutId);
    if (payout.status === 'processing') await refuseUnapproved(this.app, payout);
    return this.app.transaction(async (trx, afterCommit) => {
      const now = this.app.clock.now();
      const open = (await store.lockTransactions(trx, payoutId)).filter(
        (transaction) => transaction.status === 'processing',
      );
      const leftOut = await this.#leftOut(trx, payoutId, open, confirm);
      const waiting = new Set(leftOut.map((each) => each.transaction_id));
      const paid = open.filter(({ id }) => !waiting.has(id));
      if (paid.length === 0) return { paid: 0, left_out: leftOut };
      const ids = paid.map(({ id }) => id);
      await store.moveTransactions(trx, payoutId, ids, { from: 'processing', to: 'paid', now });
      const counted = await store.recompute(trx, payoutId, now);
      await this.app.audit.write(trx, {
        action: 'payout.marked_paid',
        object_type: 'payout',
        object_id: payoutId,
        after: {
          transactions: ids,
          left_out: [...waiting],
          currency: payout.currency,
          total_amount_minor: counted.payout.total_amount_minor,
        },
      });
      await this.#announce(
        trx,
        afterCommit,
        paid.map((transaction) => ({ ...transaction, status: 'paid', updated_at: now })),
        counted,
      );
      return { paid: paid.length, left_out: leftOut };
    });
  }

  /**
   * The transactions that a bulk "paid" leaves open: the affiliate lacks payment details, or something
   * changed and nobody confirmed it.
   */
  async #leftOut(
    trx: Db,
    payoutId: number,
    open: readonly PayoutTransaction[],
    confirm: boolean,
  ): Promise<LeftOut[]> {
    const unpayable = await this.#withoutDetails(trx, payoutId, open);
    const changed = confirm ? new Map() : await changedTransactions(trx, { payoutId });
    return open.flatMap(({ id, affiliate_id, total_amount_minor: amount_minor }): LeftOut[] => {
      const left = { transaction_id: id, affiliate_id, amount_minor };
      if (unpayable.has(id)) return [{ ...left, code: 'missing_payment_details' }];
      return changed.has(id) ? [{ ...left, code: 'commissions_changed' }] : [];
    });
  }

  /** Less is due than was claimed, or something holds it: a person has to confirm the payment. */
  async #refuseChanged(trx: Db, { id, currency }: PayoutTransaction): Promise<void> {
    const changed = (await changedTransactions(trx, { ids: [id] })).get(id);
    if (changed === undefined) return;
    fail('transaction_changed', {
      data: {
        changed_count: changed.changed_count,
        not_due_amount: toWire(changed.not_due_minor, currency ?? ''),
      },
    });
  }

  /** Ids of the transactions whose affiliate lacks the details their method needs. */
  async #withoutDetails(
    trx: Db,
    payoutId: number,
    open: readonly PayoutTransaction[],
  ): Promise<ReadonlySet<number>> {
    const keys = [...new Set(open.map(({ payout_method: key }) => key))];
    const found = new Set<number>();
    for (const details of ['payment_email', 'bank_details'] as const) {
      const methods = keys.filter((key) => methodOf(this.app, key)?.details === details);
      for (const id of await store.openWithoutDetails(trx, payoutId, methods, details)) found.add(id);
    }
    return found;
  }

  /** Unless `paidToo`, a transaction that is paid (also meanwhile) stays. */
  async remove(
    payoutId: number,
    transactionId: number,
    { paidToo = this.app.options.payouts.allowDeletePaid }: { readonly paidToo?: boolean } = {},
  ): Promise<Payout> {
    const { payout, transaction } = await this.get(payoutId, transactionId);
    await this.#refuseOwn(transaction.affiliate_id);
    this.#refusePaid(transaction, paidToo);
    await this.app.hooks.doAction('payout/transaction/deleting', transaction, payout);
    return this.app.transaction((trx, afterCommit) =>
      this.#release(trx, afterCommit, { payoutId, transactionId, cause: null, paidToo }),
    );
  }

  /**
   * The payment failed: its referrals are owed again, and the reason is kept. For payout methods and host
   * code.
   */
  async fail(transactionId: number, cause: string): Promise<Payout> {
    const transaction =
      (await store.findTransactionById(this.app.db, transactionId)) ?? fail('transaction_not_found');
    const payout = (await store.findPayout(this.app.db, transaction.payout_id)) ?? fail('payout_not_found');
    await this.app.hooks.doAction('payout/transaction/deleting', transaction, payout);
    return this.app.transaction((trx, afterCommit) => {
      afterCommit(() => methodOf(this.app, transaction.payout_method)?.fail?.(transaction, cause));
      return this.#release(trx, afterCommit, {
        payoutId: payout.id,
        transactionId,
        cause: cause.slice(0, 500),
        paidToo: true,
      });
    });
  }

  async #release(
    trx: Db,
    afterCommit: AfterCommit,
    which: { payoutId: number; transactionId: number; cause: string | null; paidToo: boolean },
  ): Promise<Payout> {
    const { payoutId, transactionId, cause, paidToo } = which;
    const now = this.app.clock.now();
    const seen = (await store.findTransaction(trx, payoutId, transactionId)) ?? fail('transaction_not_found');
    // affiliates before transactions (docs/reliability.md §3.1)
    await this.app.ledger.lock(trx, seen.affiliate_id);
    const transaction =
      (await store.lockTransaction(trx, payoutId, transactionId)) ?? fail('transaction_not_found');
    this.#refusePaid(transaction, paidToo);
    const referralIds = await store.referralIdsOf(trx, transactionId);
    await this.app.ledger.postReversed(trx, transactionId);
    await releaseTransaction(trx, transactionId, now);
    await this.app.orders.released(trx, afterCommit, referralIds);
    const counted = await store.recompute(trx, payoutId, now);
    const { payout } = counted;
    await this.app.audit.write(trx, {
      action: cause === null ? 'payout_transaction.deleted' : 'payout_transaction.failed',
      object_type: 'payout_transaction',
      object_id: transactionId,
      before: {
        payout_id: payoutId,
        affiliate_id: transaction.affiliate_id,
        status: transaction.status,
        total_amount_minor: transaction.total_amount_minor,
        currency: transaction.currency,
        referral_ids: referralIds,
      },
      after: { payout_total_amount_minor: payout.total_amount_minor, ...(cause === null ? {} : { cause }) },
    });
    await this.#tellReleased(trx, { transaction, counted, referralIds });
    afterCommit(() => this.app.hooks.doAction('payout/transaction/deleted', transactionId, payout));
    return payout;
  }

  /** Queues mails in the transaction; hooks and methods run after it. */
  async #announce(
    trx: Db,
    afterCommit: AfterCommit,
    transactions: readonly PayoutTransaction[],
    counted: store.Recomputed,
  ): Promise<void> {
    const { payout } = counted;
    const paid = transactions.filter((transaction) => transaction.status === 'paid');
    await queuePaidMails(this.app, trx, paid);
    for (const transaction of transactions)
      if (transaction.status === 'processing') await callOffPaidMails(this.app, trx, transaction);
    await this.#tell(trx, transactions, counted);
    afterCommit(async () => {
      for (const transaction of transactions) {
        const { status } = transaction;
        await this.app.hooks.doAction(
          status === 'paid'
            ? 'payout/transaction/transaction_updated_to_paid'
            : 'payout/transaction/transaction_updated_to_processing',
          transaction,
          payout,
        );
      }
    });
    for (const transaction of paid) {
      const method = methodOf(this.app, transaction.payout_method);
      if (method?.acknowledge) afterCommit(() => method.acknowledge?.(transaction, payout));
    }
  }

  async #tell(trx: Db, transactions: readonly PayoutTransaction[], counted: store.Recomputed): Promise<void> {
    const type = (status: string): 'payout_transaction.paid' | 'payout_transaction.processing' =>
      status === 'paid' ? 'payout_transaction.paid' : 'payout_transaction.processing';
    for (const status of ['paid', 'processing']) {
      const told = transactions.filter((transaction) => transaction.status === status);
      const previous = status === 'paid' ? 'processing' : 'paid';
      await this.app.eventLog.tell(
        trx,
        type(status),
        ...told.map((transaction) => {
          const data = presentTransaction(transaction);
          return { id: transaction.id, data, before: { ...data, status: previous } };
        }),
      );
    }
    await this.#tellCounted(trx, counted);
  }

  #tellCounted(trx: Db, { before, payout }: store.Recomputed): Promise<void> {
    const [data, was] = [presentPayout(payout), presentPayout(before)];
    return this.app.eventLog.tell(trx, 'payout.updated', { id: payout.id, data, before: was });
  }

  /** Tells that a payment was taken back and its referrals are owed again. */
  async #tellReleased(trx: Db, { transaction, counted, referralIds }: Released): Promise<void> {
    const { payout } = counted;
    const data = presentTransaction(transaction);
    await this.app.eventLog.tell(trx, 'payout_transaction.deleted', { id: transaction.id, data });
    await this.#tellCounted(trx, counted);
    const previous = { status: 'paid', payout_id: payout.id, payout_transaction_id: transaction.id };
    for (let at = 0; at < referralIds.length; at += TELL_CHUNK) {
      const ids = referralIds.slice(at, at + TELL_CHUNK);
      await this.app.eventLog.tellRows(trx, 'referral.status_changed', {
        table: 'referrals',
        columns: this.app.referrals.columns,
        where: `id in (${ids.map(() => '?').join(', ')})`,
        bindings: ids,
        previous,
      });
    }
  }

  #refusePaid(transaction: PayoutTransaction, allowed = this.app.options.payouts.allowDeletePaid): void {
    if (transaction.status === 'paid' && !allowed) fail('transaction_paid');
  }

  async #refuseOwn(affiliateId: number | null): Promise<void> {
    if (affiliateId !== null && affiliateId === (await this.app.affiliates.ownForbidden()))
      fail('self_management_forbidden');
  }

  // Leaving out the user's own payment would keep processing_count above 0, and the admin app would repeat
  // its call for ever.
  async #refuseOwnAmong(payoutId: number): Promise<void> {
    const own = await this.app.affiliates.ownForbidden();
    if (own !== null && (await store.hasOpenTransaction(this.app.db, payoutId, own)))
      fail('self_management_forbidden');
  }
}
