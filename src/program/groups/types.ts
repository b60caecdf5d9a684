import type { DayQuery } from '../../records/filters.js';

export const GROUP_RATE_TYPES = ['percentage', 'flat', 'default'] as const;
export const GROUP_STATUSES = ['active', 'inactive'] as const;

/** The stored value, as answers show it; keys of extensions are beside the known ones. */
export interface GroupValue {
  readonly rate_type: (typeof GROUP_RATE_TYPES)[number];
  /** At most four decimals, so it is exact as a JSON number. */
  readonly rate: number;
  readonly status: (typeof GROUP_STATUSES)[number];
  readonly notes: string;
  readonly enable_subscription_renewal: 'yes' | 'no';
  readonly renewal_rate_type: 'percentage' | 'fixed';
  readonly renewal_rate: number;
  readonly max_renewal_count: number;
  readonly enable_lifetime_commission: 'yes' | 'no';
  readonly lifetime_rate_type: 'percentage' | 'fixed';
  readonly lifetime_rate: number;
  readonly lifetime_expiry_days: number | '';
  /** '' = the program's. */
  readonly hold_days: number | '';
  /** For how many months after the first sale renewals earn; '' = the program's, 0 = the first sale only. */
  readonly renewal_max_months: number | '';
  readonly [extra: string]: unknown;
}

/** A group of affiliates; `rate_type`, `rate_e4` and `status` are read from the value. */
export interface Group {
  readonly id: number;
  readonly meta_key: string;
  readonly rate_type: GroupValue['rate_type'];
  /** × 10 000. */
  readonly rate_e4: number;
  readonly status: GroupValue['status'];
  readonly value: GroupValue;
  readonly created_at: number;
  readonly updated_at: number;
}

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
