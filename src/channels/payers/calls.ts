import { DAY, HOUR, MINUTE } from '../../core/duration.js';
import { isMap } from '../../core/is-map.js';
import type { Db } from '../../platform/database/db.js';
import type { PayoutMethod, SendResponse, Sending as Sent } from '../../accounting/payouts/types.js';
import { keyDaysOf, timeoutOf, within } from './method-facts.js';
import type { Deps } from './deps.js';
import type { Payers } from './registry.js';
import * as store from './repository.js';
import type { Sending } from './sending.js';
import { nextAsk, type Truths } from './truth.js';
import type { Attempt, Batch } from './types.js';

const PART = 50;
/** Time to write the answer down before another process may repeat the call. */
const GRACE_MS = 5000;
const SLOWEST_MS = HOUR;

/** Calls payers: always with the same key and the same payments, until one call is answered. */
export class Calls {
  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly payers: Payers; readonly sending: Sending; readonly truths: Truths },
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
    const batch = await this.#claim(seen, method);
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

  async #claim(batch: Batch, method: PayoutMethod): Promise<Batch | null> {
    return this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      const until = now + timeoutOf(method) + GRACE_MS;
      if (!(await store.claimBatch(trx, batch.id, { now, until }))) return null;
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
        const said = byKey.get(key);
        const attempt = await store.lockAttempt(trx, id);
        if (attempt === null || (attempt.state !== 'prepared' && attempt.state !== 'unknown')) continue;
        if (said === undefined) open += 1;
        else await this.#answered(trx, attempt, said, method);
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
    await this.parts.truths.book();
  }

  async #answered(trx: Db, attempt: Attempt, said: SendResponse, method: PayoutMethod): Promise<void> {
    if (said.status === 'refused') {
      const { code, message, again = false } = said;
      return this.parts.truths.refuse(trx, attempt, { code, message, again });
    }
    const now = this.app.clock.now();
    await store.updateAttempt(trx, attempt.id, {
      state: 'submitted',
      ...(said.ref === undefined ? {} : { ref: said.ref.slice(0, 191) }),
      ...(said.fee === undefined || attempt.fee_by === 'affiliate'
        ? {}
        : { fee_minor: said.fee.amount_minor, fee_currency: said.fee.currency }),
      next_at: said.state === undefined ? nextAsk('submitted', attempt, now) : now,
      updated_at: now,
    });
    // a payer that cannot be asked later says all it knows now
    if (said.state !== undefined && method.fetch === undefined)
      await this.parts.truths.apply(attempt.id, {
        key: said.key,
        ref: said.ref ?? null,
        state: said.state,
        at: now,
        ...(said.fee && { fee: said.fee }),
      });
  }

  /** Only the payer, or a person, can say what became of these payments. */
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

/** A method's answer is checked like input; one that cannot be read says nothing about the payments. */
function checked(response: unknown): Sent {
  const payments = isMap(response) ? response['payments'] : undefined;
  if (!Array.isArray(payments) || !payments.every(isAnswer))
    throw new TypeError('send() must answer what became of each payment.');
  const { ref } = response as Sent;
  return { payments, ...(typeof ref === 'string' && { ref }) };
}

const isAnswer = (said: unknown): said is SendResponse =>
  isMap(said) &&
  typeof said['key'] === 'string' &&
  (said['status'] === 'submitted'
    ? said['ref'] === undefined || typeof said['ref'] === 'string'
    : said['status'] === 'refused' &&
      typeof said['code'] === 'string' &&
      typeof said['message'] === 'string');
