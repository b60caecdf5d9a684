import { toWire } from '../../core/money.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { OperationRunner } from '../../program/operations/contributions.js';
import type { Deps } from './deps.js';
import { refuseUnapproved } from './approval.js';
import { changedTransactions } from './changed-queries.js';
import { itemsOf } from './claim-queries.js';
import { payeeChanges } from './paid-to.js';
import { callOffPaidMails, queuePaidMails } from './mails.js';
import { refuseInFlight, readInFlight } from './in-flight-queries.js';
import { methodOf, profileDetails } from './methods.js';
import { dropPayee, freezePayees } from './payee-queries.js';
import * as store from './repository.js';
import { releaseSlice, appendReleased, appendUpdated } from './releasing.js';
import { paymentLines } from './payment-lines.js';
import type {
  LeftOut,
  PaymentLine,
  Payout,
  PayoutMethod,
  PayoutTransaction,
  TransactionStatus,
} from './types.js';
import { presentTransaction } from './presenter.js';
import { lockAmong, openAfter } from './undo-queries.js';

/** A payout with more open transactions is marked paid in steps; about this many each. */
const PAID_SIZE = 200;

type OpenTransaction = readonly [trx: Db, afterCommit: AfterCommit];

/** How far a payout was marked paid. */
interface PaidProgress extends Record<string, unknown> {
  readonly confirm: boolean;
  /** Every transaction up to this one was looked at. */
  readonly after_id: number;
  readonly paid: number;
  readonly left_count: number;
  readonly first_id: number;
  readonly last_id: number;
}

const UNPAID = { confirm: false, after_id: 0, paid: 0, left_count: 0, first_id: 0, last_id: 0 };

const counted = (
  paying: PaidProgress,
  paid: readonly PayoutTransaction[],
  leftOut: readonly LeftOut[],
): PaidProgress => ({
  ...paying,
  paid: paying.paid + paid.length,
  left_count: paying.left_count + leftOut.length,
  first_id: paying.first_id || (paid[0]?.id ?? 0),
  last_id: paid.at(-1)?.id ?? paying.last_id,
});

export interface MarkedPaid {
  readonly paid: number;
  readonly left_out: readonly LeftOut[];
  /** How many are open now. */
  readonly open: number;
}

/**
 * Changes of payout transactions: to paid and back, deletion, failure. Each is one database transaction; only
 * the request that wins a race fires hooks.
 */
