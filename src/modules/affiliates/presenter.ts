import type { HostUser } from '../../../adapters/host.js';
import { toIso } from '../../core/dates.js';
import { toWire } from '../../core/money.js';
import { rateToWire } from '../../core/rate.js';
import type { Affiliate, Visibility } from './types.js';

export interface PresentOptions extends Visibility {
  readonly currency: string;
  readonly adminUrl: string;
}

/** The columns of an affiliate on the wire, in the order of the contract. */
export function presentAffiliate(
  affiliate: Affiliate,
  { currency, bankDetails }: PresentOptions,
): Record<string, unknown> {
  return {
    id: affiliate.id,
    contact_id: affiliate.contact_id,
    user_id: affiliate.user_id,
    group_id: affiliate.group_id,
    rate: affiliate.rate_e4 === null ? null : rateToWire(affiliate.rate_e4),
    total_earnings: toWire(affiliate.total_earnings_minor, currency),
    unpaid_earnings: toWire(affiliate.unpaid_earnings_minor, currency),
    referrals: affiliate.referrals,
    visits: affiliate.visits,
    lead_counts: affiliate.lead_counts,
    rate_type: affiliate.rate_type,
    custom_param: affiliate.custom_param,
    payment_email: affiliate.payment_email,
    status: affiliate.status,
    settings: { ...affiliate.settings, bank_details: bankDetails ? affiliate.settings.bank_details : '' },
    custom_fields: Object.keys(affiliate.custom_fields).length === 0 ? [] : affiliate.custom_fields,
    note: affiliate.note,
    created_at: toIso(affiliate.created_at),
    updated_at: toIso(affiliate.updated_at),
  };
}

/** The affiliate as other records carry it: columns, user details and user. */
export function presentNested(
  affiliate: Affiliate,
  user: HostUser | undefined,
  options: PresentOptions,
): Record<string, unknown> {
  return {
    ...presentAffiliate(affiliate, options),
    user_details: userDetails(affiliate, user, options.adminUrl),
    user: user ? presentUser(user) : null,
  };
}

function userDetails(
  affiliate: Affiliate,
  user: HostUser | undefined,
  adminUrl: string,
): Record<string, unknown> {
  if (!user) return { user_id: affiliate.user_id, affiliate_id: affiliate.id };
  return {
    full_name: user.full_name,
    edit_url: user.edit_url ?? adminUrl,
    email: user.email,
    avatar: user.avatar,
    affiliate_id: affiliate.id,
    website: user.url,
    user_name: user.login,
    user_email: user.email,
  };
}

/** The fixed user object of conventions §"Where we do better": never the whole account. */
export const presentUser = (user: HostUser): Record<string, unknown> => ({
  ID: user.id,
  user_login: user.login,
  user_email: user.email,
  user_url: user.url,
  display_name: user.display_name,
  full_name: user.full_name,
  photo: user.avatar,
});

/** The affiliate list's client reads `user.photo` unasked, so a row without host user gets an empty one there. */
export const absentUser = (userId: number | null): Record<string, unknown> => ({
  ID: userId,
  user_login: '',
  user_email: '',
  user_url: '',
  display_name: '',
  full_name: '',
  photo: '',
});
