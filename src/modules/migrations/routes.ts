import { policies } from '../../access/policies.js';
import { defineRoute, type Route } from '../../http/define-route.js';
import { presentStatus } from './presenter.js';
import { message, migrationList, migratorQuery, started, startForm, statisticsRecord, statusRecord, wipeForm } from './schemas.js';

const DEFAULT = 'affiliate_wp';

export const migrationRoutes: readonly Route[] = [
  defineRoute({
    id: 'migrations.list',
    method: 'get',
    paths: ['/settings/migrations'],
    access: policies.settings,
    summary: 'Systems data can be moved in from, and numbers of rows here',
    response: migrationList,
    handler: async ({ app }) => ({ migrators: await app.migrations.list(), data_counts: await app.migrations.dataCounts() }),
  }),
  defineRoute({
    id: 'migrations.start',
    method: 'post',
    paths: ['/settings/migrations/start'],
    access: policies.settings,
    summary: 'Start or resume moving in from a system',
    body: startForm,
    response: started,
    handler: async ({ app, body }) => ({
      current_status: presentStatus(await app.migrations.start(body.migrator ?? DEFAULT, body.reset_migration === 'yes')),
    }),
  }),
  defineRoute({
    id: 'migrations.status',
    method: 'get',
    paths: ['/settings/migrations/status'],
    access: policies.settings,
    summary: 'Where moving in stands; moves it on a little',
    query: migratorQuery,
    response: statusRecord,
    handler: async ({ app, query }) => presentStatus(await app.migrations.status(query.migrator ?? DEFAULT)),
  }),
  defineRoute({
    id: 'migrations.statistics',
    method: 'get',
    paths: ['/settings/migrations/statistics'],
    access: policies.settings,
    summary: 'Rows of the other system and how many of them are here',
    query: migratorQuery,
    response: statisticsRecord,
    handler: async ({ app, query }) => ({ statistics: await app.migrations.statistics(query.migrator ?? DEFAULT) }),
  }),
  defineRoute({
    id: 'migrations.wipe',
    method: 'post',
    paths: ['/settings/migrations/wipe'],
    access: policies.admin,
    summary: 'Delete all affiliates, groups, referrals, visits, payouts, customers and creatives',
    body: wipeForm,
    response: message,
    handler: async ({ app, body }) => {
      await app.migrations.wipe(body.confirmation);
      return { message: 'All data was deleted.' };
    },
  }),
];
