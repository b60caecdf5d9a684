import { isMap } from '../../core/is-map.js';
import { isGoal, isInScopeOf } from '../../core/rewards/evaluate.js';
import { windowAt } from '../../core/rewards/windows.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Order } from '../../accounting/orders/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { ActiveRules } from '../rewards/types.js';
import { SpanMetrics, isReached } from './counted.js';
import type { Deps } from './deps.js';
import type { GoalRule, ReachedGoal } from './types.js';

/** The option with the position up to which the ledger was read. */
const MARK = 'reward_goals';
const AT_ONCE = 200;
/** A transaction that began before another one may commit after it, so entries of this time are looked at again. */
const OVERLAP_MS = 10 * 60_000;

interface Mark {
  readonly set: number | null;
  /** Entries up to here were looked at, longer than the overlap ago. */
  readonly id: number;
  readonly next: { readonly id: number; readonly at: number };
}

/** A bonus that was recorded. */
export interface KnownBonus {
  readonly referral: Referral;
  readonly order: Order;
  readonly goal: ReachedGoal;
}

/** A goal of an affiliate, and what was counted for it. */
interface GoalCount {
  readonly affiliate: Affiliate;
  readonly active: ActiveRules | null;
  readonly rule: GoalRule | undefined;
  readonly counted: SpanMetrics;
  readonly now: number;
  readonly timeZone: string;
}

/**
 * Pays goals, and takes bonuses back that refunds have taken below. What is due follows from the orders alone, so
 * it may run at any time and as often as it likes (docs/rewards.md).
 */
export class Goals {
  constructor(private readonly app: Deps) {}

  /** The job: looks at every affiliate whose earnings changed since the last time. */
  async run(): Promise<number> {
    const now = this.app.clock.now();
    const active = await this.app.rewards.at(now);
    const known = await this.app.settings.read<Mark | null>(MARK, null);
    if (known === null && !(active?.rules ?? []).some(isGoal)) return 0;
    const set = active?.id ?? null;
    const mark: Mark = known?.set === set ? known : { set, id: 0, next: { id: 0, at: now } };
    const newest = await this.app.ledger.newestEntry();
    const count = await this.#settleSince(mark.id);
    const isOld = now - mark.next.at >= OVERLAP_MS;
    const moved: Mark = isOld ? { set, id: mark.next.id, next: { id: newest, at: now } } : mark;
    if (known === null || moved !== known) await this.#saveMark(moved);
    return count;
  }

