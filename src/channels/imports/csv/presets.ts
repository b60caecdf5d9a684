import { importedColumns } from '../../../program/api-schemas.js';
import type { CsvForms } from './values.js';

/** The six files an import may have. */
export const CSV_FILES = ['affiliates', 'customers', 'commissions', 'clicks', 'payouts', 'coupons'] as const;
export type CsvFileName = (typeof CSV_FILES)[number];

const REF = {
  affiliate_id: ['partner_id', 'promoter_id'],
  affiliate_email: ['partner_email', 'promoter_email'],
  affiliate_token: ['token', 'ref_id', 'via', 'referral_code', 'affiliate_code'],
} as const;

/**
 * Columns where a wrong guess changes money, and the names that may mean something else: where a file has
 * such a name beside another one, a person chooses.
 */
export const RIVALS: Readonly<Partial<Record<CsvFileName, Readonly<Record<string, readonly string[]>>>>> = {
  commissions: {
    amount: ['commission', 'commission_amount', 'earnings', 'reward_amount'],
    status: ['payout_status'],
  },
  payouts: {
    amount: ['total', 'payout_amount', 'total_amount'],
    status: ['payout_status'],
  },
};
/** Columns that hold amounts, and those that hold e-mail addresses. */
export const AMOUNTS: Readonly<Partial<Record<CsvFileName, readonly string[]>>> = {
  affiliates: ['total_earnings', 'paid_earnings', 'unpaid_earnings'],
  commissions: ['amount', 'order_total'],
  payouts: ['amount'],
};
export const EMAILS: Readonly<Record<CsvFileName, readonly string[]>> = {
  affiliates: ['email', 'payment_email'],
  customers: ['email', 'affiliate_email'],
  commissions: ['affiliate_email', 'customer_email'],
  clicks: ['affiliate_email'],
  payouts: ['affiliate_email'],
  coupons: ['affiliate_email'],
};

/** Our columns, and other names that files have for them. Case, blanks, `-` and `_` do not count. */
export const COLUMNS: Readonly<Record<CsvFileName, Readonly<Record<string, readonly string[]>>>> = {
  affiliates: {
    id: ['affiliate_id', 'partner_id', 'promoter_id'],
    email: ['affiliate_email', 'email_address'],
    login: ['username'],
    full_name: ['name', 'affiliate_name'],
    first_name: [],
    last_name: [],
    status: ['state'],
    rate_type: ['commission_type'],
    rate: ['commission_rate', 'commission', 'commission_percent'],
    group: ['group_name', 'campaign', 'campaign_name', 'program', 'offer'],
    custom_param: [
      'token',
      'ref_id',
      'referral_code',
      'affiliate_code',
      'link_token',
      'tracking_parameter',
      'code',
    ],
    other_links: [],
    payment_email: ['paypal_email', 'paypal'],
    bank_details: ['bank', 'iban'],
    company: ['company_name'],
    website: ['website_url'],
    phone: ['phone_number'],
    country: [],
    note: ['notes'],
    ...Object.fromEntries(importedColumns.map((column) => [column, []])),
    total_earnings: [],
    paid_earnings: [],
    unpaid_earnings: [],
    referrals: [],
    visits: [],
    created_at: ['created', 'date', 'joined_at', 'date_joined', 'signed_up', 'joined'],
  },
  customers: {
    id: ['customer_id', 'stripe_customer_id', 'external_id'],
    email: ['customer_email'],
    full_name: ['name', 'customer_name'],
    first_name: [],
    last_name: [],
    ...REF,
    affiliate_name: [],
    affiliate_first_name: [],
    affiliate_last_name: [],
    created_at: ['created', 'date', 'signed_up_at'],
  },
  commissions: {
    id: ['commission_id', 'referral_id', 'conversion_id', 'reward_id'],
    ...REF,
    affiliate_name: [],
    customer_id: ['stripe_customer_id', 'lead_id'],
    customer_email: ['lead_email'],
    payout_id: ['payment_id'],
    parent_id: [],
    status: ['state', 'commission_status', 'payout_status'],
    amount: ['commission', 'commission_amount', 'earnings', 'reward_amount'],
    order_total: [
      'sale_amount',
      'order_amount',
      'total',
      'sale',
      'revenue',
      'conversion_amount',
      'gross_amount',
    ],
    currency: ['currency_code'],
    description: ['note'],
    provider: ['source', 'integration', 'platform'],
    provider_id: ['order_id', 'order', 'order_number', 'reference', 'invoice_id', 'charge_id', 'external_id'],
    provider_sub_id: ['subscription_id'],
    utm_campaign: ['campaign'],
    type: ['commission_kind'],
    created_at: ['created', 'date', 'conversion_date'],
  },
  clicks: {
    id: ['click_id', 'visit_id'],
    ...REF,
    affiliate_name: [],
    referral_id: ['commission_id'],
    url: ['landing_page', 'landing_url'],
    referrer: ['referer'],
    utm_campaign: ['campaign'],
    utm_medium: [],
    utm_source: [],
    ip: ['ip_address'],
    created_at: ['created', 'date', 'timestamp'],
  },
  payouts: {
    id: ['payout_id', 'payment_id', 'transaction_id'],
    ...REF,
    affiliate_name: [],
    amount: ['total', 'payout_amount', 'total_amount'],
    currency: ['currency_code'],
    method: ['payout_method', 'payment_method'],
    status: ['state', 'payout_status'],
    commission_ids: ['commissions', 'referral_ids', 'referrals'],
    batch: ['batch_id', 'payout_batch'],
    title: [],
    created_at: ['paid_at', 'created', 'date', 'payment_date'],
  },
  coupons: {
    code: ['coupon', 'coupon_code', 'discount_code'],
    ...REF,
    affiliate_name: [],
    provider: ['source', 'integration', 'platform'],
  },
};

