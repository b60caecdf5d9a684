import type { Section } from '../../src/platform/access/policies.js';
import type { AuditEntry } from '../../src/program/audit/types.js';
import type { HostUser } from '../../adapters/host.js';
import { isBoolean } from '../checks.js';
import { after, filter } from '../line.js';

export interface AccessQuestion {
  readonly user: HostUser;
  readonly section: Section;
  readonly need: 'read' | 'write';
  /** The request behind the question, without its secrets; null for a call in code. */
  readonly request: { readonly id: string; readonly method: string; readonly url: string } | null;
}

// An answer that is no boolean leaves the outcome as it is.
const grant = { check: isBoolean, bad: 'drop' } as const;
const text = (section: string): string =>
  `May the user reach all ${section}? \`true\` grants, \`false\` refuses; never asked for administrators.`;

export const accessHooks = {
  has_all_affiliate_access: filter<boolean, [question: AccessQuestion]>(
    ['question'],
    text('affiliates'),
    grant,
  ),
  has_all_referral_access: filter<boolean, [question: AccessQuestion]>(
    ['question'],
    text('referrals'),
    grant,
  ),
  has_all_payout_access: filter<boolean, [question: AccessQuestion]>(['question'], text('payouts'), grant),
  has_all_visit_access: filter<boolean, [question: AccessQuestion]>(['question'], text('visits'), grant),
  user_has_affiliate_access: filter<boolean, [userId: number]>(
    ['userId'],
    'Is a user without stored permissions let in at all? This alone gives access to no data.',
    grant,
  ),
  manager_permissions_updated: after<
    [userId: number, permissions: readonly string[], previous: readonly string[], actorId: number | null]
  >(
    ['userId', 'permissions', 'previous', 'actorId'],
    'The permissions of a manager were stored or, with an empty list, removed.',
  ),
  audit: after<[entry: AuditEntry]>(
    ['entry'],
    'A change of money, a payment address, a rate or a right was committed: ' +
      'who made it, when, and the values before and after.',
  ),
} as const;
