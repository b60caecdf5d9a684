import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { referralResponse, referralRefund, referralRefunded } from '../../accounting/referrals/schemas.js';
import { giveBody, giveParams, givePreviewResponse, tryBody, tryResponse } from './schemas.js';
import type { ConversionsService } from './service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { RulesTried } from './types.js';

export interface RouteDeps {
  readonly conversions: ConversionsService;
  readonly referrals: ReferralsService;
}
const defineRoute = routesFor<RouteDeps>('referrals');
const defineRewardRoute = routesFor<RouteDeps>('rewards');

export const conversionRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'referrals.refund',
    method: 'post',
    paths: ['/referrals/:id/refunds'],
    access: policies.section('referrals'),
    summary: "Report a refund of a commission's order. The commission is recalculated from what remains",
    params: idParams,
    body: referralRefund,
    response: referralRefunded,
    handler: async ({ app, params, body }) => {
      const refund = body as Parameters<typeof app.conversions.refundReferral>[1]; // validated by the service
      const { referral, ...outcome } = await app.conversions.refundReferral(params.id, refund);
      return {
        referral: await app.referrals.lists.whole(referral),
        ...outcome,
        message: 'Refund saved.',
      };
    },
  }),
  defineRoute({
    id: 'referrals.give_preview',
    method: 'get',
    paths: ['/referrals/:id/give/:affiliate_id'],
    access: policies.section('referrals'),
    summary: "Preview reassigning a commission's order to another affiliate",
    params: giveParams,
    response: givePreviewResponse,
    handler: async ({ app, params }) => ({
      give: await app.conversions.transfers.preview(params.id, params.affiliate_id),
    }),
  }),
  defineRoute({
    id: 'referrals.give',
    method: 'post',
    paths: ['/referrals/:id/give'],
    access: policies.section('referrals'),
    summary: "Reassign a commission's order to another affiliate. The first commission is reversed",
    params: idParams,
    body: giveBody,
    response: referralResponse,
    handler: async ({ app, params, body }) => ({
      referral: await app.referrals.lists.whole(await app.conversions.transfers.transfer(params.id, body)),
      message: 'Order moved to the other affiliate.',
    }),
  }),
];

export const tryRoutes: readonly Route<RouteDeps>[] = [
  defineRewardRoute({
    id: 'rewards.try',
    method: 'post',
    paths: ['/reward-rules/try'],
    access: policies.settings,
    summary: 'Test rules with one order. Returns each rule, each condition with its value, and the reward',
    body: tryBody,
    response: tryResponse,
    handler: async ({ app, body }) => {
      const order = body.order as RulesTried['order']; // checked by the service, like any order
      return { tried: await app.conversions.tryRules({ ...body, order }) };
    },
  }),
];
