import { initialsAvatar } from '../../core/avatar.js';
import { toIso } from '../../core/dates.js';
import type { CustomerDto } from '../api-schemas.js';
import type { NestedAffiliateDto } from '../../program/api-schemas.js';
import type { EventData } from '../../program/event-log/types.js';
import { customers, ERASED } from './record.js';
import type { NameRow } from './repository.js';
import type { CustomerChoiceDto, CustomerNameDto } from './schemas.js';
import type { Customer } from './types.js';

/** The buyer's initials as a picture. No other service is asked for one, since it would learn the address. */
export const pictureOf = ({ first_name, last_name, email }: Customer): string =>
  initialsAvatar(`${first_name ?? ''} ${last_name ?? ''}`.trim() || (email ?? ''));

/** The customer record of docs/interface.md §8. */
export function presentCustomer(customer: Customer, photo: string): CustomerDto {
  return {
    ...customers.present(customer),
    full_name: `${customer.first_name ?? ''} ${customer.last_name ?? ''}`.trim(),
    photo,
  };
}

/** Only a hash of a card is stored, so there is nothing to show of it. */
export const presentName = ({ kind, name, label, since }: NameRow): CustomerNameDto => ({
  kind,
  name: kind === 'card' ? '' : (label ?? name),
  since: toIso(since),
});

/** The personal fields of the record, as an erasure leaves them. */
export function erasedFields(customer: Customer): EventData {
  const erased = { ...customer, ...ERASED };
  const blank = presentCustomer(erased, pictureOf(erased));
  return Object.fromEntries(
    Object.entries(blank).filter(([name]) => name in ERASED || ['full_name', 'photo'].includes(name)),
  );
}

/**
 * A customer as a choice of a select input, with its affiliate; disabled when it already belongs to this one.
 */
export function presentChoice(
  customer: CustomerDto,
  affiliateId: number,
  owner: NestedAffiliateDto | null,
): CustomerChoiceDto {
  const email = customer.email ?? '';
  const name = customer.full_name || email || `#${customer.id}`;
  const ownerName = owner?.user_details.full_name ?? '';
  return {
    ...customer,
    value: customer.id,
    label: email === '' || email === name ? name : `${name} (${email})`,
    disabled: customer.by_affiliate_id === affiliateId,
    linked_affiliate_id: owner?.id ?? null,
    linked_affiliate_name: ownerName,
    affiliate: owner && {
      id: owner.id,
      user: { full_name: ownerName, user_email: owner.user_details.email ?? '' },
    },
  };
}
