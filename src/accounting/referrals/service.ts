import { cut, LINE } from '../../core/text.js';
import type { AfterCommit, Db, Row } from '../../platform/database/db.js';
import { fail, failFields } from '../../errors.js';
import type { ReferralDto, ReferralWithUrlDto } from '../api-schemas.js';
import { affiliateRemoving } from '../../program/affiliates/domain-events.js';
import type { AffiliateMerge, Slice, SliceAt } from '../../program/affiliates/types.js';
import type { BalanceCorrection } from '../ledger/types.js';
import type { Deps } from './deps.js';
import { ReferralWriter } from './writer.js';
import { NO_CONTRIBUTIONS, type ReferralContributions } from './contributions.js';
import { correctBalance } from './corrections.js';
import { referralRemoved, referralsRemoved } from './domain-events.js';
import { checkPatch, checkReferral, type CheckedPatch } from './input.js';
import { ReferralLists, staleBefore } from './lists.js';
import { presentForVisit, presentReferral } from './presenter.js';
import { metricsOf } from './metric-queries.js';
import { salesSince, staleSummary, type Sales } from './queries.js';
import { referrals as record } from './record.js';
import * as store from './repository.js';
import type { ReferralDetailsDto } from './schemas.js';
import type { VisitReferral } from '../visits/types.js';
import {
  GIVEN_AWAY,
  type Metrics,
  type NewReferral,
  type Referral,
  type ReferralChange,
  type ReferralInput,
  type ReferralPatch,
  type ReferralStatus,
  type SalesQuery,
} from './types.js';

const REASON_MAX = 191;

/** Commissions: those entered by hand are made here, those of orders by the conversions service. */
export class ReferralsService {
  /** Changes of rows and of the money they affect; used by conversions, connected sites and imports. */
  readonly writer: ReferralWriter;
  /** For lists, exports and answers. */
  readonly lists: ReferralLists;
  #contributions = NO_CONTRIBUTIONS;

