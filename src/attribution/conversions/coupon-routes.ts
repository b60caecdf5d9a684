import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { messageResponse } from '../../api-schemas.js';
import {
  couponBound,
  couponHistory,
  couponPage,
  couponParams,
  couponQuery,
  historyQuery,
  newCoupon,
} from './coupon-schemas.js';
import type { Deps } from './deps.js';
import type { ConversionsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps extends Deps {
  readonly conversions: ConversionsService;
}
const defineRoute = routesFor<RouteDeps>('coupons');
const access = policies.section('affiliates');

export const couponRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'coupons.list',
    method: 'get',
    paths: ['/coupons'],
    access,
    summary: 'List coupons and whom they credit',
    query: couponQuery,
    response: couponPage,
    handler: async ({ app, query, request }) => ({
      coupons: pageEnvelope(request.url, await app.conversions.coupons.list(query)),
    }),
  }),
  defineRoute({
    id: 'coupons.bind',
    method: 'post',
    paths: ['/coupons'],
    access,
    summary: 'Bind a coupon to an affiliate; the response says whose it was',
    body: newCoupon,
    response: couponBound,
    handler: async ({ app, body }) => {
      const { moved_from: id } = await app.conversions.coupons.bind(
        body.provider,
        body.code,
        body.affiliate_id,
      );
      const before = id === null ? null : ((await app.affiliates.embed([id])).get(id) ?? null);
      return { message: id === null ? 'Coupon bound.' : 'Coupon moved.', moved_from: before };
    },
  }),
  defineRoute({
    id: 'coupons.unbind',
    method: 'delete',
    paths: ['/coupons/:provider/:code'],
    access,
    summary: 'Unbind a coupon',
    params: couponParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.conversions.coupons.mustUnbind(params.provider, params.code);
      return { message: 'Coupon unbound.' };
    },
  }),
  defineRoute({
    id: 'coupons.history',
    method: 'get',
    paths: ['/coupons/:provider/:code/history'],
    access,
    summary: 'Whose a coupon was, newest first',
    params: couponParams,
    query: historyQuery,
    response: couponHistory,
    handler: async ({ app, params, query, request }) => ({
      changes: pageEnvelope(
        request.url,
        await app.conversions.coupons.history(params.provider, params.code, query),
      ),
    }),
  }),
];
