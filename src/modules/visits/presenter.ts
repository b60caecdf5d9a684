import { toIso } from '../../core/dates.js';
import type { Visit, VisitReferral } from './types.js';

/** The visit record of visits §1. */
export function presentVisit(visit: Visit): Record<string, unknown> {
  return {
    id: visit.id,
    affiliate_id: visit.affiliate_id,
    user_id: visit.user_id,
    referral_id: visit.referral_id,
    url: visit.url ?? '',
    referrer: visit.referrer,
    utm_campaign: visit.utm_campaign,
    utm_medium: visit.utm_medium,
    utm_source: visit.utm_source,
    ip: visit.ip,
    created_at: toIso(visit.created_at),
    updated_at: toIso(visit.updated_at),
  };
}

export const presentWithReferrals = (
  visit: Visit,
  referrals: readonly VisitReferral[] = [],
): Record<string, unknown> => ({ ...presentVisit(visit), referrals });
