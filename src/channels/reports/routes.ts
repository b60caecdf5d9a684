import { decide } from '../../platform/access/decide.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows, type Export } from '../../platform/http/export.js';
import { notices } from './notices.js';
import * as schemas from './schemas.js';
import { breakdownFile, chartFile, reportFile, type ReportsService } from './service.js';
import type { ReportFile } from './types.js';
import { chartResponse } from '../../platform/http/responses.js';
import type { Deps } from './deps.js';

export interface RouteDeps extends Deps {
  readonly reports: ReportsService;
}
const defineRoute = routesFor<RouteDeps>('reports');

const access = policies.figures;

export const reportRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'reports.dashboard',
    method: 'get',
    paths: ['/reportsdashboard-stats', '/reports/dashboard-stats'],
    access,
    slow: true,
    summary: "Get the program's key figures and latest records",
    response: schemas.dashboardResponse,
    handler: async ({ app, user, allows, request }) => ({
      ...(await app.reports.dashboard(allows)),
      // Notices about settings are shown to those who can change them.
      notices: (await decide(app, { user }, policies.settings, 'read', request)) ? await notices(app) : [],
    }),
  }),
  defineRoute({
    id: 'reports.chart',
    method: 'get',
    paths: ['/reportsdashboard-chart-stats', '/reports/dashboard-chart-stats'],
    access,
    slow: true,
    summary: 'Get referrals, visits and affiliates per day, week or month',
    query: schemas.chartQuery,
    response: chartResponse,
    files: ['text/csv'],
    handler: async ({ app, query, allows }) => {
      const chart = await app.reports.chart(query, allows);
      return query.format === 'csv' ? fileOf(chartFile(chart)) : chart;
    },
  }),
  defineRoute({
    id: 'reports.earnings',
    method: 'get',
    paths: ['/reports/earnings'],
    access,
    summary: 'Get the earned commissions per day, week or month, in the currency of the program',
    selects: 'query',
    query: schemas.datesQuery,
    response: schemas.earningsResponse,
    handler: async ({ app, query, allows }) => app.reports.earnings(query, allows),
  }),
  defineRoute({
    id: 'reports.balances',
    method: 'get',
    paths: ['/reports/balances'],
    access,
    slow: true,
    summary:
      'Get the commissions of all affiliates by currency and state: ready to pay, in the waiting period, on hold, on its way, paid or canceled',
    response: schemas.balancesResponse,
    handler: async ({ app, allows }) => app.reports.balances(allows),
  }),
  defineRoute({
    id: 'reports.breakdown',
    method: 'get',
    paths: ['/reports/breakdown'],
    access,
    slow: true,
    summary:
      'Get clicks, orders and earnings by campaign, sub ID, shop, product, affiliate or group. Returns the 100 with the highest earnings, then the 100 others with the most clicks. Set `key` to get the days of one of them',
    query: schemas.breakdownQuery,
    response: schemas.breakdownResponse,
    files: ['text/csv'],
    handler: async ({ app, query, allows }) => {
      const found = await app.reports.breakdown(query, allows);
      return query.format === 'csv' ? fileOf(breakdownFile(query.by, found)) : found;
    },
  }),
  defineRoute({
    id: 'reports.providers',
    method: 'get',
    paths: ['/reportsadvanced-providers', '/reports/advanced-providers'],
    access,
    slow: true,
    summary: 'List the reports',
    response: schemas.providersResponse,
    handler: async ({ app, allows }) => ({ providers: await app.reports.providers(allows) }),
  }),
  defineRoute({
    id: 'reports.provider',
    method: 'get',
    paths: ['/reportscommerce-reports/:provider', '/reports/commerce-reports/:provider'],
    access,
    slow: true,
    summary: 'Get the figures of a shop, a connected site or the service itself',
    params: schemas.providerParams,
    query: schemas.reportQuery,
    response: schemas.reportResponse,
    files: ['text/csv'],
    handler: async ({ app, params, query, allows }) => {
      const report = await app.reports.provider(params.provider, allows);
      return query.format === 'csv' ? fileOf(reportFile(params.provider, report)) : report;
    },
  }),
];

function fileOf({ file, columns, rows }: ReportFile): Export {
  return exportRows({ name: 'report', file, columns, total: rows.length, rows: onePage(rows) });
}

async function* onePage<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  yield rows;
}
