import { chunks } from '../../core/chunks.js';
import type { Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import { currencyChanging } from '../../program/settings/domain-events.js';
import type { Deps } from './deps.js';
import { CurrencyChange } from './currency.js';
import { findViolations } from './invariants.js';
import {
  addToCounters,
  affiliatesSince,
  claimsOf,
  countersOf,
  countedIn,
  insertEntry,
  lockAffiliates,
  moveEntries,
  moveUnpaid,
  newestEntry,
  copyItems,
  earningsOf,
  moveReferralEntries,
  sumItems,
  type Claim,
} from './repository.js';
import { INVARIANTS } from './invariants-table.js';
import { Recount } from './reconcile.js';
import {
  addTotals,
  countChange,
  countMoved,
  countStored,
  deleteTotals,
  uncount,
  type Which,
} from './totals-queries.js';
import type {
  CountedReferral,
  Finding,
  LedgerPost,
  ReferralStatus,
  Repair,
  SettleOrders,
  Violation,
} from './types.js';

/** The checks and repairs of the orders, a module above the ledger. */
export interface LedgerChecks {
  violations(): Promise<readonly Finding[]>;
  /** Settles a page of the orders that differ. */
  readonly reconcile: SettleOrders;
}

const NO_CHECKS: LedgerChecks = {
  violations: async () => [],
  reconcile: async () => ({ changed: [], after: null }),
};

/**
 * The affiliates' earnings: counters and an append-only list of why they changed, always written together.
 */
export class LedgerService {
  #checks: LedgerChecks = NO_CHECKS;
  readonly #recount: Recount;

  constructor(private readonly app: Deps) {
    this.#recount = new Recount(app, (after) => this.#checks.reconcile(after));
    app.operations.add(this.#recount.work);
    const currency = new CurrencyChange(app);
    app.operations.add(currency.work);
    app.settings.contribute({ currency });
    app.affiliates.addPart({
      refusal: async () => ((await currency.isUnderway()) ? 'currency_changing' : null),
      move: (trx, merging) => this.#moveEntries(trx, merging),
    });
    app.internal.on(currencyChanging, (trx, change) => currency.change(trx, change));
  }

  /** Adds the checks of a module above, which run with those of the ledger. */
  contribute(checks: LedgerChecks): void {
    this.#checks = checks;
  }

  /** Affiliates with entries after this one, by id. */
  async affiliatesSince(entryId: number, after: number, limit: number): Promise<number[]> {
    return affiliatesSince(this.app.db, { entryId, after, limit });
  }

  /** The id of the newest entry; 0 without any. */
  async newestEntry(): Promise<number> {
    return newestEntry(this.app.db);
  }

  /** Locks affiliate rows in ascending order; the first statement of every transaction that moves money. */
  async lock(trx: Db, ...affiliateIds: readonly (number | null)[]): Promise<void> {
    await lockAffiliates(
      trx,
      affiliateIds.filter((id) => id !== null),
    );
  }

  /**
   * Adds the deltas onto the affiliate's counters and appends the entry. Earnings count in the program
   * currency only; an entry in another currency is stored for its own sums (docs/reliability.md §2, I1, I14).
   */
  async post(trx: Db, input: LedgerPost): Promise<void> {
    const program = await this.#currency();
    const currency = input.currency ?? program;
    const entry = {
      affiliate_id: input.affiliateId,
      referral_id: input.referralId ?? null,
      payout_id: input.payoutId ?? null,
      transaction_id: input.transactionId ?? null,
      kind: input.kind,
      currency,
      total_delta_minor: input.totalDelta,
      unpaid_delta_minor: input.unpaidDelta,
      reason: input.reason ?? null,
      actor_id: this.#actor(),
      created_at: this.app.clock.now(),
    };
    const isMoved = input.totalDelta !== 0 || input.unpaidDelta !== 0;
    await trx.pipeline(
      () => this.#addToCounters(trx, input, { currency, program }),
      async () => isMoved && insertEntry(trx, entry),
    );
  }

  async #addToCounters(
    trx: Db,
    input: LedgerPost,
    { currency, program }: { readonly currency: string; readonly program: string },
  ): Promise<void> {
    const { affiliateId: id } = input;
    const earnings = { total: input.totalDelta, unpaid: input.unpaidDelta };
    const referrals = input.referralsDelta ?? 0;
    const isProgramCurrency = currency === program;
    const isMoved = earnings.total !== 0 || earnings.unpaid !== 0;
    if (referrals === 0 && !isMoved) return;
    if (isProgramCurrency && (await addToCounters(trx, id, { ...earnings, referrals }, program)) > 0) return;
    const counted = await countedIn(trx, id);
    if (counted === undefined) fail('affiliate_not_found');
    const isCounted = (counted ?? program) === currency;
    const deltas = { ...(isCounted ? earnings : { total: 0, unpaid: 0 }), referrals };
    if ((await addToCounters(trx, id, deltas)) === 0) fail('amount_overflow');
  }

  /** Counts a referral in the stored totals: a new one (no `before`), a changed or a deleted one (no `after`). */
  async count(trx: Db, before: CountedReferral | null, after: CountedReferral | null): Promise<void> {
    await countChange(trx, before, after);
  }

  /**
   * These referrals belong to the other affiliate from now on, with their entries, totals and earnings. `move`
   * changes their rows. The caller holds both locks.
   */
  async moveReferrals(
    trx: Db,
    { from, into }: AffiliateMerge,
    { referralIds, move }: { readonly referralIds: readonly number[]; readonly move: () => Promise<unknown> },
  ): Promise<void> {
    const currency = await this.#currency();
    const earned = await earningsOf(trx, referralIds, currency);
    for (const which of byIds(referralIds)) await uncount(trx, which);
    await move();
    for (const which of byIds(referralIds)) await countStored(trx, which);
    const booked = await moveReferralEntries(trx, { from, into }, { referralIds, currency });
    const { total, unpaid, referrals } = earned;
    await addToCounters(trx, from, { total: -total, unpaid: -unpaid, referrals: -referrals });
    if ((await addToCounters(trx, into, earned)) === 0) fail('amount_overflow');
    // Entries without a referral, such as those of a recount, belong to the account until it is removed.
    const rest = { total: total - booked.total, unpaid: unpaid - booked.unpaid };
    if (rest.total === 0 && rest.unpaid === 0) return;
    for (const [id, sign] of [
      [from, -1],
      [into, 1],
    ] as const)
      await insertEntry(trx, {
        affiliate_id: id,
        referral_id: null,
        payout_id: null,
        transaction_id: null,
        kind: 'adjusted',
        currency,
        total_delta_minor: sign * rest.total,
        unpaid_delta_minor: sign * rest.unpaid,
        reason: 'merge',
        actor_id: this.#actor(),
        created_at: this.app.clock.now(),
      });
  }

  /** Adds the totals of the merged account to those of the other one, which has its referrals now. */
  async moveTotals(trx: Db, merging: AffiliateMerge): Promise<void> {
    await addTotals(trx, merging);
    await deleteTotals(trx, [merging.from]);
  }

  /** Counts imported referrals, all of them new, in the stored totals. */
  async countNew(trx: Db, referralIds: readonly number[]): Promise<void> {
    for (const which of byIds(referralIds)) await countStored(trx, which);
  }

  /** Counts referrals that changed from one status to another. */
  async countMoved(
    trx: Db,
    referralIds: readonly number[],
    from: ReferralStatus,
    to: ReferralStatus,
  ): Promise<void> {
    for (const which of byIds(referralIds)) await countMoved(trx, which, from, to);
  }

  /** Removes the stored totals of an affiliate that is being deleted. */
  async forget(trx: Db, affiliateId: number): Promise<void> {
    await deleteTotals(trx, [affiliateId]);
  }

  /**
   * Referrals were claimed by a payout, and their items are stored: `paid` entries, unpaid earnings and totals
   * of their affiliates.
   */
  async postPaid(trx: Db, referralIds: readonly number[]): Promise<void> {
    await this.countMoved(trx, referralIds, 'unpaid', 'paid');
    await this.#postItems(trx, 'paid', referralIds);
  }

  /**
   * A payout is about to release these referrals: their amounts are owed again. Call it while their items
   * still exist; missing referrals were deleted with their affiliate.
   */
  async postReversed(trx: Db, referralIds: readonly number[]): Promise<void> {
    for (const { text, bindings } of byIds(referralIds))
      await countMoved(trx, { text: `${text} and status = 'paid'`, bindings }, 'paid', 'unpaid');
    await this.#postItems(trx, 'payment_reversed', referralIds);
  }

  async #postItems(
    trx: Db,
    kind: 'paid' | 'payment_reversed',
    referralIds: readonly number[],
  ): Promise<void> {
    const sums = await sumItems(trx, referralIds, await this.#currency());
    await moveUnpaid(trx, kind === 'paid' ? -1 : 1, sums);
    await copyItems(trx, kind, referralIds, { actor: this.#actor(), now: this.app.clock.now() });
  }

  /** The rows that break an invariant of the books, at most 100 per check; none if all is well. */
  async verify(): Promise<Violation[]> {
    if (await this.app.settings.isClosed()) fail('closed_for_wipe', { retryAfter: 5 });
    const merging = await this.app.affiliates.merger.merging();
    const found = [
      ...(await findViolations(this.app.db, await this.#currency(), merging)),
      ...(await this.#checks.violations()),
    ];
    return found.map((finding) => ({ ...finding, ...INVARIANTS[finding.invariant] }));
  }

  /**
   * Recounts every affiliate whose figures disagree, under its row lock, and reports what changed. It is done in
   * steps; 409 `recount_running` while another process does it.
   */
  reconcile(): Promise<Repair[]> {
    return this.#recount.run();
  }

  /** When a referral went into payouts, and out of them. */
  async claimsOf(referralId: number): Promise<readonly Claim[]> {
    return claimsOf(this.app.db, referralId);
  }

  /**
   * The entries of the merged account belong to the other one from now on, each with its kind and its day, and
   * the counters are added up.
   */
  async #moveEntries(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
    const { total, unpaid, referrals } = await countersOf(trx, from);
    await moveEntries(trx, { from, into });
    await addToCounters(trx, from, { total: -total, unpaid: -unpaid, referrals: -referrals });
    if ((await addToCounters(trx, into, { total, unpaid, referrals })) === 0) fail('amount_overflow');
  }

  async #currency(): Promise<string> {
    return (await this.app.settings.referralConfig()).currency;
  }

  #actor(): number | null {
    return this.app.context.current().user?.id ?? null;
  }
}

const CHUNK = 1000;

function* byIds(ids: readonly number[]): Generator<Which> {
  for (const chunk of chunks(ids, CHUNK)) {
    yield { text: `id in (${chunk.map(() => '?').join(', ')})`, bindings: chunk };
  }
}
