import { toWire } from '../../core/money.js';
import type { ReferralDto } from '../api-schemas.js';
import type { VisitReferral } from '../visits/types.js';
import { referrals } from './record.js';
import type { Referral } from './types.js';

/** The referral record of docs/interface.md §7.1. */
export function presentReferral(referral: Referral, programCurrency: string): ReferralDto {
  return referrals.present(referral, referral.currency ?? programCurrency);
}

/** A referral in the record of its visit. */
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
