import { MINUTE, HOUR, DAY } from '../../core/duration.js';
import { cleanText } from '../../core/text.js';
import { AffiliateError } from '../../errors.js';
import type { Db } from '../../platform/database/db.js';
import type { PaymentTruth, ReportedState } from '../../accounting/payouts/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { Attempt } from './record.js';
import type { FindingKind, PaymentState } from './types.js';

const BOOK_PART = 100;
const FOLLOWED_MS = 90 * DAY;
const SLOWEST_MS = 6 * HOUR;
const NEVER: readonly PaymentState[] = ['failed', 'returned', 'canceled'];
/** A payment only moves to the right; from the last column it does not move. */
const RANK: Readonly<Record<PaymentState, number>> = {
  prepared: 0,
  unknown: 0,
  submitted: 1,
  processing: 2,
  unclaimed: 3,
  held: 3,
  paid: 4,
  failed: 5,
  returned: 5,
  canceled: 5,
};

/** The state after the payer's report; the same without news (docs/payout-methods.md §2). */
export function nextState(from: PaymentState, reported: ReportedState): PaymentState {
  if (NEVER.includes(from)) return from;
  if (from === 'paid') return NEVER.includes(reported) ? 'returned' : 'paid';
  return RANK[reported] >= RANK[from] ? reported : from;
}

/** When the payer is asked next: soon after sending, then less often; a paid one for 90 days, as it may come back. */
export function nextAsk(
  state: PaymentState,
  { checks, created_at: sent }: Attempt,
  now: number,
): number | null {
  if (NEVER.includes(state)) return null;
  if (state === 'paid') return now - sent > FOLLOWED_MS ? null : now + Math.max(DAY, now - sent);
  return now + Math.min(SLOWEST_MS, MINUTE * 2 ** Math.min(checks, 9));
}

/** Applies a payer's report on payments, and updates the books. */
export class PaymentStatusUpdates {
  constructor(private readonly app: Deps) {}

