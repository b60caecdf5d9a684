import type { Affiliate } from '../../program/affiliates/types.js';
import type { Customer } from './types.js';
import { isAddress, isMap } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export const customerHooks = defineHooks(
  {
    affiliate_avatar: filter<string, [email: string]>(
      ['email'],
      "URL of a customer's picture, by default from a hash of the e-mail address.",
      { check: isAddress, shown: true },
    ),
    affiliate_customers_query: filter<DataMap, [request: DataMap, affiliateId: number]>(
      ['request', 'affiliateId'],
      "The query for the list of an affiliate's customers.",
      { check: isMap, bad: 'drop' },
    ),
    affiliate_customers_response: mapFilter<[affiliate: Affiliate, request: DataMap]>(
      ['affiliate', 'request'],
      "The list of an affiliate's customers.",
      { check: isMap, shown: true },
    ),
    customer_linked: after<[customer: Customer, affiliate: Affiliate, previousAffiliateId: number | null]>(
      ['customer', 'affiliate', 'previousAffiliateId'],
      'A customer was linked to this affiliate.',
    ),
    customer_unlinked: after<
      [customer: Customer, affiliate: Affiliate | null, previousAffiliateId: number | null]
    >(['customer', 'affiliate', 'previousAffiliateId'], 'A customer was unlinked from an affiliate.'),
    customer_merged: after<[customer: Customer, mergedId: number]>(
      ['customer', 'mergedId'],
      'Another customer was merged into this customer, who now has its orders and clicks.',
    ),
  },
  {
    'affiliate.avatar': 'affiliate_avatar',
    'affiliate.customers_query': 'affiliate_customers_query',
    'affiliate.customers': 'affiliate_customers_response',
    'customer.linked': 'customer_linked',
    'customer.unlinked': 'customer_unlinked',
    'customer.merged': 'customer_merged',
  },
);
