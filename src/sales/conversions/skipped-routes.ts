import { policies } from '../../platform/access/policies.js';
import { defineRoute } from '../../platform/http/define-route.js';
import { skippedAnswer, skippedQuery } from './schemas.js';
import { skippedReport } from './skipped-report.js';

/** Clicks are counted by the tracker, orders here: the answer has both. */
export const skippedRoutes = [
  defineRoute({
    id: 'settings.tracking_skipped',
    method: 'get',
    paths: ['/settings/tracking/skipped'],
    access: policies.settings,
    summary: 'Clicks and orders that were not credited, with their reasons',
    query: skippedQuery,
    response: skippedAnswer,
    handler: ({ app, query, request }) =>
      skippedReport({ app, conversions: app.conversions }, query, request.url),
  }),
];
