import { minor, toWire } from '../../core/money.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { ERRORS, fail, type ErrorCode } from '../../errors.js';
import type { OperationRunner } from '../operations/contributions.js';
import type { Deps } from './deps.js';
import { MERGED_PARTS, type AffiliatePart } from './contributions.js';
import { affiliateRemoved, affiliateSaved, affiliatesMerged } from './domain-events.js';
import { affiliateDto } from './presenter.js';
import { NOTE_MAX } from './record.js';
import { passOnNames } from './names.js';
import { deleteAffiliate, findAffiliate, lockAffiliate, updateAffiliate } from './repository.js';
import type { MergePreviewDto } from './schemas.js';
import { forbidSelfManagement } from './self-management.js';
import type { Affiliate, AffiliateMerge } from './types.js';

/** With more rows than this to move, a merge runs in steps. */
const AT_ONCE = 1000;

interface MergeDetails extends Record<string, unknown> {
  readonly into: number;
  /** Which of the parts that are moved in slices. */
  readonly part: number;
  readonly after_id: number;
}

interface Pair {
  readonly kept: Affiliate;
  readonly gone: Affiliate;
}

/** Merges two accounts of one person (docs/interface.md §6.9). */
export class AccountMerger {
  readonly #parts: AffiliatePart[] = [];

  constructor(private readonly app: Deps) {}

  add(part: AffiliatePart): void {
    this.#parts.push(part);
  }

  /** What a merge would move, and what prevents it. */
  async preview(into: number, from: number): Promise<Omit<MergePreviewDto, 'kept' | 'merged'> & Pair> {
    const pair = await this.#pair(into, from);
    const { kept, gone } = pair;
    const { currency } = await this.app.settings.referralConfig();
    const moved: Record<string, number> = {};
    for (const { counts } of this.#parts)
      if (counts !== undefined) moved[counts.name] = await counts.of(this.app.db, from);
    const code = await this.#refusal(this.app.db, pair);
    const sum = (name: 'total_earnings_minor' | 'unpaid_earnings_minor'): number =>
      toWire(minor(kept[name] + gone[name]), currency);
    return {
      ...pair,
      moved: MERGED_PARTS.map((part) => ({ part, count: moved[part] ?? 0 })),
      total_earnings: sum('total_earnings_minor'),
      unpaid_earnings: sum('unpaid_earnings_minor'),
      takes_group: kept.group_id === null && gone.group_id !== null,
      refusal: code === null ? null : { code, message: ERRORS[code][1] },
    };
  }

  /**
   * Merges `from` into `into` and deletes it: its records, its earnings (by ledger entries) and its links
   * move over. Payment details, status, rate and name are those of `into`.
   */
  async merge(into: number, from: number): Promise<Affiliate> {
    const seen = await this.#pair(into, from);
    await forbidSelfManagement(this.app, seen.kept.user_id);
    await forbidSelfManagement(this.app, seen.gone.user_id);
    await this.#check(this.app.db, seen);
    await this.#refuseSecond(into, from);
    await this.app.hooks.doAction('before_merge_affiliates', seen.kept, seen.gone);
    const total = await this.#countSliced(from);
    if (total > AT_ONCE) return this.#mergeInSteps(into, from, total);
    return this.app.transaction(async (trx, afterCommit) => {
      const pair = await lockPair(trx, into, from);
      await this.#check(trx, pair);
      return this.#move(trx, afterCommit, pair);
    });
  }

  /**
   * The engine's part of a large merge: moves the largest tables in slices; the last step moves the rest and
   * removes the empty account. Until then both accounts exist, and no payout takes them.
   */
  get work(): OperationRunner {
    return {
      kind: 'merge',
      lease: () => 'affiliates.merge',
      size: AT_ONCE / 2,
      step: ({ work, size, commit }) =>
        commit(async (trx, afterCommit) => {
          const { into, part, after_id: afterId } = work.details as MergeDetails; // as #mergeInSteps stored it
          const pair = await lockPair(trx, into, work.object_id);
          const sliced = this.#sliced()[part];
          if (sliced?.moveSlice === undefined) {
            await this.#check(trx, pair);
            await this.#move(trx, afterCommit, pair);
            return { done: 0, details: work.details, hasEnded: true };
          }
          const merging = { from: work.object_id, into };
          const slice = await sliced.moveSlice(trx, merging, { afterId, limit: size });
          const isDone = slice.afterId === null;
          const details: MergeDetails = { into, part: part + Number(isDone), after_id: slice.afterId ?? 0 };
          return { done: slice.moved, details, hasEnded: false };
        }),
    };
  }

  async #mergeInSteps(into: number, from: number, total: number): Promise<Affiliate> {
    const details: MergeDetails = { into, part: 0, after_id: 0 };
    await this.app.transaction(async (trx) => {
      await this.#check(trx, await lockPair(trx, into, from));
      await this.app.operations.begin(trx, { kind: 'merge', object_id: from, done: 0, total, details });
    });
    await this.app.operations.take('merge', from);
    if (await this.app.operations.find('merge', from)) fail('merge_running'); // in another process
    return (await findAffiliate(this.app.db, into)) ?? fail('affiliate_not_found');
  }

