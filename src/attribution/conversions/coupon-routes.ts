import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  coupon,
  couponBound,
  couponChange,
  couponParams,
  couponQuery,
  historyQuery,
  newCoupon,
} from './coupon-schemas.js';
import type { Deps } from './deps.js';
import type { ConversionsService } from './service.js';

export interface RouteDeps extends Deps {
  readonly conversions: ConversionsService;
}
const defineRoute = routesFor<RouteDeps>('coupons');
const coupons = resourcesFor<RouteDeps>('coupons');
const access = policies.section('affiliates');

export const couponRoutes: readonly Route<RouteDeps>[] = [
  coupons.page({
    id: 'coupons.list',
    paths: ['/coupons'],
    access,
    summary: 'List coupons and the affiliates they credit',
    name: 'coupons',
    row: coupon,
    query: couponQuery,
    page: ({ app, query }) => app.conversions.coupons.list(query),
  }),
  defineRoute({
    id: 'coupons.bind',
    method: 'post',
    paths: ['/coupons'],
    access,
    summary: 'Assign a coupon to an affiliate. The response contains its previous affiliate',
    body: newCoupon,
    response: couponBound,
    handler: async ({ app, body }) => {
      const { moved_from: id, also_in } = await app.conversions.coupons.bind(
        body.provider,
        body.code,
        body.affiliate_id,
      );
      const before = id === null ? null : ((await app.affiliates.embed([id])).get(id) ?? null);
      return {
        message: id === null ? 'Coupon assigned.' : 'Coupon moved.',
        moved_from: before,
        also_in: [...also_in],
      };
    },
  }),
  defineRoute({
    id: 'coupons.unbind',
    method: 'delete',
    paths: ['/coupons/:provider/:code'],
    access,
    summary: 'Unassign a coupon',
    params: couponParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.conversions.coupons.mustUnbind(params.provider, params.code);
      return { message: 'Coupon unassigned.' };
    },
  }),
  coupons.page({
    id: 'coupons.history',
    paths: ['/coupons/:provider/:code/history'],
    access,
    summary: "List a coupon's affiliates over time, newest first",
    params: couponParams,
    name: 'changes',
    row: couponChange,
    query: historyQuery,
    page: ({ app, params, query }) => app.conversions.coupons.history(params.provider, params.code, query),
  }),
];
