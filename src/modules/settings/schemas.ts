import { anyObject, anything, array, integer, number, object, oneOf, string } from '../../http/schema.js';

const yesOrNo = oneOf('yes', 'no');

export const referralConfigBody = object({ referral_config: anyObject });

/** The known keys; extensions may add more. */
export const referralConfig = object(
  {
    referral_variable: string,
    rate_type: string,
    rate: number,
    cookie_duration: integer,
    referral_format: string,
    payout_method: string,
    number_format: string,
    currency: string,
    currency_symbol_position: string,
    credit_last_referrer: yesOrNo,
    exclude_shipping: yesOrNo,
    exclude_tax: yesOrNo,
    exclude_discount: yesOrNo,
    self_referral_disabled: yesOrNo,
    dashboard_page_id: anything,
    enabled_integrations: array(string),
    enable_subscription_renewal: yesOrNo,
    renewal_rate_type: string,
    renewal_rate: number,
    max_renewal_count: integer,
    enable_lifetime_commission: yesOrNo,
    lifetime_rate_type: string,
    lifetime_rate: number,
    lifetime_expiry_days: anything,
    hold_days: integer,
    renewal_max_months: anything,
    excluded_products: array(string),
    excluded_categories: array(string),
    rate_rules: oneOf('first', 'best'),
    commission_cap_amount: integer,
    commission_cap_days: integer,
  },
  { additionalProperties: true },
);
