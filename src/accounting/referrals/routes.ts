import { policies } from '../../platform/access/policies.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams, object } from '../../platform/http/schema.js';
import { referralWithAffiliate } from '../api-schemas.js';
import { messageResponse } from '../../platform/http/responses.js';
import {
  EXPORT_COLUMNS,
  referralResponse,
  referralCreate,
  referralListQuery,
  referralTotals,
  referralPatch,
  referralView,
  stalePage,
  stalePages,
} from './schemas.js';
import type { ReferralsService } from './service.js';
import type { SettingsService } from '../../program/settings/service.js';

export interface RouteDeps {
  readonly referrals: ReferralsService;
  readonly settings: SettingsService;
}
const defineRoute = routesFor<RouteDeps>('referrals');

const access = policies.section('referrals');
const ESCAPED = ['affiliate_name', 'affiliate_email', 'description', 'provider', ...SUB_IDS];

export const referralRoutes: readonly Route<RouteDeps>[] = [
  ...resourcesFor<RouteDeps>('referrals').lists({
    paths: ['/referrals'],
    access,
    name: 'referrals',
    row: referralWithAffiliate,
    query: referralListQuery,
    of: ({ app }) => app.referrals.lists,
    list: { id: 'referrals.list', summary: 'List referrals' },
    totals: {
      id: 'referrals.totals',
      summary: 'Get the totals of the list, in each currency',
      schema: referralTotals,
    },
    export: {
      id: 'referrals.export',
      summary: 'Export referrals as CSV or JSON rows',
      columns: EXPORT_COLUMNS,
      escaped: ESCAPED,
      forReaders: ['affiliate_email'],
    },
  }),
  defineRoute({
    id: 'referrals.stale',
    method: 'get',
    paths: ['/referrals/stale'],
    access,
    summary: 'List commissions that have been pending too long, with the reasons',
    query: stalePages,
    response: stalePage,
    handler: async ({ app, query, request }) => ({
      referrals: pageEnvelope(request.url, await app.referrals.lists.stale(query)),
      older_than_days: (await app.settings.rules()).stalePendingDays,
    }),
  }),
  defineRoute({
    id: 'referrals.create',
    method: 'post',
    paths: ['/referrals'],
    access,
    summary: 'Create a referral manually',
    body: referralCreate,
    response: referralResponse,
    handler: async ({ app, body }) => ({
      referral: await app.referrals.lists.whole(await app.referrals.create(body)),
      message: 'Commission created.',
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
    summary: "Update a referral's amount, status, type or description",
    params: idParams,
    body: referralPatch,
    response: referralResponse,
    handler: async ({ app, params, body }) => ({
      referral: await app.referrals.lists.whole(await app.referrals.update(params.id, body)),
      message: 'Commission updated.',
    }),
  }),
  defineRoute({
    id: 'referrals.delete',
    method: 'delete',
    paths: ['/referrals/:id'],
    access,
    summary: 'Delete an unpaid referral',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.referrals.delete(params.id);
      return { message: 'Commission deleted.' };
    },
  }),
];
