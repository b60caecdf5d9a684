import type { Affiliate } from '../../program/affiliates/types.js';
import type { Referral } from './types.js';
import { isAddress } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter } from '../../platform/hooks/line.js';

export const referralHooks = defineHooks(
  {
    referral_recorded: after<[referral: Referral]>(
      ['referral'],
      'A referral was recorded, with any status and by any source.',
    ),
    referral_created: after<[referral: Referral]>(
      ['referral'],
      'A referral was recorded with any status except `unpaid`. For `unpaid`, `referral_marked_unpaid` is called instead.',
    ),
    'referral_marked_{status}': after<[referral: Referral]>(
      ['referral'],
      'The status of a referral changed to this one, by any source. For `unpaid`, also called if it was recorded as unpaid.',
      { values: ['pending', 'unpaid', 'paid', 'rejected'] },
    ),
    referral_updated: after<[referral: Referral, previous: Referral]>(
      ['referral', 'previous'],
      'A referral was updated.',
    ),
    referral_commission_updated: after<[referral: Referral]>(
      ['referral'],
      'A partial refund changed the amount and order total of an unpaid referral.',
    ),
    affiliate_balance_corrected: after<[referral: Referral]>(
      ['referral'],
      "An affiliate's balance was corrected with this referral of type `adjustment`. Its amount can be negative.",
    ),
    referrals_stale: after<[stale: { count: number; oldest: number | null }]>(
      ['stale'],
      'Called once a day while commissions are pending for longer than `stalePendingDays`. `oldest` is ' +
        'the time the oldest was recorded.',
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
      'An affiliate was deleted with more referrals than `referral/deleted` is called for. `count` is ' +
        'the total number.',
    ),
    'provider_reference_{provider}_url': filter<string, [referral: Referral]>(
      ['referral'],
      'URL of the order in the shop\'s admin, or "".',
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
