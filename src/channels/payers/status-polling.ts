import { DAY } from '../../core/duration.js';
import { isMap } from '../../core/is-map.js';
import {
  PAYMENT_STATES,
  type PaymentRef,
  type PaymentTruth,
  type PayoutMethod,
} from '../../accounting/payouts/types.js';
import { within } from './method-facts.js';
import type { Deps } from './deps.js';
import type { Payers } from './registry.js';
import * as store from './repository.js';
import { nextAsk, type PaymentStatusUpdates } from './status-updates.js';
import type { Attempt } from './record.js';

const PART = 200;
/** A payment that was sent this long ago and is not known to the payer is a finding. */
const MISSING_MS = DAY;

/** Asks payers what became of payments. */
export class StatusPolling {
  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly payers: Payers; readonly statusUpdates: PaymentStatusUpdates },
  ) {}

  isDue(): Promise<boolean> {
    return store.isAttemptDue(this.app.db, this.app.clock.now());
  }

  async run(): Promise<void> {
    for (;;) {
      const due = await store.dueAttempts(this.app.db, this.app.clock.now(), PART);
      for (const [key, attempts] of byMethod(due)) await this.#ask(key, attempts);
      if (due.length < PART) break;
    }
    await this.parts.statusUpdates.book();
  }

  async #ask(key: string, attempts: readonly Attempt[]): Promise<void> {
    const method = await this.parts.payers.find(key);
    if (method && method.fetch === undefined) return this.#never(attempts);
    const asked = method?.fetch === undefined ? null : await this.known(method, attempts);
    for (const attempt of attempts) {
      const truth = asked?.get(attempt.id);
      if (truth === undefined) await this.#later(attempt, asked !== null);
      else await this.parts.statusUpdates.apply(attempt.id, truth);
    }
  }

  /** A method that cannot be asked. */
  async #never(attempts: readonly Attempt[]): Promise<void> {
    await this.app
      .db('payout_attempts')
      .whereIn(
        'id',
        attempts.map(({ id }) => id),
      )
      .update({ next_at: null });
  }

  /** What the payer knows of these payments; null when it does not respond. */
  async known(
    method: PayoutMethod,
    attempts: readonly Attempt[],
  ): Promise<ReadonlyMap<number, PaymentTruth> | null> {
    // a sandbox knows nothing of live payments, nor the other way round
    const own = attempts.filter(({ sandbox }) => sandbox === (method.sandbox === true));
    const batches = await store.batchesByIds(this.app.db, [...new Set(own.map(({ batch_id: id }) => id))]);
    const refs = own.map((attempt) => refOf(attempt, batches.get(attempt.batch_id)));
    try {
      const response: unknown = await within(method, () => method.fetch!(refs));
      if (!Array.isArray(response)) throw new TypeError('fetch() must return a list.');
      return matched(own, response.filter(isTruth));
    } catch (error) {
      this.app.log.warn('the status of payments could not be fetched', { method: method.key, error });
      return null;
    }
  }

  async #later(attempt: Attempt, isFound: boolean): Promise<void> {
    const now = this.app.clock.now();
    if (isFound && attempt.state !== 'unknown' && now - attempt.created_at > MISSING_MS)
      await this.parts.statusUpdates.find(this.app.db, 'missing_at_payer', attempt, null);
    const next = attempt.state === 'prepared' ? null : nextAsk(attempt.state, attempt, now);
    await this.app
      .db('payout_attempts')
      .where({ id: attempt.id, state: attempt.state })
      .update({ next_at: next, checks: attempt.checks + 1 });
  }
}

function byMethod(attempts: readonly Attempt[]): ReadonlyMap<string, readonly Attempt[]> {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of attempts)
    groups.set(attempt.method, [...(groups.get(attempt.method) ?? []), attempt]);
  return groups;
}

export const refOf = (
  { attempt_key: key, ref }: Attempt,
  batch: { readonly batch_key: string; readonly ref: string | null } | undefined,
): PaymentRef => ({ key, ref, batch: batch?.batch_key ?? '', batch_ref: batch?.ref ?? null });

/** By our key first, else by the payer's reference. */
export function matched(
  attempts: readonly Attempt[],
  statusUpdates: readonly PaymentTruth[],
): ReadonlyMap<number, PaymentTruth> {
  const byKey = new Map(statusUpdates.filter(({ key }) => key !== null).map((truth) => [truth.key, truth]));
  const byRef = new Map(statusUpdates.filter(({ ref }) => ref !== null).map((truth) => [truth.ref, truth]));
  const found = new Map<number, PaymentTruth>();
  for (const { id, attempt_key: key, ref } of attempts) {
    const truth = byKey.get(key) ?? (ref === null ? undefined : byRef.get(ref));
    if (truth !== undefined) found.set(id, truth);
  }
  return found;
}

export const isTruth = (reported: unknown): reported is PaymentTruth =>
  isMap(reported) &&
  (typeof reported['key'] === 'string' || typeof reported['ref'] === 'string') &&
  PAYMENT_STATES.some((state) => state === reported['state']) &&
  reported['state'] !== 'prepared' &&
  reported['state'] !== 'unknown' &&
  Number.isFinite(reported['at']);
