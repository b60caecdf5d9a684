import { affiliateWp, sliceWp, solidAffiliate } from './fixtures.js';
import { affiliateManager, fluentAffiliate, ultimateAffiliate } from './more-fixtures.js';
import { PREFIX, type OldSite } from './old-site.js';

export interface SourceCase {
  readonly slug: string;
  readonly fill: (site: OldSite) => Promise<void>;
  /** SQL over the old tables: status, currency, n, total of the commissions an import must bring. */
  readonly expected: string;
  readonly reasons: readonly string[];
}

const p = PREFIX;
const sums = (
  table: string,
  parts: {
    status: string;
    currency: string;
    amount: string;
    affiliates: string;
    key: string;
    where?: string;
  },
): string =>
  `select ${parts.status} as status, ${parts.currency} as currency, count(*) as n, ` +
  `sum(round(${parts.amount}, case when ${parts.currency} = 'JPY' then 0 else 2 end)) as total ` +
  `from ${p}${table} r where r.${parts.key} in (select ${parts.affiliates}) ${parts.where ?? ''} group by 1, 2`;

/** Every source with its fixture, its own sums and the remarks that must be in the report. */
export const SOURCES: readonly SourceCase[] = [
  {
    slug: 'affiliate_wp',
    fill: affiliateWp,
    expected: sums('affiliate_wp_referrals', {
      status: 'r.status',
      currency: "case when r.currency = '' then 'USD' else r.currency end",
      amount: 'cast(r.amount as decimal(20, 6))',
      key: 'affiliate_id',
      affiliates: `affiliate_id from ${p}affiliate_wp_affiliates`,
      where: "and r.amount <> 'abc'",
    }),
    reasons: [
      'affiliate_missing',
      'amount_unusable',
      'user_deleted',
      'user_has_another_affiliate',
      'products_serialized_object_refused',
      'email_known_orders_joined',
      'payment_failed',
    ],
  },
  {
    slug: 'slicewp',
    fill: sliceWp,
    expected: sums('slicewp_commissions', {
      status: 'r.status',
      currency: 'r.currency',
      amount: 'r.amount',
      key: 'affiliate_id',
      affiliates: `id from ${p}slicewp_affiliates`,
    }),
    reasons: ['affiliate_missing', 'user_deleted', 'url_unusable', 'unpaid_commissions_held_by_open_payment'],
  },
  {
    slug: 'solid_affiliate',
    fill: solidAffiliate,
    expected: sums('solid_affiliate_referrals', {
      status: 'r.status',
      currency: "'USD'",
      amount: 'r.commission_amount',
      key: 'affiliate_id',
      affiliates: `id from ${p}solid_affiliate_affiliates`,
      where: "and r.status <> 'draft'",
    }),
    reasons: ['affiliate_missing', 'group_missing', 'commission_never_completed'],
  },
  {
    slug: 'ultimate_affiliate',
    fill: ultimateAffiliate,
    expected: sums('uap_referrals', {
      status:
        "case when r.status = 0 then 'rejected' when r.status = 1 then 'pending' when r.payment = 2 then 'paid' " +
        "else 'unpaid' end",
      currency: "case when r.currency = '' then 'EUR' else r.currency end",
      amount: 'cast(r.amount as decimal(20, 6))',
      key: 'affiliate_id',
      affiliates: `id from ${p}uap_affiliates`,
    }),
    reasons: [
      'affiliate_missing',
      'group_missing',
      'referral_ids_serialized_object_refused',
      'unpaid_commissions_held_by_open_payment',
    ],
  },
  {
    slug: 'fluent_affiliate',
    fill: fluentAffiliate,
    expected: sums('fa_referrals', {
      status: 'r.status',
      currency: "coalesce(r.currency, 'USD')",
      amount: 'r.amount',
      key: 'affiliate_id',
      affiliates: `id from ${p}fa_affiliates`,
    }),
    reasons: [
      'affiliate_missing',
      'settings_serialized_object_refused',
      'value_serialized_object_refused',
      'custom_param_taken',
      'manager_rights_given',
      'permissions_serialized_object_refused',
      'manager_user_missing',
      'manager_without_known_rights',
      'meta_serialized_object_refused',
      'unpaid_commissions_held_by_open_payment',
    ],
  },
  {
    slug: 'affiliate_manager',
    fill: affiliateManager,
    // which of them are paid is worked out by the import; payments in part add
    // pairs that are nothing together
    expected:
      "select 'all' as status, 'USD' as currency, count(*) as n, sum(round(r.amount, 2)) as total " +
      `from ${p}wpam_transactions r where r.type <> 'payout' ` +
      `and r.affiliateId in (select affiliateId from ${p}wpam_affiliates)`,
    reasons: [
      'affiliate_missing',
      'negative_as_correction',
      'partly_covered_by_payments',
      'carried_by_payment',
      'payment_failed',
      'unpaid_commissions_held_by_open_payment',
    ],
  },
];
