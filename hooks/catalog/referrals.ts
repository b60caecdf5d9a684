import { isAddress, isBoolean, isMap, isMapOrNull, isMinor, isWhole } from '../checks.js';
import { after, before, filter } from '../line.js';
import type { Affiliate, DataMap, Referral } from '../records.js';

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

export const referralHooks = {
  referral_recorded: after<[referral: Referral]>(
    ['referral'],
    'A referral was recorded, whatever its status and source.',
  ),
  referral_created: after<[referral: Referral]>(
    ['referral'],
    'A referral was recorded with any status but `unpaid`; for those `referral_marked_unpaid` is fired instead.',
  ),
  'referral_marked_{status}': after<[referral: Referral]>(
    ['referral'],
    'The status of a referral changed to this one, from any source; `unpaid` also when it was recorded as unpaid.',
    { values: ['pending', 'unpaid', 'paid', 'rejected'] },
  ),
  referral_updated: after<[referral: Referral, previous: Referral]>(
    ['referral', 'previous'],
    'A referral was changed.',
  ),
  referral_commission_updated: after<[referral: Referral]>(
    ['referral'],
    'A partial refund changed amount and order total of a referral that is not paid yet.',
  ),
  referral_refunded: after<
    [referral: Referral, refund: { refunded_minor: number | null; full: boolean; paid: boolean }]
  >(['referral', 'refund'], 'The order behind a referral was refunded, in part or in full.'),
  referral_refunded_after_payout: after<[referral: Referral, refundedMinor: number | null]>(
    ['referral', 'refundedMinor'],
    'The order behind a referral was refunded after its commission was paid; the referral stays as it is.',
  ),
  referral_clawed_back: after<[adjustment: Referral, referral: Referral]>(
    ['adjustment', 'referral'],
    'A paid commission was taken back by a negative referral.',
  ),
  affiliate_balance_corrected: after<[referral: Referral]>(
    ['referral'],
    "An affiliate's balance was corrected by this referral of type `adjustment`; its amount may be below 0.",
  ),
  referrals_stale: after<[stale: { count: number; oldest: number | null }]>(
    ['stale'],
    'Once a day while commissions have been pending for longer than option `stalePendingDays`; ' +
      '`oldest` is when the oldest was recorded.',
  ),
  'referral/before_delete': before<[referral: Referral]>(
    ['referral'],
    'A referral is about to be deleted. Throw to stop it.',
  ),
  'referral/deleted': after<[referralId: number, affiliate: Affiliate | null]>(
    ['referralId', 'affiliate'],
    'A referral was deleted.',
  ),
  referrals_bulk_deleted: after<[affiliateId: number, count: number]>(
    ['affiliateId', 'count'],
    'An affiliate was deleted together with more referrals than `referral/deleted` is fired for; ' +
      '`count` is the number of all.',
  ),
  recurring_referral_created: after<[referral: Referral]>(
    ['referral'],
    'The renewal of a subscription was recorded.',
  ),
  should_process_referral: filter<boolean, [check: ReferralCheck]>(
    ['check'],
    '`false` refuses a referral before it is recorded.',
    { check: isBoolean },
  ),
  is_self_referral: filter<boolean, [match: { affiliate: Affiliate; customer: DataMap | null }]>(
    ['match'],
    '`true`: the customer and the affiliate are the same person.',
    { check: isBoolean },
  ),
  'formatted_order_data_by_{provider}': filter<DataMap | null, [vendorOrder: unknown]>(
    ['vendorOrder'],
    'The normalised order before any check; null or an empty map means no referral.',
    { check: isMapOrNull },
  ),
  commission_rate: filter<AppliedRate, [scope: { affiliate: Affiliate; item: unknown; scope: string }]>(
    ['scope'],
    'The rate that will be applied; `value` is × 10 000.',
    {
      check: (value) =>
        isMap(value) &&
        (value['type'] === 'percentage' || value['type'] === 'flat') &&
        isWhole(value['value']),
    },
  ),
  commission: filter<number, [context: CommissionContext]>(
    ['context'],
    'The commission in minor units, before it is recorded; for every provider.',
    { check: isMinor },
  ),
  recurring_commission: filter<
    RenewalCommission,
    [context: CommissionContext & { parent_referral: Referral | null }]
  >(['context'], 'The commission of a renewal; `amount` in minor units.', {
    check: (value) => isMap(value) && isMinor(value['amount']),
  }),
  referral_data: filter<DataMap, [provider: string]>(
    ['provider'],
    'The row of a referral before it is stored.',
    { check: isMap },
  ),
  ignore_zero_amount_referral: filter<boolean, [data: DataMap]>(
    ['data'],
    'Asked when the amount of a referral is 0: `true` drops it, `false` records it.',
    { check: isBoolean },
  ),
  'provider_reference_{provider}_url': filter<string, [referral: Referral]>(
    ['referral'],
    'Address of the order in the back office of the shop, or "".',
    { check: isAddress, shown: true },
  ),
} as const;