  constructor(private readonly app: Deps) {
    this.writer = new ReferralWriter(app);
    this.lists = new ReferralLists(app, () => this.#contributions);
    app.visits.contribute({ referrals: (visitIds) => this.summaryByVisit(visitIds) });
    app.affiliates.addPart({
      counts: { name: 'referrals', of: store.countOfAffiliate },
      moveSlice: (trx, merging, at) => this.#moveSlice(trx, merging, at),
      move: async (trx, merging) => {
        await store.giveAllTo(trx, merging);
        await app.ledger.moveTotals(trx, merging);
      },
    });
    app.internal.on(affiliateRemoving, (_trx, { id }) => this.#deleteOfAffiliate(id));
  }

  /**
   * Moves these referrals of a merged account with their earnings. Their orders follow with the last step, because
   * limits per customer count the orders of one affiliate. The caller holds both locks.
   */
  async moveReferrals(trx: Db, merging: AffiliateMerge, referralIds: readonly number[]): Promise<void> {
    if (referralIds.length === 0) return;
    const move = (): Promise<void> => store.giveTo(trx, referralIds, merging.into);
    await this.app.ledger.moveReferrals(trx, merging, { referralIds, move });
  }

  /** Those in a payout move with their payment. */
  async #moveSlice(trx: Db, merging: AffiliateMerge, { afterId, limit }: SliceAt): Promise<Slice> {
    const ids = await store.unclaimedAfter(trx, merging.from, { afterId, limit });
    await this.moveReferrals(trx, merging, ids);
    return { moved: ids.length, afterId: ids.at(-1) ?? null };
  }

  contribute(parts: Partial<ReferralContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  async find(id: number): Promise<Referral | null> {
    return store.findReferral(this.app.db, id);
  }

  async get(id: number): Promise<Referral> {
    return (await this.find(id)) ?? fail('referral_not_found');
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Referral>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    return new Map(
      (await store.findReferrals(this.app.db, wanted)).map((referral) => [referral.id, referral]),
    );
  }

  async findByKey(dedupKey: string): Promise<Referral | null> {
    return store.findByDedupKey(this.app.db, dedupKey);
  }

  /** The first payment of a subscription, or null. */
  async firstOfSubscription(provider: string, subscription: string): Promise<Referral | null> {
    return store.firstOfSubscription(this.app.db, provider, subscription);
  }

  /** What an affiliate sold, since each of these times. */
  async salesSince(of: SalesQuery, since: readonly number[]): Promise<readonly Sales[]> {
    const { currency } = await this.app.settings.referralConfig();
    return salesSince(this.app.db, { ...of, currency }, since);
  }

  /** What affiliates brought between two instants, net of refunds, for goals and levels. */
  async metricsOf(
    affiliateIds: readonly number[],
    { from, until }: { readonly from: number; readonly until: number | null },
  ): Promise<ReadonlyMap<number, Metrics>> {
    const { currency } = await this.app.settings.referralConfig();
    return metricsOf(this.app.db, { affiliateIds, from, until, currency });
  }

  /** The bonuses of these affiliates, oldest first. */
  async bonusesOf(affiliateIds: readonly number[]): Promise<Referral[]> {
    return store.bonusesOf(this.app.db, affiliateIds);
  }

  /** Renewals and adjustments of a referral, oldest first. */
  async children(parentId: number, limit = 1000): Promise<Referral[]> {
    return store.findChildren(this.app.db, parentId, limit);
  }

  /** The adjustments of a commission that is part of a payout, oldest first. */
  async adjustments(referralId: number): Promise<Referral[]> {
    return store.findAdjustments(this.app.db, referralId);
  }

  /** The commissions that these adjustments belong to. */
  async parentsOfAdjustments(ids: readonly number[]): Promise<number[]> {
    return store.parentsOfAdjustments(this.app.db, ids);
  }

  /** The sum of the adjustments of each commission, in payouts and open; 0 without any. */
  async adjustedSums(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return store.adjustedSums(this.app.db, ids);
  }

  /** Those of these commissions that have adjustments. */
  async withAdjustments(ids: readonly number[]): Promise<number[]> {
    return store.withAdjustments(this.app.db, ids);
  }

  async staleSummary(): Promise<{ readonly count: number; readonly oldest: number | null }> {
    return staleSummary(this.app.db, await staleBefore(this.app));
  }

  /** The daily job: fires the hook about stale commissions. */
  async reportStale(): Promise<number> {
    const stale = await this.staleSummary();
    if (stale.count > 0) await this.app.hooks.doAction('referrals_stale', stale);
    return stale.count;
  }

  /** The columns of a stored row. */
  get columns(): readonly string[] {
    return record.columns;
  }

  /** The record of a stored row for events. */
  async dtoOfRow(row: Row): Promise<ReferralDto> {
    return presentReferral(record.fromRow(row), await this.#currency());
  }

  /** One referral for responses, with provider_url. */
  async present(referral: Referral): Promise<ReferralWithUrlDto> {
    return (await this.lists.present([referral]))[0]!;
  }

  /** Where the orders of these referrals are in the back offices of their shops, by id. */
  async providerUrls(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const found = [...(await this.findMany(ids)).values()];
    return new Map(
      await Promise.all(
        found.map(async (referral) => [referral.id, await this.lists.providerUrl(referral)] as const),
      ),
    );
  }

  /** `GET /referrals/{id}`: with visit, payout and customer. */
  async view(id: number): Promise<ReferralDetailsDto> {
    return this.lists.view(await this.get(id));
  }

  async create(input: ReferralInput): Promise<Referral> {
    const affiliate = await this.app.affiliates.find(toId(input.affiliate_id));
    const currency = await this.#currency();
    const row = checkReferral(input, currency, affiliate !== null);
    if (affiliate?.status !== 'active') fail('affiliate_inactive');
    await this.forbidOwn(affiliate.id);
    return this.app.sharedTransaction(String(affiliate.id), async (trx, afterCommit) => {
      const locked = await this.app.affiliates.lock(trx, row.affiliate_id);
      if (locked?.status !== 'active') fail('affiliate_inactive');
      const entry = { kind: 'earned', groupId: locked.group_id } as const;
      const insert = async (filled: NewReferral): Promise<Referral> =>
        (await this.writer.insert(trx, filled, entry)).referral;
      const { provider_id: reference } = row;
      const { orders } = this.#contributions;
      const entered = { ...row, currency, provider: row.provider ?? 'manual' };
      const referral =
        reference === null
          ? await insert(entered)
          : await orders.enter({ trx, afterCommit }, { row: entered, reference, insert });
      afterCommit(() => this.announce(referral));
      return referral;
    });
  }

  /**
   * Corrects what an affiliate is owed, with a reason; payouts add it in. Joins an open transaction. Errors:
   * `validation_failed`, `affiliate_not_found`, `amount_overflow`.
   */
  correct(affiliateId: number, correction: BalanceCorrection): Promise<Referral> {
    return correctBalance(this.app, this.writer, affiliateId, correction);
  }

  /** The commissions that these visits led to, as visits show them. */
  async summaryByVisit(visitIds: readonly number[]): Promise<ReadonlyMap<number, VisitReferral[]>> {
    if (visitIds.length === 0) return new Map();
    const currency = await this.#currency();
    const byVisit = new Map<number, VisitReferral[]>();
    for (const referral of await store.summaries(this.app.db, visitIds)) {
      const summary = presentForVisit(referral, currency);
      byVisit.set(summary.visit_id, [...(byVisit.get(summary.visit_id) ?? []), summary]);
    }
    return byVisit;
  }

  /** Fires the hooks of a new row: referral_recorded, then exactly one of the two older ones. */
  async announce(referral: Referral): Promise<void> {
    await this.app.hooks.doAction('referral_recorded', referral);
    await this.app.hooks.doAction(
      referral.status === 'unpaid' ? 'referral_marked_unpaid' : 'referral_created',
      referral,
    );
  }

  /** Fires the hooks of a change, from any source (docs/interface.md §7.3). */
  async announceChange(after: Referral, before: Referral): Promise<void> {
    if (after.status !== before.status)
      await this.app.hooks.doAction(`referral_marked_${after.status as 'unpaid'}`, after);
    else if (after.amount_minor !== before.amount_minor)
      await this.app.hooks.doAction('referral_commission_updated', after);
    await this.app.hooks.doAction('referral_updated', after, before);
  }

  /** Why a person rejected commissions, in words that the affiliate may read, by referral id. */
  async shownReasons(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return ids.length === 0 ? new Map() : this.#contributions.orders.shownReasons(ids);
  }

  async update(id: number, input: ReferralPatch): Promise<Referral> {
    const seen = await this.get(id);
    const currency = seen.currency ?? (await this.#currency());
    refuseLocked(seen);
    checkPatch(input, seen, currency);
    await this.forbidOwn(seen.affiliate_id);
    return this.app.sharedTransaction(String(seen.affiliate_id), async (trx, afterCommit) => {
      await this.app.ledger.lock(trx, seen.affiliate_id);
      const [locked, hasOrder] = await trx.pipeline(
        () => store.lockReferral(trx, id),
        () => this.#contributions.orders.has(id),
      );
      const before = locked ?? fail('referral_not_found');
      refuseLocked(before);
      const patch = await this.#news(before, checkPatch(input, before, currency));
      if (patch === null) return before;
      const reason = typeof input.reason === 'string' ? input.reason : null;
      const isShown = input.show_reason === true;
      const after = await this.#changed({ trx, afterCommit }, before, {
        ...patch,
        hasOrder,
        reason,
        isShown,
      });
      if (after !== before) afterCommit(() => this.announceChange(after, before));
      return after;
    });
  }

  /**
   * Forms send every field back, so a value that the row already has changes nothing; but a rejection after
   * an approval does.
   */
  async #news(before: Referral, patch: CheckedPatch): Promise<CheckedPatch | null> {
    const news = changes(before, patch);
    if (patch.status !== 'rejected' || before.status !== 'rejected') return news;
    const verdict = await this.#contributions.orders.lastVerdict(before.id);
    return verdict === 'approved' ? { ...news, status: 'rejected' } : news;
  }

  /**
   * A person's change of the amount or status of an order's commission is stored as a fact of the order;
   * everything else is changed in the row.
   */
  async #changed(
    writer: { readonly trx: Db; readonly afterCommit: AfterCommit },
    before: Referral,
    {
      reason,
      isShown,
      hasOrder,
      ...patch
    }: CheckedPatch & {
      readonly reason: string | null;
      readonly isShown: boolean;
      readonly hasOrder: boolean;
    },
  ): Promise<Referral> {
    const { orders } = this.#contributions;
    const { amount_minor: amount, status, ...texts } = patch;
    if (before.status === 'cancelled' || !hasOrder)
      return this.#edited(writer.trx, before, { ...patch, ...reasonFor(status) });
    const edited = Object.keys(texts).length === 0 ? before : await this.#edited(writer.trx, before, texts);
    if (amount === undefined && status === undefined) return edited;
    const after = await orders.review(writer, before.id, {
      reason: reason && checkedReason(reason),
      isShown,
      ...(amount !== undefined && { amount }),
      ...(status !== undefined && { status }),
    });
    return after ?? fail('referral_locked');
  }

