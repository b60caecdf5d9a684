import { policies } from '../../platform/access/policies.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { idParams, object } from '../../platform/http/schema.js';
import { messageResponse } from '../../api-schemas.js';
import {
  EXPORT_COLUMNS,
  referralResponse,
  referralCreate,
  referralExport,
  referralListQuery,
  referralTotals,
  referralPage,
  referralPatch,
  referralView,
  stalePage,
  stalePages,
} from './schemas.js';
import type { ReferralsService } from './service.js';
import type { SettingsService } from '../../program/settings/service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly referrals: ReferralsService;
  readonly settings: SettingsService;
}
const defineRoute = routesFor<RouteDeps>('referrals');

const access = policies.section('referrals');
const ESCAPED = ['affiliate_name', 'affiliate_email', 'description', 'provider', ...SUB_IDS];

export const referralRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'referrals.list',
    method: 'get',
    paths: ['/referrals'],
    access,
    summary: 'List referrals',
    query: referralListQuery,
    response: referralPage,
    handler: async ({ app, query, request }) => ({
      referrals: pageEnvelope(request.url, await app.referrals.list(query)),
    }),
  }),
  defineRoute({
    id: 'referrals.totals',
    method: 'get',
    paths: ['/referrals/totals'],
    access,
    summary: 'Get the totals of the list, in each currency',
    query: referralListQuery,
    response: referralTotals,
    handler: async ({ app, query }) => ({ totals: await app.referrals.totals(query) }),
  }),
  defineRoute({
    id: 'referrals.export',
    method: 'get',
    paths: ['/referrals/export'],
    access,
    summary: 'Export referrals as CSV or JSON rows',
    query: referralListQuery,
    response: referralExport,
    files: ['text/csv'],
    handler: async ({ app, query }) =>
      exportRows({
        name: 'referrals',
        columns: EXPORT_COLUMNS,
        escaped: ESCAPED,
        forReaders: ['affiliate_email'],
        ...(await app.referrals.export(query)),
      }),
  }),
  defineRoute({
    id: 'referrals.stale',
    method: 'get',
    paths: ['/referrals/stale'],
    access,
    summary: 'List commissions that have been pending for too long, and what they wait for',
    query: stalePages,
    response: stalePage,
    handler: async ({ app, query, request }) => ({
      referrals: pageEnvelope(request.url, await app.referrals.stale(query)),
      older_than_days: (await app.settings.rules()).stalePendingDays,
    }),
  }),
  defineRoute({
    id: 'referrals.create',
    method: 'post',
    paths: ['/referrals'],
    access,
    summary: 'Create a referral by hand',
    body: referralCreate,
    response: referralResponse,
    handler: async ({ app, body }) => ({
      referral: await app.referrals.whole(await app.referrals.create(body)),
      message: 'The referral was created.',
    }),
  }),
  defineRoute({
    id: 'referrals.get',
    method: 'get',
    paths: ['/referrals/:id'],
    access,
    summary: 'Get a referral with its visit, payout and customer',
    params: idParams,
    response: object({ referral: referralView }),
    handler: async ({ app, params }) => ({ referral: await app.referrals.view(params.id) }),
  }),
  defineRoute({
    id: 'referrals.update',
    method: 'patch',
    paths: ['/referrals/:id'],
    access,
    summary: 'Change amount, status, type or description of a referral',
    params: idParams,
    body: referralPatch,
    response: referralResponse,
    handler: async ({ app, params, body }) => ({
      referral: await app.referrals.whole(await app.referrals.update(params.id, body)),
      message: 'The referral was updated.',
    }),
  }),
  defineRoute({
    id: 'referrals.delete',
    method: 'delete',
    paths: ['/referrals/:id'],
    access,
    summary: 'Delete a referral that is not paid',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.referrals.delete(params.id);
      return { message: 'The referral was deleted.' };
    },
  }),
];