  /** Late, repeated and reordered reports change nothing. */
  async apply(attemptId: number, truth: PaymentTruth): Promise<void> {
    await this.app.transaction(async (trx) => {
      const attempt = await store.lockAttempt(trx, attemptId);
      if (attempt === null) return;
      const now = this.app.clock.now();
      const isOld = attempt.payer_at !== null && truth.at < attempt.payer_at;
      const state = isOld ? attempt.state : nextState(attempt.state, truth.state);
      await this.#remark(trx, attempt, truth);
      await store.updateAttempt(trx, attemptId, {
        ...factsOfReport(truth, attempt),
        ...(isOld ? {} : { payer_at: truth.at, until_at: truth.until ?? null }),
        checks: attempt.checks + 1,
        next_at: nextAsk(state, attempt, now),
        updated_at: now,
      });
      if (state !== attempt.state)
        await this.#move(trx, attempt, state, {
          ...truth,
          stays: truth.again === true && attempt.state !== 'paid',
        });
    });
  }

  /** A payment that the payer refused when it was sent. */
  async refuse(
    trx: Db,
    attempt: Attempt,
    refusal: { code: string; message: string; again: boolean },
  ): Promise<void> {
    const { code, message, again } = refusal;
    await this.#move(trx, attempt, 'failed', { code, message, stays: again });
  }

  /** A person enters the result of a payment that the payer no longer knows. */
  async settle(attemptId: number, as: 'paid' | 'failed', note: string): Promise<void> {
    await this.app.transaction(async (trx) => {
      const attempt = await store.lockAttempt(trx, attemptId);
      if (attempt === null || !store.isOpen(attempt.state)) return;
      // the payer did not refuse the details, so they are still usable
      await this.#move(trx, attempt, as, { code: 'settled', message: note, stays: as === 'failed' });
    });
  }

  async #move(
    trx: Db,
    attempt: Attempt,
    state: PaymentState,
    {
      code,
      message,
      stays = false,
    }: { readonly code?: string; readonly message?: string; readonly stays?: boolean },
  ): Promise<void> {
    const now = this.app.clock.now();
    const ended = RANK[state] >= RANK.paid;
    const toBook = ended && !attempt.sandbox && !stays;
    await store.updateAttempt(trx, attempt.id, {
      state,
      ...reasonOf({ code, message }),
      ...(ended ? { booked: toBook ? 0 : 1, next_at: nextAsk(state, attempt, now) } : {}),
      updated_at: now,
    });
    if (!ended) return;
    await this.app.audit.write(trx, `payment.${state}`, ['payout_transaction', attempt.transaction_id], {
      before: { state: attempt.state },
      after: {
        state,
        attempt_id: attempt.id,
        method: attempt.method,
        amount_minor: attempt.sent_minor,
        currency: attempt.currency,
        ...reasonOf({ code }),
      },
    });
    if (toBook && state !== 'paid') await this.#comesBack(trx, attempt, message ?? null);
  }

  /** The affiliate has to look at the details, and gets a mail. */
  async #comesBack(trx: Db, attempt: Attempt, message: string | null): Promise<void> {
    if (attempt.affiliate_id === null) return;
    const now = this.app.clock.now();
    await store.storeVerdict(
      trx,
      {
        affiliate_id: attempt.affiliate_id,
        method: attempt.method,
        mark: attempt.details_mark,
        state: 'check',
        reason: message === null ? null : textOf(message),
      },
      now,
    );
    await this.app.outbox.enqueue(trx, [
      {
        event: `payment:${attempt.id}:back`,
        recipient: `affiliate:${attempt.affiliate_id}`,
        kind: 'payment_failed',
        payload: { attempt_id: attempt.id, affiliate_id: attempt.affiliate_id, payout_id: attempt.payout_id },
      },
    ]);
  }

  async #remark(trx: Db, attempt: Attempt, truth: PaymentTruth): Promise<void> {
    if (truth.amount_minor !== undefined && truth.amount_minor !== attempt.sent_minor)
      await this.find(trx, 'amount_differs', attempt, truth.amount_minor);
    if (truth.currency !== undefined && truth.currency !== attempt.currency)
      await this.find(trx, 'amount_differs', attempt, truth.amount_minor ?? null);
    if (truth.state === 'paid' && NEVER.includes(attempt.state) && (attempt.payer_at ?? 0) < truth.at)
      await this.find(trx, 'paid_after_end', attempt, truth.amount_minor ?? null);
  }

  async find(db: Db, kind: FindingKind, attempt: Attempt, found: number | null): Promise<void> {
    await store.insertFinding(db, {
      finding_key: `${kind}:${attempt.id}`,
      kind,
      method: attempt.method,
      payout_id: attempt.payout_id,
      attempt_id: attempt.id,
      ref: attempt.ref,
      amount_minor: attempt.sent_minor,
      found_minor: found,
      currency: attempt.currency,
      created_at: this.app.clock.now(),
    });
  }

  /** Brings the books to the states of ended payments: paid, or owed again. A crash in between repeats it. */
  async book(): Promise<void> {
    for (let afterId = 0; ;) {
      const part = await store.unbooked(this.app.db, afterId, BOOK_PART);
      for (const attempt of part) await this.#bookOne(attempt);
      if (part.length < BOOK_PART) return;
      afterId = part.at(-1)!.id;
    }
  }

  async #bookOne(attempt: Attempt): Promise<void> {
    try {
      await this.#asProgram(() => this.#bookEnd(attempt));
      await this.app
        .db('payout_attempts')
        .where({ id: attempt.id, state: attempt.state })
        .update({ booked: 1, updated_at: this.app.clock.now() });
    } catch (error) {
      this.app.log.error('the outcome of a payment could not be booked', { attempt: attempt.id, error });
    }
  }

  async #bookEnd(attempt: Attempt): Promise<void> {
    const { payout_id, transaction_id, state, code, message } = attempt;
    const cause = [code, message].filter((part) => part !== null && part !== '').join(': ') || state;
    try {
      if (state === 'paid')
        await this.app.payouts.setTransactionStatus(payout_id, transaction_id, 'paid', { confirm: true });
      else await this.app.payouts.changes.fail(transaction_id, cause);
    } catch (error) {
      if (!(error instanceof AffiliateError) || !GONE.has(error.code)) throw error;
      // released before, by us or by the books of an earlier try
      if (state === 'paid' && (await this.#isStill('paid', attempt.id)))
        await this.find(this.app.db, 'transaction_gone', attempt, null);
    }
  }

  /** Another process may have learned that a paid payment came back, and released it. */
  async #isStill(state: PaymentState, id: number): Promise<boolean> {
    return (await store.findAttempt(this.app.db, id))?.state === state;
  }

  /** The payer has decided; neither a user's rights nor a browser are involved. */
  #asProgram<T>(work: () => Promise<T>): Promise<T> {
    const { requestId } = this.app.context.current();
    return this.app.context.run({ user: null, requestId, source: 'job' }, work);
  }
}

const GONE: ReadonlySet<string> = new Set(['transaction_not_found', 'payout_not_found']);

/** A payer's words, cut to what the columns hold. */
const reasonOf = (report: {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}): { readonly code?: string; readonly message?: string } => ({
  ...(report.code !== undefined && { code: wordOf(report.code) }),
  ...(report.message !== undefined && { message: textOf(report.message) }),
});
const wordOf = (code: string): string => cleanText(code).slice(0, 60);
const textOf = (message: string): string =>
  Array.from(cleanText(message)).slice(0, 250).join('').slice(0, 255);

function factsOfReport(truth: PaymentTruth, attempt: Attempt): Record<string, string | number> {
  return {
    ...(attempt.ref === null && truth.ref !== null ? { ref: truth.ref.slice(0, 191) } : {}),
    ...(truth.fee === undefined || attempt.fee_by === 'affiliate'
      ? {}
      : { fee_minor: truth.fee.amount_minor, fee_currency: truth.fee.currency }),
  };
}