  async #settleSince(entryId: number): Promise<number> {
    let count = 0;
    for (let after = 0; ;) {
      const ids = await this.app.ledger.affiliatesSince(entryId, after, AT_ONCE);
      count += await this.settle(ids);
      if (ids.length < AT_ONCE) return count;
      after = ids.at(-1) ?? after;
    }
  }

  async #saveMark(mark: Mark): Promise<void> {
    await this.app.transaction((trx, afterCommit) => this.app.settings.write(trx, afterCommit, MARK, mark));
  }

  /** Settles the goals of an affiliate whose group or status changed, so that others may be in its scope. */
  async settleChanged(id: number): Promise<void> {
    if (goalsOf(await this.app.rewards.at(this.app.clock.now())).length > 0) await this.settle([id]);
  }

  /** Pays and takes back bonuses by what these affiliates have reached. Returns how many bonuses changed. */
  async settle(affiliateIds: readonly number[]): Promise<number> {
    const now = this.app.clock.now();
    const active = await this.app.rewards.at(now);
    const rules = goalsOf(active);
    const bonuses = await this.bonusesOf(affiliateIds);
    if (rules.length === 0 && bonuses.length === 0) return 0;
    const affiliates = [...(await this.app.affiliates.findMany(affiliateIds)).values()];
    const { currency } = await this.app.settings.referralConfig();
    const { timeZone } = this.app.host.site();
    const counted = new SpanMetrics(this.app.referrals, currency);
    for (const affiliate of affiliates)
      for (const { goal } of rulesFor(rules, affiliate))
        counted.want(affiliate.id, windowAt(goal.window, now, timeZone));
    for (const { referral, goal } of bonuses) counted.want(referral.affiliate_id ?? 0, goal);
    await counted.read();
    let changed = 0;
    for (const affiliate of affiliates) {
      const own = bonuses.filter(({ referral }) => referral.affiliate_id === affiliate.id);
      for (const key of new Set([...own.map(({ goal }) => goal.rule), ...rules.map((rule) => rule.key)])) {
        const rule = rulesFor(rules, affiliate).find((each) => each.key === key);
        const wanted = { affiliate, active, rule, counted, now, timeZone };
        changed += await this.#settleGoal(
          own.filter(({ goal }) => goal.rule === key),
          wanted,
        );
      }
    }
    return changed;
  }

  /** One goal of one affiliate: its bonuses so far, and the current window. */
  async #settleGoal(known: readonly KnownBonus[], wanted: GoalCount): Promise<number> {
    const { affiliate, active, rule, counted } = wanted;
    const isOnce = (rule?.goal ?? known.at(-1)?.goal)?.repeat === 'once';
    const reached = known.filter(({ goal }) =>
      isReached(counted.value(affiliate.id, goal, goal.metric), goal.at_least),
    );
    // A goal that pays once has its current bonuses (two after a merge), or else its earliest one again.
    const standing = reached.filter(({ order }) => !isTakenBack(order));
    const due = new Set(isOnce ? (standing.length > 0 ? standing : reached.slice(0, 1)) : reached);
    let changed = 0;
    for (const bonus of known) changed += Number(await this.#correct(bonus.order, due.has(bonus)));
    if (rule === undefined || active === null || (isOnce && due.size > 0)) return changed;
    return changed + Number(await this.#payNow(known, { ...wanted, rule, active }));
  }

  /** Pays the current window once it is reached. */
  async #payNow(
    known: readonly KnownBonus[],
    {
      affiliate,
      active,
      rule,
      counted,
      now,
      timeZone,
    }: GoalCount & { readonly active: ActiveRules; readonly rule: GoalRule },
  ): Promise<boolean> {
    const { key, title, goal } = rule;
    const { metric, at_least, window, repeat } = goal;
    const { key: window_key, from, until } = windowAt(window, now, timeZone);
    if (known.some((bonus) => bonus.goal.window_key === window_key)) return false;
    const value = counted.value(affiliate.id, { from, until }, metric);
    if (!isReached(value, at_least)) return false;
    const reachedGoal: ReachedGoal = { rule: key, metric, at_least, window, window_key, from, until, repeat };
    const { created } = await this.app.conversions.bonus({
      affiliate: affiliate.id,
      set_id: active.id,
      rule: key,
      window: window_key,
      title: title || key,
      facts: { 'goal.rule': key, 'goal.metric': metric, 'goal.at_least': at_least, 'goal.value': value },
      goal: { ...reachedGoal },
    });
    return created;
  }

  /** Takes a bonus back, or pays it again. Bonuses that a person rejected or deleted do not change. */
  async #correct(order: Order, isDue: boolean): Promise<boolean> {
    if (order.deleted_at !== null || isDue === !isTakenBack(order)) return false;
    if (!isDue && order.due_status === 'rejected') return false;
    const { changed } = isDue
      ? await this.app.orders.changes.complete(order)
      : await this.app.orders.changes.cancel(order, 'canceled');
    return changed;
  }

  /** The bonuses of these affiliates, oldest first. */
  async bonusesOf(affiliateIds: readonly number[]): Promise<KnownBonus[]> {
    const referrals = await this.app.referrals.bonusesOf(affiliateIds);
    const orders = await this.app.orders.ofReferrals(referrals.map(({ id }) => id));
    return referrals.flatMap((referral) => {
      const order = orders.get(referral.id);
      const goal = referral.settings?.['goal'];
      return order !== undefined && isMap(goal)
        ? [{ referral, order, goal: goal as unknown as ReachedGoal }]
        : []; // stored by settle
    });
  }
}

const isTakenBack = ({ due_status, reject_reason }: Order): boolean =>
  due_status === 'rejected' && reject_reason === 'canceled';

export const goalsOf = (active: ActiveRules | null): readonly GoalRule[] =>
  (active?.rules ?? []).filter(isGoal);

/** The goals of an affiliate. */
export const rulesFor = (rules: readonly GoalRule[], affiliate: Affiliate): readonly GoalRule[] =>
  affiliate.status === 'active'
    ? rules.filter((rule) =>
        isInScopeOf(rule, { campaign: null, affiliate_id: affiliate.id, group_id: affiliate.group_id }),
      )
    : [];
