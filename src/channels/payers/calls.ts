import { DAY, HOUR, MINUTE } from '../../core/duration.js';
import { isMap } from '../../core/is-map.js';
import type { Db } from '../../platform/database/db.js';
import type { PayoutMethod, SendResponse, Sending as Sent } from '../../accounting/payouts/types.js';
import { keyDaysOf, timeoutOf, within } from './method-facts.js';
import type { Deps } from './deps.js';
import type { Payers } from './registry.js';
import * as store from './repository.js';
import type { PaymentSender } from './sending.js';
import { nextAsk, type PaymentStatusUpdates } from './status-updates.js';
import type { Attempt, Batch } from './record.js';

const PART = 50;
/** Time to store the response before another process may repeat the call. */
const GRACE_MS = 5000;
const SLOWEST_MS = HOUR;

/** Calls payers: always with the same key and the same payments, until one call gets a response. */
export class PayerCalls {
  constructor(
    private readonly app: Deps,
    private readonly parts: {
      readonly payers: Payers;
      readonly sending: PaymentSender;
      readonly statusUpdates: PaymentStatusUpdates;
    },
  ) {}

  isDue(): Promise<boolean> {
    return store.isBatchDue(this.app.db, this.app.clock.now());
  }

  async run(): Promise<void> {
    for (;;) {
      const due = await store.dueBatches(this.app.db, this.app.clock.now(), PART);
      for (const id of due) await this.#call(id);
      if (due.length < PART) return;
    }
  }

  async #call(id: number): Promise<void> {
    const seen = await store.findBatch(this.app.db, id);
    if (seen === null) return;
    const method = await this.parts.payers.find(seen.method);
    if (!method?.send || (method.sandbox === true) !== seen.sandbox)
      return this.#wait(seen, 'not set up as it was');
    if (this.#isTooLate(seen, method)) return this.#giveUp(seen);
    const batch = await this.#lockBatch(seen, method);
    if (batch === null) return;
    const attempts = await store.attemptsOfBatch(this.app.db, id);
    if (attempts.length === 0) return this.#ended(batch.id, 'sent');
    let response: Sent;
    try {
      response = checked(
        await within(method, () =>
          method.send!(this.parts.sending.sentBatch(batch, attempts, batch.calls > 1)),
        ),
      );
    } catch (error) {
      return this.#unanswered(batch, error);
    }
    await this.#record(batch, attempts, response, method);
  }

  /** After this time the payer may have forgotten the key, so a repeat could pay twice. */
  #isTooLate({ called_at: first }: Batch, method: PayoutMethod): boolean {
    return first !== null && this.app.clock.now() > first + keyDaysOf(method) * DAY;
  }

  async #lockBatch(batch: Batch, method: PayoutMethod): Promise<Batch | null> {
    return this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      const until = now + timeoutOf(method) + GRACE_MS;
      if (!(await store.lockBatch(trx, batch.id, { now, until }))) return null;
      // an earlier call did not come back
      if (batch.calls > 0) await store.markUnknown(trx, batch.id, now);
      return store.findBatch(trx, batch.id);
    });
  }

  async #unanswered(batch: Batch, error: unknown): Promise<void> {
    this.app.log.warn('a payer did not respond', { method: batch.method, batch: batch.batch_key, error });
    await this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      await store.markUnknown(trx, batch.id, now);
      await store.updateBatch(trx, batch.id, {
        state: 'unknown',
        call_until: null,
        next_at: now + Math.min(SLOWEST_MS, MINUTE * 2 ** Math.min(batch.calls - 1, 6)),
        updated_at: now,
      });
    });
  }

  async #record(
    batch: Batch,
    attempts: readonly Attempt[],
    response: Sent,
    method: PayoutMethod,
  ): Promise<void> {
    const byKey = new Map(response.payments.map((payment) => [payment.key, payment]));
    await this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      let open = 0;
      for (const { id, attempt_key: key } of attempts) {
        const payment = byKey.get(key);
        const attempt = await store.lockAttempt(trx, id);
        if (attempt === null || (attempt.state !== 'prepared' && attempt.state !== 'unknown')) continue;
        if (payment === undefined) open += 1;
        else await this.#storeResponse(trx, attempt, payment, method);
      }
      if (open > 0) await store.markUnknown(trx, batch.id, now);
      await store.updateBatch(trx, batch.id, {
        state: open > 0 ? 'unknown' : 'sent',
        ref: response.ref === undefined ? batch.ref : response.ref.slice(0, 191),
        call_until: null,
        // a payer that only named the batch is called again at once
        next_at:
          open === 0 ? null : response.ref !== undefined && response.payments.length === 0 ? now : now + HOUR,
        updated_at: now,
      });
    });
    await this.parts.statusUpdates.book();
  }

  async #storeResponse(
    trx: Db,
    attempt: Attempt,
    payment: SendResponse,
    method: PayoutMethod,
  ): Promise<void> {
    if (payment.status === 'refused') {
      const { code, message, again = false } = payment;
      return this.parts.statusUpdates.refuse(trx, attempt, { code, message, again });
    }
    const now = this.app.clock.now();
    await store.updateAttempt(trx, attempt.id, {
      state: 'submitted',
      ...(payment.ref === undefined ? {} : { ref: payment.ref.slice(0, 191) }),
      ...(payment.fee === undefined || attempt.fee_by === 'affiliate'
        ? {}
        : { fee_minor: payment.fee.amount_minor, fee_currency: payment.fee.currency }),
      next_at: payment.state === undefined ? nextAsk('submitted', attempt, now) : now,
      updated_at: now,
    });
    // a payer without `fetch` reports everything in this response
    if (payment.state !== undefined && method.fetch === undefined)
      await this.parts.statusUpdates.apply(attempt.id, {
        key: payment.key,
        ref: payment.ref ?? null,
        state: payment.state,
        at: now,
        ...(payment.fee && { fee: payment.fee }),
      });
  }

  /** Only the payer, or a person, knows the result of these payments. */
  async #giveUp({ id }: Batch): Promise<void> {
    await this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      await store.markUnknown(trx, id, now);
      await trx('payout_attempts')
        .where({ batch_id: id, state: 'unknown' })
        .update({ next_at: now, updated_at: now });
    });
    await this.#ended(id, 'stuck');
  }

  async #wait({ id, method }: Batch, reason: string): Promise<void> {
    this.app.log.warn('payments are waiting because the configuration of their payer changed', {
      method,
      reason,
    });
    const now = this.app.clock.now();
    await store.updateBatch(this.app.db, id, { next_at: now + HOUR, updated_at: now });
  }

  #ended(id: number, state: 'sent' | 'stuck'): Promise<void> {
    const now = this.app.clock.now();
    return store.updateBatch(this.app.db, id, { state, call_until: null, next_at: null, updated_at: now });
  }
}

/** A method's response is checked like input; after an unreadable one, the payments are unknown. */
function checked(response: unknown): Sent {
  const payments = isMap(response) ? response['payments'] : undefined;
  if (!Array.isArray(payments) || !payments.every(isResponse))
    throw new TypeError('send() must return the result of each payment.');
  const { ref } = response as Sent;
  return { payments, ...(typeof ref === 'string' && { ref }) };
}

const isResponse = (payment: unknown): payment is SendResponse =>
  isMap(payment) &&
  typeof payment['key'] === 'string' &&
  (payment['status'] === 'submitted'
    ? payment['ref'] === undefined || typeof payment['ref'] === 'string'
    : payment['status'] === 'refused' &&
      typeof payment['code'] === 'string' &&
      typeof payment['message'] === 'string');