  async #edited(trx: Db, before: Referral, change: ReferralChange): Promise<Referral> {
    const entry = { kind: 'adjusted', reason: 'manual' } as const;
    return (await this.writer.change(trx, before, change, entry)) ?? fail('referral_locked');
  }

  async delete(id: number): Promise<void> {
    const seen = await this.get(id);
    refuseLocked(seen);
    await this.forbidOwn(seen.affiliate_id);
    await this.app.hooks.doAction('referral/before_delete', seen);
    const affiliate = seen.affiliate_id === null ? null : await this.app.affiliates.find(seen.affiliate_id);
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.ledger.lock(trx, seen.affiliate_id);
      const current = (await store.lockReferral(trx, id)) ?? fail('referral_not_found');
      refuseLocked(current);
      // What a payout has taken back counts against this row: without the row, the affiliate would lose it.
      if ((await this.adjustments(id)).length > 0) fail('referral_locked');
      if (!(await this.writer.remove(trx, current))) fail('referral_locked');
      await this.app.internal.emit(referralRemoved, trx, { id });
      afterCommit(() => this.app.hooks.doAction('referral/deleted', id, affiliate));
    });
  }

  /** Called when an affiliate is deleted: one event per row, or a single one when there are many. */
  async #deleteOfAffiliate(affiliateId: number): Promise<void> {
    await this.app.transaction(async (trx, afterCommit) => {
      const affiliate = await this.app.affiliates.find(affiliateId);
      const { count, ids } = await this.writer.removeAll(trx, affiliateId);
      await this.app.internal.emit(referralsRemoved, trx, { affiliateId });
      afterCommit(async () => {
        if (count > ids.length) await this.app.hooks.doAction('referrals_bulk_deleted', affiliateId, count);
        else for (const id of ids) await this.app.hooks.doAction('referral/deleted', id, affiliate);
      });
    });
  }

  /** Refuses managers who act on commissions of their own account (option `forbidSelfManagement`). */
  async forbidOwn(affiliateId: number | null): Promise<void> {
    if (!this.app.options.forbidSelfManagement || affiliateId === null) return;
    const affiliate = await this.app.affiliates.find(affiliateId);
    if (affiliate) await this.app.affiliates.forbidSelf(affiliate);
  }

  async #currency(): Promise<string> {
    return (await this.app.settings.referralConfig()).currency;
  }
}

