import { policies } from '../../platform/access/policies.js';
import { toIso } from '../../core/dates.js';
import { pageEnvelope } from '../../core/page.js';
import { fail } from '../../errors.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import { outboxPage, outboxQuery, reconciled, resumed, systemState, verified } from './schemas.js';
import type { Platform } from '../../platform/platform.js';
import type { SystemService } from './service.js';
import type { LedgerService } from '../../accounting/ledger/service.js';

export interface RouteDeps extends Platform {
  readonly system: SystemService;
  readonly ledger: LedgerService;
}
const defineRoute = routesFor<RouteDeps>('system');

/** How the service itself is doing; for administrators. */
export const systemRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'system.state',
    method: 'get',
    paths: ['/system/state'],
    access: policies.admin,
    summary: 'Get the system status: schema, size, risks, jobs and outbox',
    response: systemState,
    handler: ({ app }) => app.system.state(),
  }),
  defineRoute({
    id: 'system.verify',
    method: 'post',
    paths: ['/system/verify'],
    access: policies.admin,
    summary: 'Check the books for rows that break an invariant',
    response: verified,
    handler: async ({ app }) => ({
      violations: await app.ledger.verify(),
      checked_at: toIso(app.clock.now()),
    }),
  }),
  defineRoute({
    id: 'system.reconcile',
    method: 'post',
    paths: ['/system/reconcile'],
    access: policies.admin,
    summary: "Recalculate the totals of every affiliate whose totals don't match its records",
    response: reconciled,
    handler: async ({ app }) => ({
      repaired: (await app.ledger.reconcile()).length,
      message: 'Figures recalculated.',
    }),
  }),
  defineRoute({
    id: 'system.resume',
    method: 'post',
    paths: ['/system/works/resume'],
    access: policies.admin,
    summary: 'Resume the operations that were stopped',
    response: resumed,
    handler: async ({ app }) => ({ resumed: await app.system.resume(), message: 'Operations resumed.' }),
  }),
  defineRoute({
    id: 'system.outbox',
    method: 'get',
    paths: ['/system/outbox'],
    access: policies.admin,
    summary: 'List e-mails and webhook deliveries with their results',
    query: outboxQuery,
    response: outboxPage,
    handler: async ({ app, query, request }) => ({
      entries: pageEnvelope(request.url, await app.system.outbox(query)),
    }),
  }),
  defineRoute({
    id: 'system.retry',
    method: 'post',
    paths: ['/system/outbox/:id/retry'],
    access: policies.admin,
    summary: 'Retry a failed e-mail or webhook delivery',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      if (!(await app.system.retry(params.id))) fail('outbox_entry_not_found');
      return { message: 'It will be sent again.' };
    },
  }),
];