const AFFILIATE_WORDS: Readonly<Record<string, string>> = {
  approved: 'active',
  enabled: 'active',
  accepted: 'active',
  invited: 'pending',
  new: 'pending',
  unconfirmed: 'pending',
  rejected: 'inactive',
  denied: 'inactive',
  disabled: 'inactive',
  blocked: 'inactive',
  suspended: 'inactive',
  banned: 'inactive',
  deactivated: 'inactive',
  archived: 'inactive',
};
const COMMISSION_WORDS: Readonly<Record<string, string>> = {
  due: 'unpaid',
  approved: 'unpaid',
  processed: 'unpaid',
  voided: 'rejected',
  denied: 'rejected',
  disapproved: 'rejected',
  refunded: 'rejected',
  declined: 'rejected',
  canceled: 'cancelled',
};
const PAYOUT_WORDS: Readonly<Record<string, string>> = {
  completed: 'paid',
  complete: 'paid',
  sent: 'paid',
  pending: 'processing',
  due: 'processing',
  unpaid: 'processing',
  cancelled: 'failed',
  canceled: 'failed',
};

type Words = Readonly<Record<'affiliates' | 'commissions' | 'payouts', Readonly<Record<string, string>>>>;

export interface CsvPreset extends CsvForms {
  /** Link variable of the system; null where every program has its own. */
  readonly variable: string | null;
  readonly columns?: Partial<Record<CsvFileName, Readonly<Record<string, readonly string[]>>>>;
  readonly words: Words;
}

const words = (more: Partial<Words> = {}): Words => ({
  affiliates: { ...AFFILIATE_WORDS, ...more.affiliates },
  commissions: { ...COMMISSION_WORDS, ...more.commissions },
  payouts: { ...PAYOUT_WORDS, ...more.payouts },
});

/** What is known of the files of hosted systems. */
export const PRESETS = {
  generic: { variable: null, words: words() },
  rewardful: {
    variable: 'via',
    words: words(),
    columns: {
      affiliates: { custom_param: ['link_token', 'token', 'links'], group: ['campaign'] },
      // Its template has a row per buyer, with the names and the address of the affiliate.
      customers: {
        id: ['stripe_customer_id', 'customer_id', 'imported_id', 'id'],
        affiliate_email: ['affiliate_email', 'email'],
        affiliate_first_name: ['affiliate_first_name', 'first_name'],
        affiliate_last_name: ['affiliate_last_name', 'last_name'],
      },
      commissions: {
        order_total: ['sale_amount', 'sale'],
        provider_id: ['stripe_charge_id', 'charge_id', 'sale_id'],
      },
    },
  },
  tapfiliate: {
    variable: 'ref',
    words: words(),
    columns: {
      // A conversion's `amount` is that of the order.
      commissions: {
        amount: ['commission_amount'],
        order_total: ['amount', 'conversion_amount', 'amount_of_conversion'],
        status: ['commission_status'],
        provider_id: ['external_id', 'conversion_external_id'],
      },
    },
  },
  refersion: {
    variable: 'rfsn',
    words: words({ commissions: { pending: 'pending', approved: 'unpaid', denied: 'rejected' } }),
    columns: {
      affiliates: { id: ['affiliate_code', 'affiliate_id', 'id'], custom_param: ['affiliate_code'] },
      commissions: {
        order_total: ['order_total', 'total', 'subtotal'],
        provider_id: ['order_id', 'order_number'],
      },
    },
  },
  goaffpro: {
    variable: 'ref',
    words: words({ commissions: { pending: 'pending' } }),
    columns: {
      affiliates: { custom_param: ['ref_code', 'referral_code'] },
      commissions: { provider_id: ['order_number', 'order_id', 'number'] },
    },
  },
  dub: {
    variable: 'via',
    minorUnits: true,
    words: words({
      commissions: { processed: 'unpaid', fraud: 'rejected', duplicate: 'rejected', hold: 'pending' },
    }),
    columns: {
      affiliates: { id: ['partner_id', 'id'], custom_param: ['link_key', 'username', 'key'] },
      commissions: {
        affiliate_id: ['partner_id', 'partner'],
        amount: ['earnings'],
        order_total: ['amount', 'sale_amount'],
        provider_id: ['invoice_id'],
      },
    },
  },
  firstpromoter: {
    variable: 'fpr',
    words: words(),
    columns: {
      affiliates: { id: ['promoter_id', 'id'], custom_param: ['ref_id', 'default_ref_id', 'auth_token'] },
      commissions: {
        affiliate_id: ['promoter_id'],
        affiliate_email: ['promoter_email'],
        affiliate_token: ['ref_id'],
      },
    },
  },
  tolt: {
    variable: 'via',
    words: words(),
    columns: { affiliates: { id: ['partner_id', 'id'], custom_param: ['link_value', 'value'] } },
  },
} as const satisfies Readonly<Record<string, CsvPreset>>;

export type CsvPresetName = keyof typeof PRESETS;
/** A column whose meaning the preset knows: `email` of Rewardful's buyers is the affiliate's. */
export const presetNames = (preset: CsvPreset, file: CsvFileName, column: string): readonly string[] =>
  preset.columns?.[file]?.[column] ?? [];

export const PRESET_NAMES = Object.keys(PRESETS) as readonly CsvPresetName[];
