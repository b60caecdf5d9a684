import { isAddress, isCollection, isList, isMap } from '../checks.js';
import { after, before, filter } from '../line.js';
import type { Affiliate, Customer, DataMap, User } from '../records.js';

export const affiliateHooks = {
  affiliate_created: after<[affiliate: Affiliate, user: User | null]>(
    ['affiliate', 'user'],
    'A new affiliate exists, from whatever source. Not fired for an update.',
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
    'An affiliate with its visits and referrals is about to be removed; `ctx.counts` says how many. Throw to stop it.',
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
  affiliate_view_data: filter<DataMap, [affiliate: Affiliate]>(
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
  default_share_url: filter<string, [affiliate: Affiliate]>(
    ['affiliate'],
    "Base address of an affiliate's default link.",
    { check: isAddress, shown: true },
  ),
  affiliate_avatar: filter<string, [email: string]>(
    ['email'],
    'Picture of a customer, by the hash of the e-mail address.',
    { check: isAddress, shown: true },
  ),
  affiliate_customers_query: filter<DataMap, [request: DataMap, affiliateId: number]>(
    ['request', 'affiliateId'],
    'The query with which the customers of an affiliate are listed.',
    { check: isMap, bad: 'drop' },
  ),
  affiliate_customers_response: filter<DataMap, [affiliate: Affiliate, request: DataMap]>(
    ['affiliate', 'request'],
    'The customer list of an affiliate.',
    { check: isMap, shown: true },
  ),
  customer_linked: after<[customer: Customer, affiliate: Affiliate, previousAffiliateId: number | null]>(
    ['customer', 'affiliate', 'previousAffiliateId'],
    'A customer now belongs to this affiliate.',
  ),
  customer_unlinked: after<
    [customer: Customer, affiliate: Affiliate | null, previousAffiliateId: number | null]
  >(['customer', 'affiliate', 'previousAffiliateId'], 'A customer no longer belongs to an affiliate.'),
  customer_merged: after<[customer: Customer, mergedId: number]>(
    ['customer', 'mergedId'],
    'Two customers are the same person: all that the merged one had belongs to this customer.',
  ),
} as const;
