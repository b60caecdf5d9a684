import { toIso } from '../../core/dates.js';
import { toWire } from '../../core/money.js';
import type { Referral, VisitReferral } from './types.js';

/** Digits only and exact as a JSON number: a number; any other order id stays text. */
export function wireId(id: string | null): number | string | null {
  return id !== null && /^(?:0|[1-9]\d*)$/u.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

/** The referral record of referrals §1. */
export function presentReferral(referral: Referral, programCurrency: string): Record<string, unknown> {
  const currency = referral.currency ?? programCurrency;
  return {
    id: referral.id,
    affiliate_id: referral.affiliate_id,
    parent_id: referral.parent_id,
    customer_id: referral.customer_id,
    visit_id: referral.visit_id,
    description: referral.description,
    status: referral.status,
    amount: toWire(referral.amount_minor, currency),
    order_total: referral.order_total_minor === null ? null : toWire(referral.order_total_minor, currency),
    currency: referral.currency,
    utm_campaign: referral.utm_campaign,
    provider: referral.provider,
    provider_id: wireId(referral.provider_id),
    provider_sub_id: referral.provider_sub_id,
    products: referral.products,
    payout_transaction_id: referral.payout_transaction_id,
    payout_id: referral.payout_id,
    type: referral.type,
    settings: referral.settings,
    payable_at: toIso(referral.payable_at),
    created_at: toIso(referral.created_at),
    updated_at: toIso(referral.updated_at),
  };
}

/** What a visit shows of a referral it led to. */
export function presentForVisit(referral: Referral, programCurrency: string): VisitReferral {
  const currency = referral.currency ?? programCurrency;
  return {
    id: referral.id,
    visit_id: referral.visit_id ?? 0,
    status: referral.status,
    amount: toWire(referral.amount_minor, currency),
    currency,
  };
}
