import { policies } from '../../platform/access/policies.js';
import { routesFor, type Call, type Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import { affiliateRecord } from '../api-schemas.js';
import { EXPORT_COLUMNS } from './record.js';
import * as schemas from './schemas.js';
import type { Visibility } from './types.js';
import type { AffiliatesService } from './service.js';

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
  ...resourcesFor<RouteDeps>('affiliates').lists({
    paths: ['/affiliates'],
    access,
    name: 'affiliates',
    row: affiliateRecord,
    query: schemas.affiliateList,
    of: (call) => ({
      list: async (query) => call.app.affiliates.listing.list(query, await visibilityOf(call)),
      totals: (query) => call.app.affiliates.listing.totals(query),
      export: (query) => call.app.affiliates.listing.export(query),
    }),
    list: { id: 'affiliates.list', summary: 'List affiliates' },
    totals: {
      id: 'affiliates.totals',
      summary: 'Get the total earnings and unpaid earnings of the listed affiliates',
      schema: schemas.affiliateTotals,
    },
    export: {
      id: 'affiliates.export',
      summary: 'Export affiliates as CSV or JSON rows',
      columns: EXPORT_COLUMNS,
      escaped: ['full_name', 'email', 'payment_email', 'login', 'group'],
      response: schemas.affiliateExport,
    },
  }),
  defineRoute({
    id: 'affiliates.create',
    method: 'post',
    paths: ['/affiliates'],
    access,
    summary: 'Create an affiliate',
    body: schemas.affiliateForm,
    response: schemas.affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.changes.createFromForm(call.body);
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
    response: schemas.affiliateView,
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
    body: schemas.affiliatePatch,
    response: schemas.affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.changes.update(
        call.params.id,
        call.body,
        call.request.submitted,
      );
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
    body: schemas.statusBody,
    response: schemas.affiliateSaved,
    handler: async (call) => {
      const affiliate = await call.app.affiliates.changes.changeStatus(
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
    summary: 'Delete an affiliate with all its visits and referrals',
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
    summary: 'Preview merging another affiliate into this one',
    params: schemas.mergeParams,
    response: schemas.mergePreviewResponse,
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
    summary: 'Merge a duplicate affiliate into this one',
    params: idParams,
    body: schemas.mergeBody,
    response: schemas.affiliateSaved,
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
    summary: 'Get the statistics of an affiliate',
    params: idParams,
    response: schemas.statsResponse,
    handler: async (call) => ({ stats: await call.app.affiliates.stats(call.params.id, reads(call)) }),
  }),
];
