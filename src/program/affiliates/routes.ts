import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Call, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { idParams, object } from '../../platform/http/schema.js';
import { messageResponse } from '../../api-schemas.js';
import { EXPORT_COLUMNS } from './record.js';
import {
  affiliateExport,
  affiliateForm,
  affiliateList,
  affiliatePage,
  affiliatePatch,
  affiliateSaved,
  affiliateTotals,
  affiliateView,
  mergeBody,
  mergeParams,
  mergePreviewResponse,
  statsResponse,
  statusBody,
} from './schemas.js';
import type { Visibility } from './types.js';
import type { AffiliatesService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('affiliates');

const access = policies.section('affiliates');

/** Bank details are shown to those who manage affiliates or see payouts. */
const visibilityOf = async (call: Pick<Call, 'allows'>): Promise<Visibility> => ({
  bankDetails: (await call.allows('affiliates', 'write')) || (await call.allows('payouts', 'read')),
});
const reads =
  (call: Pick<Call, 'allows'>): ((section: Parameters<Call['allows']>[0]) => Promise<boolean>) =>
  (section) =>
    call.allows(section, 'read');

export const affiliateRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'affiliates.list',
    method: 'get',
    paths: ['/affiliates'],
    access,
    summary: 'List affiliates',
    query: affiliateList,
    response: affiliatePage,
    handler: async (call) => ({
      affiliates: pageEnvelope(
        call.request.url,
        await call.app.affiliates.list(call.query, await visibilityOf(call)),
      ),
    }),
  }),
  defineRoute({
    id: 'affiliates.totals',
    method: 'get',
    paths: ['/affiliates/totals'],
    access,
    summary: 'Get what the affiliates of the list earned and are owed',
    query: affiliateList,
    response: object({ totals: affiliateTotals }),
    handler: async ({ app, query }) => ({ totals: await app.affiliates.totals(query) }),
  }),
  defineRoute({
    id: 'affiliates.export',
    method: 'get',
    paths: ['/affiliates/export'],
    access,
    summary: 'Export affiliates as CSV or JSON rows',
    query: affiliateList,
    response: affiliateExport,
    files: ['text/csv'],
    handler: async ({ app, query }) =>
      exportRows({
        name: 'affiliates',
        columns: EXPORT_COLUMNS,
        escaped: ['full_name', 'email', 'payment_email', 'login', 'group'],
        ...(await app.affiliates.export(query)),
      }),
  }),
  defineRoute({
    id: 'affiliates.create',
    method: 'post',
    paths: ['/affiliates'],
    access,
    summary: 'Create an affiliate',
    body: affiliateForm,
    response: affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.createFromForm(call.body);
      return {
        message: 'Affiliate created.',
        affiliate: await call.app.affiliates.present(affiliate, await visibilityOf(call)),
      };
    },
  }),
  defineRoute({
    id: 'affiliates.get',
    method: 'get',
    paths: ['/affiliates/:id'],
    access,
    summary: 'Get an affiliate',
    params: idParams,
    response: affiliateView,
    handler: async (call) => ({
      affiliate: await call.app.affiliates.view(call.params.id, await visibilityOf(call)),
    }),
  }),
  defineRoute({
    id: 'affiliates.update',
    method: 'patch',
    paths: ['/affiliates/:id'],
    access,
    summary: 'Update an affiliate',
    params: idParams,
    body: affiliatePatch,
    response: affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.update(call.params.id, call.body, call.request.submitted);
      return {
        message: 'Affiliate updated.',
        affiliate: await call.app.affiliates.present(affiliate, await visibilityOf(call)),
      };
    },
  }),
  defineRoute({
    id: 'affiliates.status',
    method: 'patch',
    paths: ['/affiliates/:id/status'],
    access,
    summary: 'Change the status of an affiliate',
    params: idParams,
    body: statusBody,
    response: affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.changeStatus(
        call.params.id,
        call.body.status,
        call.body.reason ?? '',
      );
      return {
        message: 'Status updated.',
        affiliate: await call.app.affiliates.present(affiliate, await visibilityOf(call)),
      };
    },
  }),
  defineRoute({
    id: 'affiliates.delete',
    method: 'delete',
    paths: ['/affiliates/:id'],
    access,
    summary: 'Delete an affiliate with its visits and referrals',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.affiliates.remove(params.id);
      return { message: 'Affiliate deleted.' };
    },
  }),
  defineRoute({
    id: 'affiliates.merge_preview',
    method: 'get',
    paths: ['/affiliates/:id/merge/:other_id'],
    access: policies.admin,
    summary: 'Show what merging another affiliate into this one would do',
    params: mergeParams,
    response: mergePreviewResponse,
    handler: async (call) => ({
      merge: await call.app.affiliates.mergePreview(
        call.params.id,
        call.params.other_id,
        await visibilityOf(call),
      ),
    }),
  }),
  defineRoute({
    id: 'affiliates.merge',
    method: 'post',
    paths: ['/affiliates/:id/merge'],
    access: policies.admin,
    summary: 'Merge another affiliate, the same person, into this one',
    params: idParams,
    body: mergeBody,
    response: affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.merge(call.params.id, call.body.other_id);
      return {
        message: 'Affiliates merged.',
        affiliate: await call.app.affiliates.present(affiliate, await visibilityOf(call)),
      };
    },
  }),
  defineRoute({
    id: 'affiliates.stats',
    method: 'get',
    paths: ['/affiliates/:id/stats'],
    access,
    summary: 'Get the figures of an affiliate',
    params: idParams,
    response: statsResponse,
    handler: async (call) => ({ stats: await call.app.affiliates.stats(call.params.id, reads(call)) }),
  }),
];
