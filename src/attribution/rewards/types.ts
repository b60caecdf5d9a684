import type { OrderLimit, OrderTerms } from '../../accounting/orders/types.js';
import type { RewardBody, RewardFacts } from '../../core/rewards/types.js';

export type { RewardSet } from './record.js';
export * from './words.js';

/** Input of `POST /reward-rules` and `PATCH /reward-rules/{id}`, unchecked. */
export interface RewardSetInput {
  readonly rules?: unknown;
  readonly levels?: unknown;
  readonly note?: unknown;
  /** ID of the rule set to copy rules from. */
  readonly from?: unknown;
}

export interface ActivationInput {
  /** The hash of a simulation of this draft, not older than 24 hours. */
  readonly simulation?: string;
  readonly without_simulation?: boolean;
  /** Epoch milliseconds; default: now. */
  readonly effective_from?: number;
}

/** Days of the site, both included; without affiliates and groups, all of them. */
export interface SimulationInput {
  readonly from: string;
  readonly to: string;
  readonly affiliates?: readonly number[] | undefined;
  readonly groups?: readonly number[] | undefined;
}

export interface SimulationState {
  readonly state: 'none' | 'running' | 'stopped' | 'done';
  readonly done: number;
  readonly total: number;
  /** What activating the draft needs; null until the simulation has ended. */
  readonly hash: string | null;
  readonly result: Readonly<Record<string, unknown>> | null;
}

/** Why a recorded order cannot be computed with other rules. */
export const UNPRICEABLE_REASONS = [
  'no_facts',
  'given',
  'extension',
  'edited',
  'corrected',
  'no_exchange_rate',
] as const;
export type UnknownReason = (typeof UNPRICEABLE_REASONS)[number];

/** A recorded order by other rules. */
export type RepriceResult =
  | { readonly kind: 'unknown'; readonly why: UnknownReason }
  | {
      readonly kind: 'priced';
      readonly terms: OrderTerms;
      readonly limits: readonly OrderLimit[];
      /** The facts of the order, with those that only these rules ask for. */
      readonly facts_after: RewardFacts;
      readonly rules_before: readonly string[];
      readonly rules_after: readonly string[];
      /** The lines of the commission, by the original rules and by these. */
      readonly lines_before: unknown;
      readonly lines_after: unknown;
    };

/** A change of rules as the affiliate reads it, in the language of the site. */
export interface RateChangeTexts {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly begins: readonly string[];
  readonly ends: readonly string[];
}

/** The rules that count at some time. */
export interface ActiveRules extends RewardBody {
  readonly id: number;
  readonly version: number;
}