export class TransactionChanges {
  constructor(private readonly app: Deps) {}

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
    refuseDraft(payout);
    await this.#refuseOwn(transaction.affiliate_id);
    if (transaction.status === status) return transaction;
    if (status === 'paid') await refuseUnapproved(this.app, payout);
    else this.#refusePaid(transaction);
    return this.app.transaction(async (trx, afterCommit) => {
      const now = this.app.clock.now();
      const from = transaction.status;
      if (status === 'paid' && !confirm) {
        await this.#refuseChanged(trx, transaction);
        if ((await payeeChanges(this.app, trx, [transaction])).size > 0) fail('payee_changed');
      }
      const moved = await store.moveTransactions(trx, payoutId, [transactionId], { from, to: status, now });
      const stored =
        (await store.findTransaction(trx, payoutId, transactionId)) ?? fail('transaction_not_found');
      if (moved === 0) return stored; // another request changed it first and fired the hooks
      await refuseInFlight(trx, transactionId, status);
      const counted = await store.recompute(trx, payoutId, now);
      await this.app.audit.write(trx, `payout_transaction.${status}`, ['payout_transaction', transactionId], {
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
   * Marks every open transaction of a payout as paid. Those without payment details, or whose commissions
   * changed, remain open. A large payout is marked in steps; with `later`, in the background.
   */
  async markAllPaid(
    payoutId: number,
    { confirm = false, later = false }: { readonly confirm?: boolean; readonly later?: boolean } = {},
  ): Promise<MarkedPaid> {
    const payout = (await store.findPayout(this.app.db, payoutId)) ?? fail('payout_not_found');
    refuseDraft(payout);
    await this.#refuseOwnAmong(payoutId);
    if (payout.status === 'processing') await refuseUnapproved(this.app, payout);
    const open = await store.countProcessing(this.app.db, payoutId);
    if (open <= PAID_SIZE)
      await this.app.transaction((...opened) => this.#payAtOnce(opened, payout, confirm));
    else await this.#payInSteps(payoutId, { confirm, total: open, later });
    const left = await openAfter(this.app.db, payoutId, 0, null);
    const leftOut = later ? [] : await this.#leftOut(this.app.db, left, confirm);
    return { paid: open - left.length, left_out: leftOut, open: left.length };
  }

  async #payAtOnce([trx, afterCommit]: OpenTransaction, payout: Payout, confirm: boolean): Promise<void> {
    const { paid, leftOut } = await this.#paySlice([trx, afterCommit], payout, {
      ...UNPAID,
      confirm,
      size: null,
    });
    if (paid.length > 0) await this.#auditPaid(trx, payout, counted({ ...UNPAID, confirm }, paid, leftOut));
  }

  async #payInSteps(
    payoutId: number,
    { confirm, total, later }: { confirm: boolean; total: number; later: boolean },
  ): Promise<void> {
    const details: PaidProgress = { ...UNPAID, confirm };
    await this.app.transaction((trx) =>
      this.app.operations.begin(trx, { kind: 'payout_paid', object_id: payoutId, done: 0, total, details }),
    );
    if (later) return this.app.operations.start('payout_paid', payoutId);
    await this.app.operations.take('payout_paid', payoutId);
    if (await this.app.operations.find('payout_paid', payoutId)) fail('payout_in_progress'); // elsewhere, or stopped
  }

  /** The engine's part: marks slices of the open transactions until it has looked at all. */
  get paidOperation(): OperationRunner {
    return {
      kind: 'payout_paid',
      lease: (id) => `payouts.paid:${id}`,
      size: PAID_SIZE,
      step: ({ work, size, commit }) =>
        commit(async (trx, afterCommit) => {
          const payout = (await store.findPayout(trx, work.object_id)) ?? fail('payout_not_found');
          const paying = work.details as PaidProgress; // as #payInSteps stored it
          const slice = await this.#paySlice([trx, afterCommit], payout, { ...paying, size });
          const details = counted(paying, slice.paid, slice.leftOut);
          if (slice.upTo === null) {
            await this.#auditPaid(trx, payout, details);
            return { done: 0, details, hasEnded: true };
          }
          return {
            done: slice.paid.length + slice.leftOut.length,
            details: { ...details, after_id: slice.upTo },
            hasEnded: false,
          };
        }),
    };
  }

  /** Marks open transactions after this one, with one recount; `upTo` is null when there are none. */
  async #paySlice(
    [trx, afterCommit]: OpenTransaction,
    { id: payoutId }: Payout,
    { after_id: afterId, confirm, size }: PaidProgress & { readonly size: number | null },
  ): Promise<{
    readonly paid: readonly PayoutTransaction[];
    readonly leftOut: readonly LeftOut[];
    readonly upTo: number | null;
  }> {
    const now = this.app.clock.now();
    const seen = await openAfter(trx, payoutId, afterId, size);
    const open = await lockAmong(
      trx,
      payoutId,
      seen.map(({ id }) => id),
    );
    const leftOut = await this.#leftOut(trx, open, confirm);
    const skipped = new Set(leftOut.map((each) => each.transaction_id));
    const paid = open
      .filter(({ id }) => !skipped.has(id))
      .map((transaction): PayoutTransaction => ({ ...transaction, status: 'paid', updated_at: now }));
    const upTo = seen.at(-1)?.id ?? null;
    if (paid.length === 0) return { paid, leftOut, upTo };
    const ids = paid.map(({ id }) => id);
    await store.moveTransactions(trx, payoutId, ids, { from: 'processing', to: 'paid', now });
    const after = await store.recompute(trx, payoutId, now);
    await this.#announce(trx, afterCommit, paid, after);
    return { paid, leftOut, upTo };
  }

