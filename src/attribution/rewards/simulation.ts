import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { minor, toWire } from '../../core/money.js';
import { dayText, siteDay } from '../../core/dates.js';
import type { RewardFacts, RewardRule } from '../../core/rewards/types.js';
import type { OrderWithFacts } from '../../accounting/orders/service.js';
import type { OrderTerms } from '../../accounting/orders/types.js';
import type { OperationRunner, Progress, Step } from '../../program/operations/contributions.js';
import type { RewardContributions } from './contributions.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import { partsOf, withSentences, type CountedPart } from './explain.js';
import { bodyHash } from './hash.js';
import type { RepriceResult, RewardSet, UnknownReason } from './types.js';

const LARGEST = 50;
const NAMED = 20;
/** Orders that earned nothing by the rules of their time, and may by others. */
const EARNED_NOTHING: ReadonlySet<string> = new Set(['zero_amount', 'commission_cap']);

/** The orders that a simulation looks at; times are epoch milliseconds. */
export interface SimulationScope {
  readonly from: number;
  readonly until: number;
  readonly affiliates: readonly number[];
  readonly groups: readonly number[];
}

type Sums = Record<string, { orders: number; before: number; after: number }>;

interface Difference {
  readonly order_id: number;
  readonly referral_id: number | null;
  readonly affiliate_id: number;
  readonly currency: string;
  readonly before: number;
  readonly after: number;
  readonly rules_before: readonly string[];
  readonly rules_after: readonly string[];
  readonly counted_before: readonly CountedPart[];
  readonly counted_after: readonly CountedPart[];
}

/** What a simulation has found so far; sums in minor units. */
interface State {
  readonly scope: SimulationScope;
  readonly body_hash: string;
  after_id: number;
  chain: string;
  totals: Sums;
  groups: Sums;
  months: Sums;
  affiliates: Sums;
  differences: Difference[];
  unknown: Partial<Record<UnknownReason, { count: number; order_ids: number[] }>>;
  /** What the caps of the draft have given so far. */
  used: Record<string, number>;
}

export const newState = (set: RewardSet, scope: SimulationScope): State => ({
  scope,
  body_hash: bodyHash(set.body),
  after_id: 0,
  chain: '',
  totals: {},
  groups: {},
  months: {},
  affiliates: {},
  differences: [],
  unknown: {},
  used: {},
});

/**
 * Computes what a draft would have paid for recorded orders, with the refunds of today, step by step. It
 * changes nothing but the draft's result.
 */
export class SimulationOperation implements OperationRunner {
  readonly kind = 'reward_simulation';
  readonly size = 100;

  constructor(
    private readonly app: Deps,
    private readonly contributions: () => RewardContributions,
  ) {}

  lease(id: number): string {
    return `reward-simulation:${id}`;
  }

  async step({ work, size, commit }: Step): Promise<void> {
    const state = structuredClone(work.details) as unknown as State; // written by this class
    const set = await store.findSet(this.app.db, work.object_id);
    const isStale = set === null || bodyHash(set.body) !== state.body_hash;
    const { from, until } = state.scope;
    const page = isStale
      ? []
      : await this.app.orders.between({ from, until, after: state.after_id, limit: size });
    for (const each of page) {
      state.after_id = each.order.id;
      if (set !== null) await this.#add(state, each, set);
      await turn(); // a database in memory answers at once, and others would wait for the whole step
    }
    const hasEnded = page.length < size;
    await commit(async (trx): Promise<Progress> => {
      if (hasEnded && !isStale)
        await store.changeSet(trx, work.object_id, { simulation: resultOf(state, this.app.clock.now()) });
      return { done: page.length, details: { ...state }, hasEnded };
    });
  }

  async #add(state: State, each: OrderWithFacts, set: RewardSet): Promise<void> {
    const { order } = each;
    const { terms, affiliate_id: affiliateId } = order;
    if (terms === null || affiliateId === null || !isWanted(state.scope, order)) return;
    const groupId = groupOf(order);
    const repriced = await this.#repriced(each, { ...order, terms }, set);
    if (repriced.kind === 'unknown') {
      const row = (state.unknown[repriced.why] ??= { count: 0, order_ids: [] });
      row.count += 1;
      if (row.order_ids.length < NAMED) row.order_ids.push(order.id);
      state.chain = hash(`${state.chain}:${order.id}:${repriced.why}`);
      return;
    }
    const after = await this.#dueAfter(state, each, repriced);
    const before = order.due_status === 'rejected' ? 0 : (order.due_minor ?? 0);
    state.chain = hash(`${state.chain}:${order.id}:${before}:${after}`);
    const month = dayText(siteDay(order.created_at, this.app.host.site().timeZone)).slice(0, 7);
    for (const [sums, key] of [
      [state.totals, ''],
      [state.groups, String(groupId ?? 0)],
      [state.months, month],
      [state.affiliates, String(affiliateId)],
    ] as const)
      addTo(sums, `${key}:${order.currency}`, { before, after });
    const { id: order_id, referral_id, currency } = order;
    const known = { order_id, referral_id, affiliate_id: affiliateId, currency, before, after };
    addDifference(state, known, () => explained({ ...order, terms }, repriced, set));
  }

  async #repriced(
    { facts }: OrderWithFacts,
    order: Parameters<RewardContributions['reprice']>[0],
    set: RewardSet,
  ): Promise<RepriceResult> {
    if (facts.some(({ data }) => data.kind === 'correction')) return { kind: 'unknown', why: 'corrected' };
    if (facts.some(({ data }) => data.kind === 'content')) return { kind: 'unknown', why: 'edited' };
    return this.contributions().reprice(order, set.body.rules);
  }

  /** What would be due, within the caps of the draft. They count from the first day of the simulation. */
  async #dueAfter(
    state: State,
    each: OrderWithFacts,
    { terms, limits }: RepriceResult & { kind: 'priced' },
  ): Promise<number> {
    const { order } = each;
    const caps = limits.flatMap((limit) => {
      if (limit.kind !== 'reward' || (limit.of_customer && order.customer_id === null)) return [];
      const of = limit.of_customer ? order.customer_id : '';
      const key = [limit.rule, order.affiliate_id, of, limit.from, order.currency].join(':');
      return [{ key, left: Math.max(0, limit.amount_minor - (state.used[key] ?? 0)) }];
    });
    const left = caps.length === 0 ? null : Math.min(...caps.map((cap) => cap.left));
    const due = await this.app.orders.dueBy(each, terms, left);
    const after = due.status === 'rejected' ? 0 : due.amount;
    for (const { key } of caps) state.used[key] = (state.used[key] ?? 0) + after;
    return after;
  }
}

