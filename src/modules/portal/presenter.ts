import { humanDate, toIso } from '../../core/dates.js';
import { cleanHtml } from '../../core/html.js';
import { minor, toWire } from '../../core/money.js';
import type { PortalReferralRow, PortalVisitRow, RecentReferral } from './schemas.js';
import type { PortalReferral, PortalVisit, VisitIncome } from './types.js';

export interface Locale {
  /** Null currency reads as this one. */
  readonly currency: string;
  readonly timeZone: string;
}

const amountOf = (referral: PortalReferral, { currency }: Locale): number =>
  toWire(minor(referral.amount_minor), referral.currency ?? currency);

/** The portal prints descriptions as markup, so they leave as markup that is safe. */
const safe = (description: string | null): string => cleanHtml(description ?? '');

/** Exactly the keys of docs/interface.md §11.2. */
export function presentReferral(referral: PortalReferral, locale: Locale): PortalReferralRow {
  return {
    description: safe(referral.description),
    status: referral.status,
    amount: amountOf(referral, locale),
    currency: referral.currency,
    utm_campaign: referral.utm_campaign,
    type: referral.type,
    created_at: toIso(referral.created_at),
    updated_at: toIso(referral.updated_at),
    human_date: humanDate(referral.created_at, locale.timeZone),
  };
}

export function presentRecent(referral: PortalReferral, locale: Locale): RecentReferral {
  return {
    description: safe(referral.description),
    created_at: toIso(referral.created_at),
    status: referral.status,
    amount: amountOf(referral, locale),
    human_date: humanDate(referral.created_at, locale.timeZone),
  };
}

/** Exactly the keys of docs/interface.md §11.3. */
export function presentVisit(
  visit: PortalVisit,
  income: VisitIncome | undefined,
  { currency, timeZone }: Locale,
): PortalVisitRow {
  return {
    url: visit.url,
    referrer: visit.referrer,
    utm_campaign: visit.utm_campaign,
    utm_medium: visit.utm_medium,
    utm_source: visit.utm_source,
    created_at: toIso(visit.created_at),
    human_date: humanDate(visit.created_at, timeZone),
    total_referral_amount: toWire(minor(income?.amount_minor ?? 0), currency),
    is_converted: income !== undefined,
  };
}
