import { humanDate, toIso } from '../../core/dates.js';
import { cleanHtml } from '../../core/html.js';
import { minor, toWire } from '../../core/money.js';
import type { Click, PortalReferralRow, PortalVisitRow, RecentReferral } from './schemas.js';
import { clicks, commissions, type PortalClick, type PortalCommission } from './record.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { VisitIncome } from './types.js';

export interface Locale {
  /** The currency of rows that name none. */
  readonly currency: string;
  readonly timeZone: string;
}

/** The portal prints descriptions as markup, so they are made safe here. */
const safe = (description: string | null): string => cleanHtml(description ?? '');

/** Exactly the keys of docs/interface.md §11.2. */
export const presentReferral = (
  referral: PortalCommission,
  { currency, timeZone }: Locale,
): PortalReferralRow => ({
  ...commissions.present(referral, referral.currency ?? currency),
  description: safe(referral.description),
  human_date: humanDate(referral.created_at, timeZone),
});

export function presentRecent(referral: PortalCommission, locale: Locale): RecentReferral {
  const { description, created_at, status, amount, human_date } = presentReferral(referral, locale);
  return { description, created_at, status, amount, human_date };
}

/** Exactly the keys of docs/interface.md §11.3, and the id. */
export const presentClick = (
  click: PortalClick,
  income: VisitIncome | undefined,
  { currency, timeZone }: Locale,
): Click => ({
  ...clicks.present(click),
  human_date: humanDate(click.created_at, timeZone),
  total_referral_amount: toWire(minor(income?.amount_minor ?? 0), currency),
  is_converted: income !== undefined,
});

export function presentVisit(...given: Parameters<typeof presentClick>): PortalVisitRow {
  const { id: _id, ...row } = presentClick(...given);
  return row;
}

/** The state of an affiliate that leaves, or asks for the deletion of its data. */
export const presentLeaving = (
  { status, deletion_asked_at: asked }: Affiliate,
  message: string,
): { status: string; deletion_asked_at: string | null; message: string } => ({
  status,
  deletion_asked_at: toIso(asked),
  message,
});
