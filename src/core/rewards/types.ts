// The words and shapes of reward rules (docs/rewards.md). An order stores the rules that counted for it.

/**
 * `sale` includes a customer's first order; `activation` is the first payment of a lead; `bonus` rewards a goal.
 */
export const REWARD_EVENTS = ['sale', 'renewal', 'lead', 'activation', 'bonus'] as const;
export type RewardEvent = (typeof REWARD_EVENTS)[number];

/** The most specific scope comes first: its rules are asked before those of the next one. */
export const REWARD_SCOPES = ['link', 'affiliate', 'group', 'program'] as const;
export type RewardScope = (typeof REWARD_SCOPES)[number];

export const OPS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in'] as const;
export type Op = (typeof OPS)[number];

/** Numbers and amounts are decimal text once they are stored, so that no value is a float. */
export type FactValue = string | boolean;

export interface Comparison {
  readonly fact: string;
  readonly op: Op;
  readonly value: FactValue | readonly FactValue[];
}
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

export const REWARD_KINDS = ['percent', 'flat', 'per_item', 'none'] as const;
export type RewardKind = (typeof REWARD_KINDS)[number];

/** What a cap counts: one order, or the orders of a customer, day, month, or all time of one affiliate. */
export const CAP_WINDOWS = ['order', 'customer', 'day', 'month', 'all_time'] as const;
export type CapWindow = (typeof CAP_WINDOWS)[number];

export interface Reward {
  readonly kind: RewardKind;
  /** Percent, or an amount of the program's currency, as decimal text; '0' for `none`. */
  readonly value: string;
  /** Only each nth sale of an affiliate earns. */
  readonly every?: number;
  readonly cap?: Readonly<Partial<Record<CapWindow, string>>>;
  /** Renewals earn for this many months after the first payment. */
  readonly months?: number;
  /** Payments of a subscription that earn, the first one included. */
  readonly payments?: number;
  /** The waiting period of these commissions, instead of the program's. */
  readonly hold_days?: number;
}

export const GOAL_METRICS = ['sales', 'amount', 'leads', 'customers'] as const;
export type GoalMetric = (typeof GOAL_METRICS)[number];
export const GOAL_WINDOWS = ['month', 'quarter', '30_days', 'all_time'] as const;
export type GoalWindow = (typeof GOAL_WINDOWS)[number];

/** A goal of rules for the event `bonus`. */
export interface Goal {
  readonly metric: GoalMetric;
  readonly at_least: string;
  readonly window: GoalWindow;
  readonly repeat: 'once' | 'each_window';
}

export interface RewardRule {
  readonly key: string;
  readonly title: string;
  readonly event: RewardEvent;
  readonly scope: RewardScope;
  /** Campaigns (texts) and short links (ids), affiliates or groups. Empty for the scope `program`. */
  readonly scope_ids: readonly (number | string)[];
  readonly when: Condition | null;
  readonly reward: Reward;
  readonly priority: number;
  /** What the rule leaves of an order earns nothing, instead of falling to the next rule. */
  readonly stop: boolean;
  readonly goal?: Goal;
}

/** A level: affiliates who reach `at_least` belong to the group. */
export interface LevelStep {
  readonly at_least: string;
  readonly group: number;
}

export interface Levels {
  readonly metric: GoalMetric;
  readonly window: GoalWindow;
  readonly steps: readonly LevelStep[];
  readonly down: boolean;
  readonly grace_days: number;
}

export interface RewardBody {
  readonly rules: readonly RewardRule[];
  readonly levels: Levels | null;
}

/** Facts by name. A fact that is absent or null is unknown. */
export type Facts = Readonly<Record<string, FactValue | null>>;

export interface ItemFacts {
  readonly product: string;
  readonly category: readonly string[];
  readonly sku: string | null;
  readonly quantity: string;
  /** For one piece, in the program's currency; null without an exchange rate. */
  readonly price: string | null;
}

/** The facts that rules apply to. They are stored with the order, so that the same rules always give the same result. */
export interface RewardFacts {
  readonly event: RewardEvent;
  /** When the order was placed, in epoch milliseconds; absent in orders of an earlier version. */
  readonly at?: number;
  readonly campaign: string | null;
  /** The short link of the click; absent where none was. */
  readonly link_id?: number;
  readonly affiliate_id: number;
  readonly group_id: number | null;
  readonly order: Facts;
  readonly items: readonly ItemFacts[];
}
