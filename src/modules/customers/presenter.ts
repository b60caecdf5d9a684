import { createHash } from 'node:crypto';
import { customers } from './record.js';
import type { Customer } from './types.js';

/** The avatar service of the origin, addressed by a hash of the e-mail. */
export function avatarUrl(email: string | null): string {
  const hash = createHash('md5')
    .update((email ?? '').trim().toLowerCase())
    .digest('hex');
  return `https://www.gravatar.com/avatar/${hash}?s=128&d=mm`;
}

/** The customer record of docs/interface.md §8. */
export function presentCustomer(customer: Customer, photo: string): Record<string, unknown> {
  return {
    ...customers.present(customer),
    full_name: `${customer.first_name ?? ''} ${customer.last_name ?? ''}`.trim(),
    photo,
  };
}

/** A customer as a choice of a select input: whose it is, and closed when it is this affiliate's already. */
export function presentChoice(
  customer: Record<string, unknown>,
  affiliateId: number,
  owner: Record<string, unknown> | null,
): Record<string, unknown> {
  const details = owner?.['user_details'] as { full_name: string; email?: string } | undefined;
  const email = String(customer['email'] ?? '');
  const name = String(customer['full_name']) || email || `#${String(customer['id'])}`;
  return {
    ...customer,
    value: customer['id'],
    label: email === '' || email === name ? name : `${name} (${email})`,
    disabled: customer['by_affiliate_id'] === affiliateId,
    linked_affiliate_id: owner === null ? null : owner['id'],
    linked_affiliate_name: details?.full_name ?? '',
    affiliate: details
      ? { id: owner?.['id'], user: { full_name: details.full_name, user_email: details.email ?? '' } }
      : null,
  };
}
