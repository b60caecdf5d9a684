import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import type { Deps } from './deps.js';
import { leadResponse, leadBody, leadChanged, leadKeyBody } from './lead-schemas.js';
import type { ConversionsService } from './service.js';
import type { LeadInput, LeadKey } from './types.js';

export interface RouteDeps extends Deps {
  readonly conversions: ConversionsService;
}
const defineRoute = routesFor<RouteDeps>('leads');
const access = policies.section('referrals');

export const leadRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'leads.record',
    method: 'post',
    paths: ['/leads'],
    access,
    summary: 'Report a lead, such as a sign-up, a submitted form or a started trial',
    body: leadBody,
    response: leadResponse,
    handler: async ({ app, body }) => {
      const lead = body as LeadInput; // validated by the service
      const { referral, created, reason } = await app.conversions.reportLead(lead);
      return {
        referral: referral && (await app.referrals.lists.whole(referral)),
        created,
        reason,
        message: created ? 'Lead recorded.' : 'Nothing was recorded.',
      };
    },
  }),
  defineRoute({
    id: 'leads.qualify',
    method: 'post',
    paths: ['/leads/qualify'],
    access,
    summary: 'Qualify a deferred lead. Its commission is no longer on hold',
    body: leadKeyBody,
    response: leadChanged,
    handler: async ({ app, body }) => {
      const { referral, ...outcome } = await app.conversions.reviewLead(body as LeadKey, 'qualify');
      return {
        referral: referral && (await app.referrals.lists.whole(referral)),
        ...outcome,
        message: outcome.changed ? 'Lead qualified.' : 'Nothing changed.',
      };
    },
  }),
  defineRoute({
    id: 'leads.cancel',
    method: 'post',
    paths: ['/leads/cancel'],
    access,
    summary: 'Cancel a lead. Its commission is reversed, as for a canceled order',
    body: leadKeyBody,
    response: leadChanged,
    handler: async ({ app, body }) => {
      const { referral, ...outcome } = await app.conversions.reviewLead(body as LeadKey, 'cancel');
      return {
        referral: referral && (await app.referrals.lists.whole(referral)),
        ...outcome,
        message: outcome.changed ? 'Lead canceled.' : 'Nothing changed.',
      };
    },
  }),
];
