import { policies } from '../../platform/access/policies.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import type { Route } from '../../platform/http/define-route.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { EXPORT_COLUMNS, visitListQuery, visitRow, visitTotals } from './schemas.js';
import type { VisitsService } from './service.js';

export interface RouteDeps {
  readonly visits: VisitsService;
}

const ESCAPED = ['affiliate_name', 'url', 'referrer', 'utm_campaign', 'utm_medium', 'utm_source', ...SUB_IDS];

export const visitRoutes: readonly Route<RouteDeps>[] = resourcesFor<RouteDeps>('visits').lists({
  paths: ['/visits'],
  access: policies.section('visits'),
  name: 'visits',
  row: visitRow,
  query: visitListQuery,
  of: ({ app }) => app.visits,
  list: { id: 'visits.list', summary: 'List visits' },
  totals: {
    id: 'visits.totals',
    summary: 'Count the listed visits and those that led to a referral',
    schema: visitTotals,
  },
  export: {
    id: 'visits.export',
    summary: 'Export visits as CSV or JSON rows',
    columns: EXPORT_COLUMNS,
    escaped: ESCAPED,
  },
});
