import type { DayQuery } from '../../records/filters.js';

export type { Group, GroupValue } from './record.js';

/** What renewals earn. */
export interface RenewalRates {
  readonly enabled: boolean;
  readonly type: 'percentage' | 'flat';
  readonly rate_e4: number;
  /** Payments that earn, the first one included; 0 without a limit. */
  readonly payments: number;
  /** Months that earn; 0: only the first payment; '': without a limit. */
  readonly months: number | '';
}

/** Terms of lifetime commission. */
export interface LifetimeTerms {
  readonly enabled: boolean;
  readonly type: 'percentage' | 'flat';
  readonly rate_e4: number;
  /** Days from a customer's first order; 0 = for good. */
  readonly days: number;
}

/** The submitted form: `meta_key` and the keys of the value side by side. Unknown keys reach hooks only. */
export type GroupForm = Readonly<Record<string, unknown>>;

export interface GroupListQuery extends DayQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search?: string;
  readonly status?: string;
}

export interface GroupCounts {
  readonly affiliates: number;
  readonly visits: number;
  readonly total_earnings_minor: number;
}