function toId(value: unknown): number {
  const id =
    typeof value === 'number' || (typeof value === 'string' && /^\d{1,16}$/u.test(value)) ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** An adjustment of a paid commission follows its order, so it cannot be changed by itself. */
function refuseLocked({ status, type, parent_id: parent, reject_reason: reason }: Referral): void {
  if (status === 'paid') fail('referral_paid');
  if (reason === GIVEN_AWAY) fail('referral_given_away');
  if (status === 'processing' || (type === 'adjustment' && parent !== null)) fail('referral_locked');
}

/** For a row without an order. */
/** Why a person changed a commission, as it was written. */
function checkedReason(given: string): string {
  const reason = given.trim();
  if (!LINE.fits(reason)) failFields({ reason: { [LINE.rule]: LINE.says } });
  if (cut(reason, REASON_MAX) !== reason)
    failFields({ reason: { max: `The reason must have at most ${REASON_MAX} characters.` } });
  return reason;
}

function reasonFor(status: ReferralStatus | undefined): ReferralChange {
  if (status === undefined) return {};
  return { reject_reason: status === 'rejected' ? 'manual' : null };
}

/** The fields whose value changes; null when none does. */
function changes(row: Referral, patch: CheckedPatch): CheckedPatch | null {
  const entries = Object.entries(patch).filter(([key, value]) => row[key as keyof Referral] !== value);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
