import type { HostUser as User } from '../../../adapters/host.js';
import type { Affiliate } from './types.js';
import { isCollection, isList, isMap } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export const affiliateHooks = defineHooks(
  {
    affiliate_created: after<[affiliate: Affiliate, user: User | null]>(
      ['affiliate', 'user'],
      'An affiliate was created, by any source. Not called for updates.',
    ),
    'affiliate_status_to_{status}': after<[affiliate: Affiliate, previous: string]>(
      ['affiliate', 'previous'],
      'The status of an affiliate changed to this one. For `active`, also called right after ' +
        '`affiliate_created` if the affiliate starts active; `previous` is then "".',
      { values: ['pending', 'active', 'inactive'] },
    ),
    affiliate_updated: after<[affiliate: Affiliate, by: 'by_admin', data: DataMap]>(
      ['affiliate', 'by', 'data'],
      'An administrator or manager changed an affiliate. `by` is always `by_admin`; `data` is the ' +
        "request's input. Called before the action for the new status.",
    ),
    before_delete_affiliate: before<[affiliate: Affiliate]>(
      ['affiliate'],
      'An affiliate is about to be deleted with its visits and referrals; `ctx.counts` contains their numbers. Throw to stop it.',
    ),
    after_delete_affiliate: after<[affiliateId: number]>(['affiliateId'], 'An affiliate was deleted.'),
    before_merge_affiliates: before<[kept: Affiliate, merged: Affiliate]>(
      ['kept', 'merged'],
      'The second affiliate is about to be merged into the first one. Throw to stop it.',
    ),
    affiliates_merged: after<[kept: Affiliate, mergedId: number]>(
      ['kept', 'mergedId'],
      'The affiliate `mergedId` was merged into `kept` and no longer exists.',
    ),
    affiliate_view_data: mapFilter<[affiliate: Affiliate]>(
      ['affiliate'],
      'The response for a single affiliate.',
      { check: isMap, shown: true },
    ),
    affiliate_widgets: filter<readonly unknown[] | DataMap, [affiliate: Affiliate]>(
      ['affiliate'],
      'Extra cards `{title, content, action}` in the response for a single affiliate, as a list or by key.',
      { check: isCollection, shown: true },
    ),
    affiliate_attached_coupons: filter<readonly unknown[], [affiliate: Affiliate, context: 'view' | 'edit']>(
      ['affiliate', 'context'],
      'Coupons assigned to an affiliate. `context` is `view` in the portal and `edit` for administrators.',
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
