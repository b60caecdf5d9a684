import type { HostUser } from '../../../adapters/host.js';
import { isBoolean, isWhole } from './checks.js';
import { after, defineHooks, filter } from './line.js';
import type { Section } from '../access/policies.js';

export interface AccessQuestion {
  readonly user: HostUser;
  readonly section: Section;
  readonly need: 'read' | 'write';
  /** The request behind the question, without its secrets; null for a call in code. */
  readonly request: { readonly id: string; readonly method: string; readonly url: string } | null;
}

// A value that is no boolean does not change the outcome.
const grant = { check: isBoolean, bad: 'drop' } as const;

const text = (section: string): string =>
  `Whether the user can access all ${section}: return \`true\` or \`false\`. Not called for administrators.`;

export const platformHooks = defineHooks(
  {
    loaded: after<[service: unknown]>(
      ['service'],
      "The service was created and hasn't served a request yet.",
      {
        live: true,
      },
    ),
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
      'Whether a user without stored permissions has any access. This alone gives no access to data.',
      grant,
    ),
    manager_permissions_updated: after<
      [userId: number, permissions: readonly string[], previous: readonly string[], actorId: number | null]
    >(
      ['userId', 'permissions', 'previous', 'actorId'],
      "A manager's permissions were stored, or removed if the list is empty.",
    ),
    data_export_limit: filter<number>([], 'Maximum number of rows in an export.', { check: isWhole }),
  },
  {
    'service.created': 'loaded',
    'access.all_affiliates': 'has_all_affiliate_access',
    'access.all_referrals': 'has_all_referral_access',
    'access.all_payouts': 'has_all_payout_access',
    'access.all_visits': 'has_all_visit_access',
    'access.user': 'user_has_affiliate_access',
    'manager.permissions_updated': 'manager_permissions_updated',
    'export.limit': 'data_export_limit',
  },
);
