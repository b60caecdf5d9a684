import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { referralWithUrl } from '../api-schemas.js';
import { balanceCorrected, balanceCorrection, referralListOfAffiliate } from './schemas.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { ReferralsService } from './service.js';

export interface RouteDeps {
  readonly affiliates: AffiliatesService;
  readonly referrals: ReferralsService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');
const affiliates = resourcesFor<RouteDeps>('affiliates');

/** Lists below an affiliate; they also need access to the listed section (docs/interface.md §2.3). */
export const referralsOfAffiliateRoutes: readonly Route<RouteDeps>[] = [
  affiliates.page({
    id: 'affiliates.referrals',
    paths: ['/affiliates/:id/referrals'],
    access: policies.section('affiliates', { also: 'referrals' }),
    summary: 'List the referrals of an affiliate',
    params: idParams,
    name: 'referrals',
    row: referralWithUrl,
    query: referralListOfAffiliate,
    page: async ({ app, params, query }) => {
      await app.affiliates.get(params.id);
      return app.referrals.lists.ofAffiliate(params.id, query);
    },
  }),
  defineRoute({
    id: 'affiliates.correct_balance',
    method: 'post',
    paths: ['/affiliates/:id/balance-corrections'],
    access: policies.admin,
    summary: "Adjust an affiliate's balance by a positive or negative amount, with a reason",
    params: idParams,
    body: balanceCorrection,
    response: balanceCorrected,
    handler: async ({ app, params, body }) => {
      const correction = body as Parameters<typeof app.referrals.correct>[1]; // checked by the service
      const referral = await app.referrals.correct(params.id, correction);
      return { referral: await app.referrals.present(referral), message: 'Balance corrected.' };
    },
  }),
];
