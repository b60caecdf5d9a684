import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { skippedResponse, skippedQuery } from './schemas.js';
import { skippedReport } from './skipped-report.js';
import type { Deps } from './deps.js';
import type { ConversionsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps extends Deps {
  readonly conversions: ConversionsService;
}
const defineRoute = routesFor<RouteDeps>('settings');

/** Clicks are counted by tracking, orders by this module; the answer contains both. */
export const skippedRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'settings.tracking_skipped',
    method: 'get',
    paths: ['/settings/tracking/skipped'],
    access: policies.settings,
    summary: 'List clicks and orders that were not credited, with their reasons',
    query: skippedQuery,
    response: skippedResponse,
    handler: ({ app, query, request }) =>
      skippedReport({ app, conversions: app.conversions }, query, request.url),
  }),
];