  async #auditPaid(
    trx: Db,
    payout: Payout,
    { paid, left_count, first_id, last_id }: PaidProgress,
  ): Promise<void> {
    const after = (await store.findPayout(trx, payout.id)) ?? payout;
    await this.app.audit.write(trx, 'payout.marked_paid', ['payout', payout.id], {
      after: {
        transactions: paid,
        first_id,
        last_id,
        left_out: left_count,
        currency: payout.currency,
        total_amount_minor: after.total_amount_minor,
      },
    });
  }

  /**
   * The transactions that a bulk "paid" leaves open: the affiliate lacks payment details, or something
   * changed and was not confirmed.
   */
  async #leftOut(db: Db, open: readonly PayoutTransaction[], confirm: boolean): Promise<LeftOut[]> {
    const unpayable = await this.#withoutDetails(db, open);
    const ids = open.map(({ id }) => id);
    const sent = await readInFlight(db, ids);
    const changed = confirm ? new Map() : await changedTransactions(db, { ids });
    const moved = confirm ? new Set<number>() : await payeeChanges(this.app, db, open);
    return open.flatMap(({ id, affiliate_id, total_amount_minor: amount_minor }): LeftOut[] => {
      const left = { transaction_id: id, affiliate_id, amount_minor };
      if (sent.has(id)) return [{ ...left, code: 'payment_in_flight' }];
      if (unpayable.has(id)) return [{ ...left, code: 'missing_payment_details' }];
      if (moved.has(id)) return [{ ...left, code: 'payee_changed' }];
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
  async #withoutDetails(db: Db, open: readonly PayoutTransaction[]): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    for (const details of ['payment_email', 'bank_details'] as const) {
      const ids = open
        .filter(({ payout_method: key }) => profileDetails(methodOf(this.app, key) ?? {}) === details)
        .map(({ id }) => id);
      for (const id of await store.openWithoutDetails(db, ids, details)) found.add(id);
    }
    return found;
  }

  /** Pays an open transaction to where the affiliate wants the money now. */
  async takePayee(payoutId: number, transactionId: number): Promise<PayoutTransaction> {
    const { transaction } = await this.get(payoutId, transactionId);
    await this.#refuseOwn(transaction.affiliate_id);
    if (transaction.status === 'paid') fail('transaction_paid');
    return this.app.transaction(async (trx) => {
      await dropPayee(trx, transactionId);
      if (transaction.affiliate_id !== null) await freezePayees(trx, payoutId, [transaction.affiliate_id]);
      await this.app.audit.write(
        trx,
        'payout_transaction.payee_taken',
        ['payout_transaction', transactionId],
        { after: { payout_id: payoutId, affiliate_id: transaction.affiliate_id } },
      );
      return transaction;
    });
  }

  /** Unless `paidToo`, a transaction that is paid (also meanwhile) does not change. */
  async remove(
    payoutId: number,
    transactionId: number,
    { paidToo = this.app.options.payouts.allowDeletePaid }: { readonly paidToo?: boolean } = {},
  ): Promise<Payout> {
    const { payout, transaction } = await this.get(payoutId, transactionId);
    refuseDraft(payout);
    await this.#refuseOwn(transaction.affiliate_id);
    this.#refusePaid(transaction, paidToo);
    await this.app.hooks.doAction('payout/transaction/deleting', transaction, payout);
    return this.app.transaction((trx, afterCommit) =>
      this.#release(trx, afterCommit, { payoutId, transactionId, cause: null, paidToo }),
    );
  }

  /**
   * The payment failed: its referrals are owed again, and the reason is stored. For payout methods and host
   * code.
   */
  async fail(transactionId: number, cause: string): Promise<Payout> {
    const transaction =
      (await store.findTransactionById(this.app.db, transactionId)) ?? fail('transaction_not_found');
    const payout = (await store.findPayout(this.app.db, transaction.payout_id)) ?? fail('payout_not_found');
    refuseDraft(payout);
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
    await refuseInFlight(trx, transactionId, 'released');
    const items = await itemsOf(trx, [transactionId], null);
    await releaseSlice(this.app, { trx, afterCommit }, { payoutId, items });
    const counted = await store.recompute(trx, payoutId, now);
    const { payout } = counted;
    await this.app.audit.write(
      trx,
      cause === null ? 'payout_transaction.deleted' : 'payout_transaction.failed',
      ['payout_transaction', transactionId],
      {
        before: {
          payout_id: payoutId,
          affiliate_id: transaction.affiliate_id,
          status: transaction.status,
          total_amount_minor: transaction.total_amount_minor,
          currency: transaction.currency,
          referral_ids: items.map(({ id }) => id),
        },
        after: { payout_total_amount_minor: payout.total_amount_minor, ...(cause === null ? {} : { cause }) },
      },
    );
    await appendReleased(this.app, trx, [transaction], counted);
    afterCommit(() => this.app.hooks.doAction('payout/transaction/deleted', transactionId, payout));
    return payout;
  }

  /** Queues mails in the transaction; hooks and methods run after it. */
  async #announce(
    trx: Db,
    afterCommit: AfterCommit,
    transactions: readonly PayoutTransaction[],
    counted: store.PayoutChange,
  ): Promise<void> {
    const { payout } = counted;
    const paid = transactions.filter((transaction) => transaction.status === 'paid');
    await queuePaidMails(this.app, trx, paid);
    for (const transaction of transactions)
      if (transaction.status === 'processing') await callOffPaidMails(this.app, trx, transaction);
    await this.#appendTransactions(trx, transactions, counted);
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
    for (const key of new Set(paid.map(({ payout_method: method }) => method)))
      this.#acknowledge(
        afterCommit,
        methodOf(this.app, key),
        paid.filter(({ payout_method: method }) => method === key),
        payout,
      );
  }

  /** Their payees are read together. */
  #acknowledge(
    afterCommit: AfterCommit,
    method: PayoutMethod | undefined,
    paid: readonly PayoutTransaction[],
    payout: Payout,
  ): void {
    if (!method?.acknowledge) return;
    let reading: Promise<readonly PaymentLine[]> | undefined;
    const payee = async (at: number): Promise<PaymentLine> => {
      reading ??= paymentLines(this.app, paid, method.key);
      return (await reading)[at]!;
    };
    for (const [at, transaction] of paid.entries())
      afterCommit(async () => method.acknowledge?.(transaction, payout, await payee(at)));
  }

  async #appendTransactions(
    trx: Db,
    transactions: readonly PayoutTransaction[],
    counted: store.PayoutChange,
  ): Promise<void> {
    const type = (status: string): 'payout_transaction.paid' | 'payout_transaction.processing' =>
      status === 'paid' ? 'payout_transaction.paid' : 'payout_transaction.processing';
    for (const status of ['paid', 'processing']) {
      const moved = transactions.filter((transaction) => transaction.status === status);
      const previous = status === 'paid' ? 'processing' : 'paid';
      await this.app.eventLog.append(
        trx,
        type(status),
        ...moved.map((transaction) => {
          const data = presentTransaction(transaction);
          return { id: transaction.id, data, before: { ...data, status: previous } };
        }),
      );
    }
    await appendUpdated(this.app, trx, counted);
  }

  #refusePaid(transaction: PayoutTransaction, allowed = this.app.options.payouts.allowDeletePaid): void {
    if (transaction.status === 'paid' && !allowed) fail('transaction_paid');
  }

  async #refuseOwn(affiliateId: number | null): Promise<void> {
    if (affiliateId !== null && affiliateId === (await this.app.affiliates.ownForbidden()))
      fail('self_management_forbidden');
  }

  // Skipping the user's own payment would leave processing_count above 0, and the admin app would repeat its
  // call forever.
  async #refuseOwnAmong(payoutId: number): Promise<void> {
    const own = await this.app.affiliates.ownForbidden();
    if (own !== null && (await store.hasOpenTransaction(this.app.db, payoutId, own)))
      fail('self_management_forbidden');
  }
}

/** While a payout is being made, its transactions are not final. It never becomes a draft again. */
export function refuseDraft({ status }: Pick<Payout, 'status'>): void {
  if (status === 'draft') fail('payout_in_progress');
}
