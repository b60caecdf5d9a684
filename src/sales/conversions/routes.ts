import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { referralRefund, referralRefunded } from '../../books/referrals/schemas.js';
import type { ConversionsService } from './service.js';
import type { ReferralsService } from '../../books/referrals/service.js';

/** What the handlers below call. */
interface RouteNeeds {
  readonly conversions: ConversionsService;
  readonly referrals: ReferralsService;
}
const defineRoute = routesFor<RouteNeeds>('referrals');

export const conversionRoutes: readonly Route<RouteNeeds>[] = [
  defineRoute({
    id: 'referrals.refund',
    method: 'post',
    paths: ['/referrals/:id/refunds'],
    access: policies.section('referrals'),
    summary: "Tell a refund of a referral's order; what is left of the order decides what is owed",
    params: idParams,
    body: referralRefund,
    response: referralRefunded,
    handler: async ({ app, params, body }) => {
      const refund = body as Parameters<typeof app.conversions.refundReferral>[1]; // judged by the service
      const { referral, ...outcome } = await app.conversions.refundReferral(params.id, refund);
      return {
        referral: await app.referrals.whole(referral),
        ...outcome,
        message: 'The refund was kept.',
      };
    },
  }),
];
