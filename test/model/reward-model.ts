// What partners earn by reward rules and goals, computed from scratch from everything that was ever reported; amounts in
// cents. It knows the rule sets below by its own code, not by the service's.

export const DAY = 86_400_000;
/** Goals are looked at this long after each step. */
export const LATER = 2 * 60_000;
/** The rates are × 10 000. */
const BASE = 2000;

export type SetName = 'A' | 'B';
const percent = (key: string, value: number, more: object = {}): object => ({
  key,
  event: 'sale',
  reward: { kind: 'percent', value },
  ...more,
});
const goal = (key: string, value: number, asked: object, more: object = {}): object => ({
  key,
  event: 'bonus',
  reward: { kind: 'flat', value },
  goal: asked,
  ...more,
});

/** The sets as they are sent; `gold` is the group that has a rate and a goal of its own. */
export const rulesOf = (set: SetName, gold: number): object[] =>
  set === 'A'
    ? [
        percent('gold', 15, { scope: 'group', scope_ids: [gold] }),
        percent('shoes', 50, {
          priority: 9,
          when: { fact: 'each_item.product', op: 'eq', value: 'shoes' },
        }),
        percent('large', 12.5, { when: { fact: 'order.total', op: 'gte', value: 50 } }),
        goal('sales', 7, { metric: 'sales', at_least: 3, window: 'month' }),
        goal('value', 11.11, { metric: 'amount', at_least: 150, window: 'all_time', repeat: 'once' }),
        goal(
          'buyers',
          5,
          { metric: 'customers', at_least: 2, window: '30_days' },
          { scope: 'group', scope_ids: [gold] },
        ),
      ]
    : [
        percent('all', 7.77),
        goal('sales', 9, { metric: 'sales', at_least: 2, window: 'month' }),
        goal('many', 3.33, { metric: 'sales', at_least: 4, window: 'all_time', repeat: 'once' }),
      ];

interface Goal {
  readonly key: string;
  readonly reward: number;
  readonly metric: 'sales' | 'amount' | 'customers';
  readonly least: number;
  readonly window: 'month' | '30_days' | 'all_time';
  readonly isOnce: boolean;
  readonly isForGold: boolean;
}
const all = { isOnce: false, isForGold: false } as const;
const GOALS: Readonly<Record<SetName, readonly Goal[]>> = {
  A: [
    { ...all, key: 'sales', reward: 700, metric: 'sales', least: 3, window: 'month' },
    { ...all, key: 'value', reward: 1111, metric: 'amount', least: 15_000, window: 'all_time', isOnce: true },
    { ...all, key: 'buyers', reward: 500, metric: 'customers', least: 2, window: '30_days', isForGold: true },
  ],
  B: [
    { ...all, key: 'sales', reward: 900, metric: 'sales', least: 2, window: 'month' },
    { ...all, key: 'many', reward: 333, metric: 'sales', least: 4, window: 'all_time', isOnce: true },
  ],
};

export type ModelEvent = { readonly at: number } & (
  | { readonly do: 'order'; ref: string; who: number; shoes: number; rest: number; buyer: string }
  | { readonly do: 'refund'; ref: string; id: string; gross: number; undone: boolean }
  | { readonly do: 'cancel' | 'complete'; ref: string }
  | { readonly do: 'refuse'; bonus: string }
  | { readonly do: 'merge'; into: number; from: number }
  | { readonly do: 'group'; who: number; isGold: boolean }
  | { readonly do: 'rules'; set: SetName | null }
  | { readonly do: 'nothing' }
);

export interface ModelOrder {
  owner: number;
  readonly at: number;
  readonly total: number;
  /** What it earns before refunds, in ten-thousandths of a cent. */
  readonly exact: number;
  readonly buyer: string;
  readonly refunds: Map<string, number>;
  isCanceled: boolean;
}

export interface ModelBonus {
  owner: number;
  readonly name: string;
  readonly goal: Goal;
  readonly window: Window;
  isDue: boolean;
  isRefused: boolean;
}

interface Window {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

const halfUp = (top: number, bottom: number): number => Math.floor((2 * top + bottom) / (2 * bottom));

function windowAt(window: Goal['window'], at: number): Window {
  if (window === 'all_time') return { name: 'all', from: 0, until: Number.POSITIVE_INFINITY };
  if (window === '30_days') {
    const from = Math.floor(at / (30 * DAY)) * 30 * DAY;
    return { name: new Date(from).toISOString().slice(0, 10), from, until: from + 30 * DAY };
  }
  const day = new Date(at);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  return {
    name: day.toISOString().slice(0, 7),
    from: Date.UTC(year, month, 1),
    until: Date.UTC(year, month + 1, 1),
  };
}

export const leftOf = ({ total, refunds, isCanceled }: ModelOrder): number =>
  isCanceled ? 0 : Math.max(0, total - [...refunds.values()].reduce((sum, each) => sum + each, 0));

export const recordedOf = ({ exact }: ModelOrder): number => halfUp(exact, 10_000);
/** Rounded once. */
export const dueOf = (order: ModelOrder): number => halfUp(order.exact * leftOf(order), order.total * 10_000);

/** Everything that follows from what was reported so far. */
export class RewardModel {
  readonly orders = new Map<string, ModelOrder>();
  readonly bonuses: ModelBonus[] = [];
  readonly gone = new Set<number>();
  readonly #gold = new Set<number>();
  #set: SetName | null = null;

