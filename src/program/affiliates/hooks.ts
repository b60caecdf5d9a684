import type { HostUser as User } from '../../../adapters/host.js';
import type { Affiliate } from './types.js';
import { isCollection, isList, isMap } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export const affiliateHooks = defineHooks(
  {
    affiliate_created: after<[affiliate: Affiliate, user: User | null]>(
      ['affiliate', 'user'],
      'An affiliate was created, from any source. Not fired for an update.',
    ),
    'affiliate_status_to_{status}': after<[affiliate: Affiliate, previous: string]>(
      ['affiliate', 'previous'],
      'The status of an affiliate changed to this one. ' +
        'For `active` also right after `affiliate_created` when it starts active; `previous` is then "".',
      { values: ['pending', 'active', 'inactive'] },
    ),
    affiliate_updated: after<[affiliate: Affiliate, by: 'by_admin', data: DataMap]>(
      ['affiliate', 'by', 'data'],
      'An administrator or manager changed an affiliate; `by` is always `by_admin`, `data` is what was sent. ' +
        'Fired before the action for the new status.',
    ),
    before_delete_affiliate: before<[affiliate: Affiliate]>(
      ['affiliate'],
      'An affiliate with its visits and referrals is about to be removed; `ctx.counts` has their numbers. Throw to stop it.',
    ),
    after_delete_affiliate: after<[affiliateId: number]>(['affiliateId'], 'An affiliate was removed.'),
    before_merge_affiliates: before<[kept: Affiliate, merged: Affiliate]>(
      ['kept', 'merged'],
      'The second affiliate is about to become part of the first one. Throw to stop it.',
    ),
    affiliates_merged: after<[kept: Affiliate, mergedId: number]>(
      ['kept', 'mergedId'],
      'An affiliate took over everything of another one, which no longer exists.',
    ),
    affiliate_view_data: mapFilter<[affiliate: Affiliate]>(
      ['affiliate'],
      'The answer for a single affiliate.',
      { check: isMap, shown: true },
    ),
    affiliate_widgets: filter<readonly unknown[] | DataMap, [affiliate: Affiliate]>(
      ['affiliate'],
      'Extra cards `{title, content, action}` of the answer for a single affiliate, as a list or by key.',
      { check: isCollection, shown: true },
    ),
    affiliate_attached_coupons: filter<readonly unknown[], [affiliate: Affiliate, context: 'view' | 'edit']>(
      ['affiliate', 'context'],
      'Coupons bound to an affiliate; `context` is `view` in the portal, `edit` for administrators.',
      { check: isList, shown: true },
    ),
  },
  {
    'affiliate.created': 'affiliate_created',
    'affiliate.status_changed.{status}': 'affiliate_status_to_{status}',
    'affiliate.updated': 'affiliate_updated',
    'affiliate.deleting': 'before_delete_affiliate',
    'affiliate.deleted': 'after_delete_affiliate',
    'affiliate.merging': 'before_merge_affiliates',
    'affiliate.merged': 'affiliates_merged',
    'affiliate.view': 'affiliate_view_data',
    'affiliate.widgets': 'affiliate_widgets',
    'affiliate.coupons': 'affiliate_attached_coupons',
  },
);
