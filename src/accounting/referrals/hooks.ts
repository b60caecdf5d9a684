import type { Affiliate } from '../../program/affiliates/types.js';
import type { Referral } from './types.js';
import { isAddress } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter } from '../../platform/hooks/line.js';

export const referralHooks = defineHooks(
  {
    referral_recorded: after<[referral: Referral]>(
      ['referral'],
      'A referral was recorded, with any status and from any source.',
    ),
    referral_created: after<[referral: Referral]>(
      ['referral'],
      'A referral was recorded with any status but `unpaid`; for those `referral_marked_unpaid` is fired instead.',
    ),
    'referral_marked_{status}': after<[referral: Referral]>(
      ['referral'],
      'The status of a referral changed to this one, from any source; `unpaid` also when it was recorded as unpaid.',
      { values: ['pending', 'unpaid', 'paid', 'rejected'] },
    ),
    referral_updated: after<[referral: Referral, previous: Referral]>(
      ['referral', 'previous'],
      'A referral was changed.',
    ),
    referral_commission_updated: after<[referral: Referral]>(
      ['referral'],
      'A partial refund changed amount and order total of a referral that is not paid yet.',
    ),
    affiliate_balance_corrected: after<[referral: Referral]>(
      ['referral'],
      "An affiliate's balance was corrected by this referral of type `adjustment`; its amount may be below 0.",
    ),
    referrals_stale: after<[stale: { count: number; oldest: number | null }]>(
      ['stale'],
      'Once a day while commissions have been pending for longer than option `stalePendingDays`; ' +
        '`oldest` is when the oldest was recorded.',
    ),
    'referral/before_delete': before<[referral: Referral]>(
      ['referral'],
      'A referral is about to be deleted. Throw to stop it.',
    ),
    'referral/deleted': after<[referralId: number, affiliate: Affiliate | null]>(
      ['referralId', 'affiliate'],
      'A referral was deleted.',
    ),
    referrals_bulk_deleted: after<[affiliateId: number, count: number]>(
      ['affiliateId', 'count'],
      'An affiliate was deleted together with more referrals than `referral/deleted` is fired for; ' +
        '`count` is the number of all.',
    ),
    'provider_reference_{provider}_url': filter<string, [referral: Referral]>(
      ['referral'],
      'Address of the order in the back office of the shop, or "".',
      { check: isAddress, shown: true },
    ),
  },
  {
    'referral.created': 'referral_recorded',
    'referral.created_not_payable': 'referral_created',
    'referral.status_changed.{status}': 'referral_marked_{status}',
    'referral.updated': 'referral_updated',
    'referral.amount_changed': 'referral_commission_updated',
    'balance.corrected': 'affiliate_balance_corrected',
    'referral.stale': 'referrals_stale',
    'referral.deleting': 'referral/before_delete',
    'referral.deleted': 'referral/deleted',
    'referral.bulk_deleted': 'referrals_bulk_deleted',
    'order.url.{provider}': 'provider_reference_{provider}_url',
  },
);
