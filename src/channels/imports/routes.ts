import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import type { ImportRun, ImportSettings } from './types.js';
import { presentStatus } from './presenter.js';
import * as schemas from './schemas.js';
import { messageResponse } from '../../platform/http/responses.js';
import type { Deps } from './deps.js';
import type { ImportsService } from './service.js';

/** What the handlers below call. */
export interface RouteDeps extends Deps {
  readonly imports: ImportsService;
}
const defineRoute = routesFor<RouteDeps>('migrations');

const DEFAULT = 'affiliate_wp';
const ROWS = 500;

const settingsOf = ({
  currency,
  source_zone,
  status_words,
  providers,
}: Omit<ImportSettings, 'apply_settings'>): ImportSettings => ({
  currency,
  source_zone,
  status_words,
  providers,
});

const statusOf = async (
  app: RouteDeps,
  slug: string = DEFAULT,
  run: ImportRun | null,
): Promise<schemas.ImportStatus> => presentStatus(run, await app.imports.imported(slug));

export const importRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'migrations.list',
    method: 'get',
    paths: ['/settings/migrations'],
    access: policies.settings,
    summary: 'List the import sources, and the number of records already here',
    response: schemas.importList,
    handler: async ({ app }) => ({
      migrators: await app.imports.list(),
      data_counts: await app.imports.dataCounts(),
    }),
  }),
  defineRoute({
    id: 'migrations.start',
    method: 'post',
    paths: ['/settings/migrations/start'],
    access: policies.settingsOfPeople,
    summary: 'Start or resume an import',
    body: schemas.startForm,
    response: schemas.started,
    handler: async ({ app, body }) => ({
      current_status: await statusOf(
        app,
        body.migrator,
        await app.imports.start(body.migrator ?? DEFAULT, body.reset_migration === 'yes', {
          ...settingsOf(body),
          apply_settings: body.apply_settings === 'yes',
        }),
      ),
    }),
  }),
  defineRoute({
    id: 'migrations.check',
    method: 'post',
    paths: ['/settings/migrations/check'],
    access: policies.settingsOfPeople,
    summary:
      "Preview an import: currency, time zone, status mapping, content that isn't read, and the rows to import or " +
      'skip with line and reason. Nothing is stored',
    body: schemas.checkForm,
    response: schemas.setupResponse,
    handler: async ({ app, body }) => ({
      setup: { ...(await app.imports.check(body.migrator ?? DEFAULT, settingsOf(body))) },
    }),
  }),
  defineRoute({
    id: 'migrations.files',
    method: 'post',
    paths: ['/settings/migrations/files'],
    access: policies.settingsOfPeople,
    summary:
      'Upload CSV files as multipart/form-data, up to 200 MiB. The parts are affiliates, customers, commissions, ' +
      'clicks, payouts, coupons, and settings as JSON. Returns the first rows and the mapping',
    accepts: { stream: true },
    response: schemas.filesResponse,
    handler: async ({ app, request }) => ({ ...(await app.imports.uploads.receive(request.raw)) }),
  }),
  defineRoute({
    id: 'migrations.status',
    method: 'get',
    paths: ['/settings/migrations/status'],
    access: policies.settings,
    summary:
      'Get the progress of an import. If `jobs` is off, this request also imports for up to two seconds',
    query: schemas.migratorQuery,
    response: schemas.statusRecord,
    handler: async ({ app, query }) =>
      statusOf(app, query.migrator, await app.imports.status(query.migrator ?? DEFAULT)),
  }),
  defineRoute({
    id: 'migrations.statistics',
    method: 'get',
    paths: ['/settings/migrations/statistics'],
    access: policies.settings,
    summary: 'Count the rows in the source, and those already imported',
    query: schemas.migratorQuery,
    response: schemas.statisticsRecord,
    handler: async ({ app, query }) => ({
      statistics: await app.imports.statistics(query.migrator ?? DEFAULT),
    }),
  }),
  defineRoute({
    id: 'migrations.cancel',
    method: 'post',
    paths: ['/settings/migrations/cancel'],
    access: policies.settings,
    summary: 'Stop an import after the current batch. Start it again to resume',
    body: schemas.migratorForm,
    response: schemas.started,
    handler: async ({ app, body }) => ({
      current_status: await statusOf(app, body.migrator, await app.imports.cancel(body.migrator ?? DEFAULT)),
    }),
  }),
  defineRoute({
    id: 'migrations.report',
    method: 'get',
    paths: ['/settings/migrations/report'],
    access: policies.settings,
    summary: 'Get the report of an import: counts, totals before and after, and reasons for skipped rows',
    query: schemas.migratorQuery,
    response: schemas.reportResponse,
    handler: async ({ app, query }) => ({ report: await app.imports.report(query.migrator ?? DEFAULT) }),
  }),
  defineRoute({
    id: 'migrations.rows',
    method: 'get',
    paths: ['/settings/migrations/rows'],
    access: policies.settings,
    summary: 'List the rows that were skipped or have a remark, with reasons. Returns up to 500 rows',
    query: schemas.rowsQuery,
    response: schemas.rowsResponse,
    handler: async ({ app, query }) => {
      const rows = await app.imports.remarks(query.migrator ?? DEFAULT, query.after ?? 0, ROWS);
      return { rows, next_after: rows.length < ROWS ? null : (rows.at(-1)?.id ?? null) };
    },
  }),
  defineRoute({
    id: 'migrations.affiliates',
    method: 'get',
    paths: ['/settings/migrations/affiliates'],
    access: policies.settings,
    summary:
      'Compare affiliates in the source with those here: missing users and different earnings. ' +
      'Returns up to 500 rows',
    query: schemas.affiliatesQuery,
    response: schemas.affiliatesResponse,
    handler: async ({ app, query }) => {
      const page = await app.imports.compareAffiliates(query.migrator ?? DEFAULT, query.cursor ?? null);
      return { affiliates: page.rows, next_cursor: page.done ? null : page.nextCursor };
    },
  }),
  defineRoute({
    id: 'migrations.wipe',
    method: 'post',
    paths: ['/settings/migrations/wipe'],
    access: policies.admin,
    summary: 'Delete all affiliates, groups, referrals, visits, payouts, customers and creatives',
    body: schemas.wipeForm,
    response: messageResponse,
    handler: async ({ app, body }) => {
      await app.imports.wipe(body.confirmation);
      return { message: 'All data was deleted.' };
    },
  }),
];