  /** Repeating a merge continues a stopped one. */
  async #refuseSecond(into: number, from: number): Promise<void> {
    const others = (await this.merging()).filter((pair) => pair.from !== from || pair.into !== into);
    if (others.some((pair) => [pair.from, pair.into].some((id) => id === into || id === from)))
      fail('merge_running');
  }

  /** Accounts that are being merged now. */
  async merging(): Promise<AffiliateMerge[]> {
    const operations = await this.app.operations.list(['merge']);
    return operations.map(({ object_id: from, details }) => ({ from, into: (details as MergeDetails).into }));
  }

  #sliced(): readonly AffiliatePart[] {
    return this.#parts.filter((part) => part.moveSlice !== undefined);
  }

  async #countSliced(from: number): Promise<number> {
    let total = 0;
    for (const { counts } of this.#sliced()) total += (await counts?.of(this.app.db, from)) ?? 0;
    return total;
  }

  async #move(trx: Db, afterCommit: AfterCommit, { kept, gone }: Pair): Promise<Affiliate> {
    const before = await affiliateDto(this.app, kept);
    const merging: AffiliateMerge = { from: gone.id, into: kept.id };
    await passOnNames(trx, gone, kept.id, this.app.clock.now());
    for (const part of this.#parts) await part.move?.(trx, merging);
    await updateAffiliate(trx, kept, { ...joined(kept, gone), updated_at: this.app.clock.now() });
    await deleteAffiliate(trx, gone.id);
    const affiliate = (await findAffiliate(trx, kept.id)) ?? fail('affiliate_not_found');
    const after = await affiliateDto(this.app, affiliate);
    await this.app.audit.write(trx, 'affiliate.merged', ['affiliate', kept.id], {
      before: recordOf(gone),
      after: figuresOf(affiliate),
    });
    await this.app.eventLog.append(trx, 'affiliate.merged', {
      id: kept.id,
      data: { affiliate_id: kept.id, merged_id: gone.id, merged_user_id: gone.user_id },
    });
    await this.app.eventLog.append(trx, 'affiliate.updated', { id: kept.id, data: after, before });
    await this.app.internal.emit(affiliatesMerged, trx, { ...merging, afterCommit });
    await this.app.internal.emit(affiliateSaved, trx, { before: kept, after: affiliate, afterCommit });
    await this.app.internal.emit(affiliateRemoved, trx, { id: gone.id, afterCommit });
    afterCommit(() => this.app.hooks.doAction('affiliates_merged', affiliate, gone.id));
    return affiliate;
  }

  async #pair(into: number, from: number): Promise<Pair> {
    const kept = (await findAffiliate(this.app.db, into)) ?? fail('affiliate_not_found');
    const gone = (await findAffiliate(this.app.db, from)) ?? fail('affiliate_not_found');
    return { kept, gone };
  }

  async #check(db: Db, pair: Pair): Promise<void> {
    const code = await this.#refusal(db, pair);
    if (code !== null) fail(code);
  }

  async #refusal(db: Db, { kept, gone }: Pair): Promise<ErrorCode | null> {
    if (kept.id === gone.id) return 'merge_with_itself';
    // otherwise links of the other one would stop counting
    if (gone.status === 'active' && kept.status !== 'active') return 'merge_into_inactive';
    for (const part of this.#parts) {
      const code = (await part.refusal?.(db, { from: gone.id, into: kept.id })) ?? null;
      if (code !== null) return code;
    }
    return null;
  }
}

/** Locks both in ascending order of their ids, as all code does. */
async function lockPair(trx: Db, into: number, from: number): Promise<Pair> {
  const locked = new Map<number, Affiliate>();
  for (const id of [into, from].sort((a, b) => a - b))
    locked.set(id, (await lockAffiliate(trx, id)) ?? fail('affiliate_not_found'));
  return { kept: locked.get(into)!, gone: locked.get(from)! };
}

/**
 * What is taken from the other's row: notes, answers that are missing here, and the group if this one has
 * none.
 */
const joined = (
  kept: Affiliate,
  gone: Affiliate,
): Pick<Affiliate, 'note' | 'custom_fields' | 'group_id' | 'lead_counts'> => ({
  note: [kept.note, gone.note].filter(Boolean).join('\n\n').slice(0, NOTE_MAX) || null,
  custom_fields: { ...gone.custom_fields, ...kept.custom_fields },
  group_id: kept.group_id ?? gone.group_id,
  lead_counts: kept.lead_counts + gone.lead_counts,
});

const figuresOf = ({
  total_earnings_minor,
  unpaid_earnings_minor,
  referrals,
  visits,
  group_id,
}: Affiliate): object => ({ total_earnings_minor, unpaid_earnings_minor, referrals, visits, group_id });

const recordOf = (affiliate: Affiliate): object => ({
  merged_id: affiliate.id,
  merged_user_id: affiliate.user_id,
  status: affiliate.status,
  payment_email: affiliate.payment_email,
  rate_type: affiliate.rate_type,
  rate_e4: affiliate.rate_e4,
  custom_param: affiliate.custom_param,
  ...figuresOf(affiliate),
});