  constructor(
    private readonly people: readonly number[],
    events: readonly ModelEvent[],
  ) {
    for (const each of events) {
      this.#hear(each);
      if (each.do === 'merge') this.#settle(each.at);
      this.#settle(each.at + LATER);
    }
  }

  living(): number[] {
    return this.people.filter((id) => !this.gone.has(id));
  }

  /** What an affiliate is owed and was paid, together. */
  bookedOf(who: number): number {
    const own = [...this.orders.values()].filter(({ owner }) => owner === who);
    const bonuses = this.bonuses.filter(
      ({ owner, isDue, isRefused }) => owner === who && isDue && !isRefused,
    );
    return (
      own.reduce((sum, order) => sum + dueOf(order), 0) +
      bonuses.reduce((sum, bonus) => sum + bonus.goal.reward, 0)
    );
  }

  #hear(event: ModelEvent): void {
    if (event.do === 'order') this.#hearOrder(event);
    else if (event.do === 'refund')
      this.orders.get(event.ref)!.refunds.set(event.id, event.undone ? 0 : event.gross);
    else if (event.do === 'cancel' || event.do === 'complete')
      this.orders.get(event.ref)!.isCanceled = event.do === 'cancel';
    else if (event.do === 'refuse') this.bonuses.find(({ name }) => name === event.bonus)!.isRefused = true;
    else if (event.do === 'merge') this.#hearMerge(event);
    else if (event.do === 'group') this.#gold[event.isGold ? 'add' : 'delete'](event.who);
    else if (event.do === 'rules') this.#set = event.set;
  }

  #hearOrder(event: Extract<ModelEvent, { do: 'order' }>): void {
    this.orders.set(event.ref, {
      owner: event.who,
      at: event.at,
      total: event.shoes + event.rest,
      exact: this.#exactOf(event),
      buyer: event.buyer,
      refunds: new Map(),
      isCanceled: false,
    });
  }

  #hearMerge({ into, from }: Extract<ModelEvent, { do: 'merge' }>): void {
    this.gone.add(from);
    // an affiliate of no group takes over that of the other
    if (this.#gold.has(from)) this.#gold.add(into);
    for (const each of [...this.orders.values(), ...this.bonuses]) if (each.owner === from) each.owner = into;
  }

  #exactOf({ who, shoes, rest }: Extract<ModelEvent, { do: 'order' }>): number {
    const total = shoes + rest;
    if (this.#set === null) return total * BASE;
    if (this.#set === 'B') return total * 777;
    if (this.#gold.has(who)) return total * 1500;
    return shoes * 5000 + rest * (total >= 5000 ? 1250 : BASE);
  }

  #count(who: number, metric: Goal['metric'], { from, until }: Window): number {
    const counted = [...this.orders.values()].filter(
      (order) => order.owner === who && order.at >= from && order.at < until && leftOf(order) > 0,
    );
    if (metric === 'sales') return counted.length;
    if (metric === 'customers') return new Set(counted.map(({ buyer }) => buyer)).size;
    return counted.reduce((sum, order) => sum + leftOf(order), 0);
  }

  /** Pays what is reached now, and takes back or pays again what was paid before. */
  #settle(now: number): void {
    for (const who of this.living()) {
      const asked = (this.#set === null ? [] : GOALS[this.#set]).filter(
        ({ isForGold }) => !isForGold || this.#gold.has(who),
      );
      const own = this.bonuses.filter(({ owner }) => owner === who);
      for (const key of new Set([...own.map((bonus) => bonus.goal.key), ...asked.map((each) => each.key)]))
        this.#settleGoal(
          who,
          own.filter((bonus) => bonus.goal.key === key),
          asked.find((each) => each.key === key),
          now,
        );
    }
  }

  #settleGoal(who: number, known: readonly ModelBonus[], asked: Goal | undefined, now: number): void {
    const isOnce = (asked ?? known.at(-1)?.goal)?.isOnce === true;
    const reached = known.filter(
      (bonus) => this.#count(who, bonus.goal.metric, bonus.window) >= bonus.goal.least,
    );
    // what a person refused is not taken back
    const standing = reached.filter(({ isDue, isRefused }) => isDue || isRefused);
    const due = isOnce ? (standing.length > 0 ? standing : reached.slice(0, 1)) : reached;
    for (const bonus of known) bonus.isDue = due.includes(bonus);
    if (asked === undefined || (isOnce && due.length > 0)) return;
    const window = windowAt(asked.window, now);
    if (known.some((bonus) => bonus.window.name === window.name)) return;
    if (this.#count(who, asked.metric, window) < asked.least) return;
    this.bonuses.push({
      owner: who,
      name: `${who}:${asked.key}:${window.name}`,
      goal: asked,
      window,
      isDue: true,
      isRefused: false,
    });
  }
}
