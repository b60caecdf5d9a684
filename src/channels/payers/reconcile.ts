import { DAY } from '../../core/duration.js';
import { isMap } from '../../core/is-map.js';
import type { PaymentTruth, PayoutMethod } from '../../accounting/payouts/types.js';
import { isTruth, type StatusPolling } from './status-polling.js';
import { within } from './method-facts.js';
import type { Deps } from './deps.js';
import type { Payers } from './registry.js';
import * as store from './repository.js';
import type { PaymentStatusUpdates } from './status-updates.js';
import type { Attempt } from './record.js';

const PART = 200;
const WATCHED_MS = 90 * DAY;
/** Payments may have to be sent again for as long as a payer remembers keys. */
const KEPT_MS = 60 * DAY;
const YOUNG_MS = 10 * 60_000;

export interface ReconciliationReport {
  readonly matched: number;
  readonly missing_at_payer: number;
  readonly unknown_to_us: number;
  readonly amount_differs: number;
  /** Payments whose payer did not respond, or is not set up. */
  readonly not_asked: number;
}

/** Compares our payments with those of the payer (docs/payout-methods.md §2). */
export class Reconciliation {
  constructor(
    private readonly app: Deps,
    private readonly parts: {
      readonly payers: Payers;
      readonly following: StatusPolling;
      readonly statusUpdates: PaymentStatusUpdates;
    },
  ) {}

  /** Every payout with payments of the last 90 days. */
  async all(): Promise<void> {
    await store.forgetSent(this.app.db, this.app.clock.now() - KEPT_MS);
    for (let afterId = 0; ;) {
      const since = this.app.clock.now() - WATCHED_MS;
      const payouts = await store.payoutsSentSince(this.app.db, since, afterId, PART);
      for (const id of payouts) await this.one(id);
      if (payouts.length < PART) return;
      afterId = payouts.at(-1)!;
    }
  }

  async one(payoutId: number): Promise<ReconciliationReport> {
    const sums = { matched: 0, missing_at_payer: 0, unknown_to_us: 0, amount_differs: 0, not_asked: 0 };
    for (let afterId = 0; ;) {
      const part = await store.attemptsAfter(this.app.db, payoutId, afterId, PART);
      for (const key of new Set(part.map(({ method }) => method)))
        await this.#compare(
          key,
          part.filter(({ method }) => method === key),
          sums,
        );
      if (part.length < PART) break;
      afterId = part.at(-1)!.id;
    }
    await this.#strangers(payoutId, sums);
    await this.parts.statusUpdates.book();
    return sums;
  }

  async #compare(
    key: string,
    attempts: readonly Attempt[],
    sums: { -readonly [K in keyof ReconciliationReport]: number },
  ): Promise<void> {
    const method = await this.parts.payers.find(key);
    // what was refused or not sent yet need not be known to the payer
    const asked = attempts.filter(({ state, ref, code }) =>
      state === 'failed' || state === 'canceled' ? ref !== null && code !== 'settled' : state !== 'prepared',
    );
    const known = method?.fetch === undefined ? null : await this.parts.following.known(method, asked);
    if (known === null) {
      sums.not_asked += asked.length;
      return;
    }
    const fine: number[] = [];
    for (const attempt of asked) {
      const truth = known.get(attempt.id);
      const finding = this.#findingOf(attempt, truth);
      if (finding === 'matched') fine.push(attempt.id);
      sums[finding] += 1;
      if (truth !== undefined) await this.parts.statusUpdates.apply(attempt.id, truth);
      else if (finding === 'missing_at_payer')
        await this.parts.statusUpdates.find(this.app.db, 'missing_at_payer', attempt, null);
    }
    await store.closeFindings(
      this.app.db,
      fine,
      ['missing_at_payer', 'amount_differs'],
      this.app.clock.now(),
    );
  }

  #findingOf(
    attempt: Attempt,
    truth: PaymentTruth | undefined,
  ): 'matched' | 'missing_at_payer' | 'amount_differs' | 'not_asked' {
    if (truth === undefined)
      return this.app.clock.now() - attempt.created_at < YOUNG_MS || attempt.state === 'unknown'
        ? 'not_asked'
        : 'missing_at_payer';
    const same =
      (truth.amount_minor ?? attempt.sent_minor) === attempt.sent_minor &&
      (truth.currency ?? attempt.currency) === attempt.currency;
    return same ? 'matched' : 'amount_differs';
  }

  /** Payments in our batches at the payer that we never made. */
  async #strangers(payoutId: number, sums: { unknown_to_us: number }): Promise<void> {
    for (let afterId = 0; ;) {
      const batches = await store.batchesOfPayout(this.app.db, payoutId, afterId, PART);
      for (const key of new Set(batches.map(({ method }) => method))) {
        const method = await this.parts.payers.find(key);
        if (method?.list === undefined) continue;
        const own = batches.filter(
          (batch) => batch.method === key && batch.calls > 0 && batch.sandbox === (method.sandbox === true),
        );
        sums.unknown_to_us += await this.#unknown(
          payoutId,
          method,
          own.map((batch) => ({ key: batch.batch_key, ref: batch.ref })),
        );
      }
      if (batches.length < PART) return;
      afterId = batches.at(-1)!.id;
    }
  }

  async #unknown(
    payoutId: number,
    method: PayoutMethod,
    batches: readonly { readonly key: string; readonly ref: string | null }[],
  ): Promise<number> {
    const listed = await this.#listed(method, batches);
    const keys = listed.flatMap(({ key }) => (key === null ? [] : [key]));
    const ours = new Set(
      (await store.attemptsByKeys(this.app.db, keys)).map((attempt) => attempt.attempt_key),
    );
    const strange = listed.filter(({ key }) => key === null || !ours.has(key));
    for (const truth of strange) {
      await store.insertFinding(this.app.db, {
        finding_key: `unknown_to_us:${method.key}:${truth.ref ?? truth.key}`.slice(0, 191),
        kind: 'unknown_to_us',
        method: method.key,
        payout_id: payoutId,
        attempt_id: null,
        ref: (truth.ref ?? truth.key)?.slice(0, 191) ?? null,
        amount_minor: null,
        found_minor: truth.amount_minor ?? null,
        currency: truth.currency?.slice(0, 3) ?? null,
        created_at: this.app.clock.now(),
      });
    }
    return strange.length;
  }

  async #listed(
    method: PayoutMethod,
    batches: readonly { readonly key: string; readonly ref: string | null }[],
  ): Promise<readonly PaymentTruth[]> {
    if (batches.length === 0) return [];
    try {
      const response: unknown = await within(method, () => method.list!(batches));
      return Array.isArray(response) ? response.filter((each) => isMap(each) && isTruth(each)) : [];
    } catch (error) {
      this.app.log.warn('a payer could not list its payments', { method: method.key, error });
      return [];
    }
  }
}
