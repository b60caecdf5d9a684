import type { HostUser } from '../../../adapters/host.js';
import { IMPORTED_NAME } from '../../core/imports/names.js';
import { avatarOf, initialsAvatar } from '../../core/avatar.js';
import type { AffiliateColumnsDto, NestedAffiliateDto, UserDto, UserDetailsDto } from '../api-schemas.js';
import type { Deps } from './deps.js';
import type { EventData } from '../event-log/types.js';
import { affiliates, ERASED } from './record.js';
import type { Affiliate, Visibility } from './types.js';

export interface PresentOptions extends Visibility {
  readonly currency: string;
  /** Where the host edits users; used for users without an address of their own for that. */
  readonly adminUrl: string;
  /** Clients with `compat` compare ids as text. */
  readonly idsAsText?: boolean;
}

/** The name that an import found for an affiliate without a user; '' for none. */
export function importedName({ custom_fields: fields }: Pick<Affiliate, 'custom_fields'>): string {
  const name = fields[IMPORTED_NAME];
  return typeof name === 'string' ? name : '';
}

/** The display name of an affiliate: the user's name, else the imported one, else the payment address, else the number. */
export const affiliateName = (
  affiliate: Pick<Affiliate, 'id' | 'payment_email' | 'custom_fields'>,
  user: HostUser | undefined,
): string =>
  user?.full_name ||
  user?.display_name ||
  importedName(affiliate) ||
  affiliate.payment_email ||
  `Affiliate #${affiliate.id}`;

/** The columns of an affiliate in responses, in the order that clients know. */
export function presentAffiliate(
  affiliate: Affiliate,
  { currency, bankDetails, idsAsText = false }: PresentOptions,
): AffiliateColumnsDto {
  const { group_id: groupId, settings } = affiliate;
  return {
    ...affiliates.present(affiliate, currency),
    group_id: idsAsText && groupId !== null ? String(groupId) : groupId,
    settings: { ...settings, bank_details: bankDetails ? settings.bank_details : '' },
  };
}

/** What affiliates see of their own row. */
export const presentOwn = (affiliate: Affiliate, currency: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(affiliates.present(affiliate, currency)).filter(([name]) =>
      affiliates.uses.portal.includes(name),
    ),
  );

/** The record for events, with payment details; the sender of the event decides whether to remove them. */
export async function affiliateDto(app: Deps, affiliate: Affiliate): Promise<AffiliateColumnsDto> {
  const { currency } = await app.settings.referralConfig();
  return presentAffiliate(affiliate, { currency, adminUrl: '', bankDetails: true });
}

/** The personal fields of the record, as an erasure leaves them. */
export const erasedFields = (affiliate: Affiliate): EventData => {
  const shown: EventData = affiliates.present({ ...affiliate, ...ERASED });
  return Object.fromEntries(Object.entries(shown).filter(([name]) => name in ERASED));
};

/** The affiliate inside other records: columns, user details and user. */
export function presentNested(
  affiliate: Affiliate,
  user: HostUser | undefined,
  options: PresentOptions,
): NestedAffiliateDto {
  return {
    ...presentAffiliate(affiliate, options),
    user_details: userDetails(affiliate, user, options),
    user: user ? presentUser(user) : null,
  };
}

function userDetails(
  affiliate: Affiliate,
  user: HostUser | undefined,
  { adminUrl }: PresentOptions,
): UserDetailsDto {
  const name = affiliateName(affiliate, user);
  if (!user)
    return {
      user_id: affiliate.user_id,
      affiliate_id: affiliate.id,
      full_name: name,
      avatar: initialsAvatar(name),
    };
  return {
    full_name: name,
    edit_url: user.edit_url ?? adminUrl,
    email: user.email,
    avatar: avatarOf(user),
    affiliate_id: affiliate.id,
    website: user.url,
    user_name: user.login,
    user_email: user.email,
  };
}

/** The user as docs/interface.md §4 defines it: never the whole account. */
export const presentUser = (user: HostUser): UserDto => ({
  ID: user.id,
  user_login: user.login,
  user_email: user.email,
  user_url: user.url,
  display_name: user.display_name,
  full_name: user.full_name,
  photo: avatarOf(user),
});

/**
 * A user for rows without a host user: the client of the affiliate list reads `user.photo` and the name
 * without checking.
 */
export function absentUser(affiliate: Affiliate): UserDto {
  const name = affiliateName(affiliate, undefined);
  return {
    ID: affiliate.user_id,
    user_login: '',
    user_email: '',
    user_url: '',
    display_name: name,
    full_name: name,
    photo: initialsAvatar(name),
  };
}