type RuleDifference = Pick<Difference, 'rules_before' | 'rules_after' | 'counted_before' | 'counted_after'>;

/** Stores the largest differences; only these are explained. */
function addDifference(
  state: State,
  known: Omit<Difference, keyof RuleDifference>,
  explain: () => RuleDifference,
): void {
  const { before, after } = known;
  if (before === after || !isAmongLargest(state.differences, after - before)) return;
  state.differences.push({ ...known, ...explain() });
  state.differences.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  state.differences.length = Math.min(state.differences.length, LARGEST);
}

/** What counted for an order, by the original rules and by those of the draft. */
function explained(
  { terms, currency }: SimulatedOrder & { readonly terms: OrderTerms },
  repriced: RepriceResult & { kind: 'priced' },
  set: RewardSet,
): RuleDifference {
  const { facts, rules: known } = terms.pricing!.rewards!; // without them it is unknown
  const countedBy = (of: RewardFacts, rules: readonly RewardRule[], lines: unknown): readonly CountedPart[] =>
    partsOf({ facts: of }, { rules, lines, currency }).counted;
  const { rules_before, rules_after, facts_after, lines_before, lines_after } = repriced;
  return {
    rules_before,
    rules_after,
    counted_before: countedBy(facts, known, lines_before),
    counted_after: countedBy(facts_after, set.body.rules, lines_after),
  };
}

/** Is there a place for this difference? */
const isAmongLargest = (known: readonly Difference[], change: number): boolean => {
  const last = known[LARGEST - 1];
  return last === undefined || Math.abs(change) > Math.abs(last.after - last.before);
};

type SimulatedOrder = OrderWithFacts['order'];

const groupOf = ({ terms }: SimulatedOrder): number | null => terms?.pricing?.rewards?.facts.group_id ?? null;

/** Is the order within the scope, and not one that a person or a rule refused? Those earn nothing by any rules. */
function isWanted({ affiliates, groups }: SimulationScope, order: SimulatedOrder): boolean {
  if (order.referral_id === null && !EARNED_NOTHING.has(order.decision ?? '')) return false;
  if (affiliates.length > 0 && !affiliates.includes(order.affiliate_id ?? 0)) return false;
  return groups.length === 0 || groups.includes(groupOf(order) ?? 0);
}

function addTo(
  sums: Sums,
  key: string,
  { before, after }: { readonly before: number; readonly after: number },
): void {
  const row = (sums[key] ??= { orders: 0, before: 0, after: 0 });
  row.orders += 1;
  row.before += before;
  row.after += after;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function resultOf(state: State, now: number): RewardSet['simulation'] {
  const { scope, body_hash, chain } = state;
  const rows = (sums: Sums) =>
    Object.entries(sums).map(([key, { orders, before, after }]) => {
      const at = key.lastIndexOf(':');
      const currency = key.slice(at + 1);
      const amounts = { before: toWire(minor(before), currency), after: toWire(minor(after), currency) };
      return { of: key.slice(0, at), currency, orders, ...amounts };
    });
  const people = rows(state.affiliates).map(({ of, ...row }) => ({ affiliate_id: Number(of), ...row }));
  const change = ({ before, after }: { before: number; after: number }): number => after - before;
  return {
    hash: hash(JSON.stringify([body_hash, scope, chain])),
    ended_at: now,
    body_hash,
    result: {
      scope,
      totals: rows(state.totals).map(({ of: _, ...row }) => row),
      groups: rows(state.groups).map(({ of, ...row }) => ({ group_id: Number(of) || null, ...row })),
      months: rows(state.months).map(({ of, ...row }) => ({ month: of, ...row })),
      winners: people
        .filter((row) => change(row) > 0)
        .toSorted((a, b) => change(b) - change(a))
        .slice(0, LARGEST),
      losers: people
        .filter((row) => change(row) < 0)
        .toSorted((a, b) => change(a) - change(b))
        .slice(0, LARGEST),
      differences: state.differences.map(({ counted_before, counted_after, ...row }) => ({
        ...row,
        said_before: counted_before.map((part) => withSentences(part).sentences),
        said_after: counted_after.map((part) => withSentences(part).sentences),
        before: toWire(minor(row.before), row.currency),
        after: toWire(minor(row.after), row.currency),
      })),
      unknown: Object.entries(state.unknown).map(([reason, row]) => ({ why: reason, ...row })),
    },
  };
}
