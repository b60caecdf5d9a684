import type { Affiliate } from '../../program/affiliates/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import {
  isBoolean,
  isMap,
  isMapOrNull,
  isMinor,
  isRecordOrNull,
  isWhole,
} from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export interface CommissionContext {
  readonly affiliate: Affiliate;
  readonly order_data: unknown;
  readonly provider: string;
  readonly vendor_order: unknown;
}

export interface RenewalCommission {
  /** Minor units. */
  readonly amount: number;
  readonly rate: number;
  readonly rate_type: string;
  readonly renewal_count: number;
  readonly max_renewal_count: number;
}

export interface AppliedRate {
  readonly type: 'percentage' | 'flat';
  /** × 10 000. */
  readonly value: number;
  readonly source: string;
}

export interface ReferralCheck {
  readonly affiliate: Affiliate;
  readonly customer: DataMap | null;
  readonly order_data: unknown;
  readonly provider: string;
  readonly reasons: readonly string[];
}

export const conversionHooks = defineHooks(
  {
    recurring_referral_created: after<[referral: Referral]>(
      ['referral'],
      'A subscription renewal was recorded.',
    ),
    should_process_referral: filter<boolean, [check: ReferralCheck]>(
      ['check'],
      'Return `false` to reject a referral before it is recorded.',
      { check: isBoolean },
    ),
    'formatted_order_data_by_{provider}': filter<DataMap | null, [vendorOrder: unknown]>(
      ['vendorOrder'],
      'The normalized order before any check. Return `null` or an empty map to skip the referral.',
      { check: isMapOrNull },
    ),
    commission_rate: filter<AppliedRate, [scope: { affiliate: Affiliate; item: unknown; scope: string }]>(
      ['scope'],
      'The rate to apply, × 10,000.',
      {
        check: (value) =>
          isMap(value) &&
          (value['type'] === 'percentage' || value['type'] === 'flat') &&
          isWhole(value['value']),
      },
    ),
    commission: filter<number, [context: CommissionContext]>(
      ['context'],
      'The commission in minor units before it is recorded, for every provider.',
      { check: isMinor },
    ),
    recurring_commission: filter<
      RenewalCommission,
      [context: CommissionContext & { parent_referral: Referral | null }]
    >(['context'], 'The commission of a renewal in minor units.', {
      check: (value) => isMap(value) && isMinor(value['amount']),
    }),
    referral_data: filter<DataMap, [provider: string]>(
      ['provider'],
      'The database row of a referral before it is stored.',
      { check: isMap },
    ),
    ignore_zero_amount_referral: filter<boolean, [data: DataMap]>(
      ['data'],
      "Called if a referral's amount is 0. Return `true` to discard it, `false` to record it.",
      { check: isBoolean },
    ),
    checkout_affiliate: filter<
      Affiliate | null,
      [customer: { user_id: number | null; email: string | null }, provider: string]
    >(
      ['customer', 'provider'],
      'The affiliate to credit with an order. `value` is the affiliate from the cookie or coupon, or `null`.',
      {
        check: isRecordOrNull,
      },
    ),
  },
  {
    'referral.renewal_created': 'recurring_referral_created',
    'referral.allow': 'should_process_referral',
    'order.data.{provider}': 'formatted_order_data_by_{provider}',
    'commission.rate': 'commission_rate',
    'commission.amount': 'commission',
    'commission.renewal_amount': 'recurring_commission',
    'referral.data': 'referral_data',
    'referral.ignore_zero': 'ignore_zero_amount_referral',
    'tracking.affiliate_of_order': 'checkout_affiliate',
  },
);
