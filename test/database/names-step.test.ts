import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { applySteps } from '../../src/platform/database/migrate.js';
import { initialStep } from '../../src/platform/database/migrations/001-initial.js';
import { STEPS } from '../../src/platform/database/migrations/index.js';
import { dropTables, testDatabase } from '../support/databases.js';
import { testLog } from './support.js';

let database: Database;

beforeEach(async () => {
  database = createDatabase({
    database: await testDatabase({ purpose: 'migrate', shared: true }),
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log: testLog(),
  });
  await dropTables(database.knex, 'fa_');
  await database.knex.schema.dropTableIfExists('fa_affiliate_aliases');
});
afterEach(() => database.close());

it('takes the names of a database that an earlier version made', async () => {
  const parts = { db: database.db, transaction: database.transaction, log: testLog(), migrate: true };
  await applySteps([initialStep], parts);
  await database.db('affiliates').insert({ id: 1, status: 'active', created_at: 1, updated_at: 1 });
  const aliases = [
    { kind: 'custom_param', value: 'jo' },
    { kind: 'merged_id', value: '7' },
    { kind: 'slicewp:login', value: 'anna' },
  ];
  for (const alias of aliases)
    await database.db('affiliate_aliases').insert({ ...alias, affiliate_id: 1, created_at: 5 });

  await applySteps(STEPS, parts);
  const names = await database.db('affiliate_names').select('space', 'name', 'kind', 'since').orderBy('id');
  expect(names.map((row: { since: unknown }) => ({ ...row, since: Number(row.since) }))).toEqual([
    { space: 'links', name: 'jo', kind: 'own', since: 5 },
    { space: 'merged_id', name: '7', kind: 'merged', since: 5 },
    { space: 'slicewp:login', name: 'anna', kind: 'imported', since: 5 },
  ]);
  expect(await database.knex.schema.hasTable('fa_affiliate_aliases')).toBe(false);
});

it('takes the names of the customers that an earlier version stored', async () => {
  const parts = { db: database.db, transaction: database.transaction, log: testLog(), migrate: true };
  const at = STEPS.findIndex(({ id }) => id === '008-customer-names');
  await applySteps(STEPS.slice(0, at), parts);
  await database.db('affiliates').insert({ id: 1, status: 'active', created_at: 1, updated_at: 1 });
  const customers = [
    { email: 'Jo@Shop.test', email_key: 'jo@shop.test', user_id: 5, by_affiliate_id: 1 },
    { email: null, email_key: null, user_id: 5, by_affiliate_id: null },
    { email: null, email_key: null, user_id: null, by_affiliate_id: null },
  ];
  for (const customer of customers)
    await database.db('customers').insert({ ...customer, created_at: 5, updated_at: 5 });

  await applySteps(STEPS, parts);
  const names = await database
    .db('customer_names')
    .select('customer_id', 'kind', 'name', 'label', 'since')
    .orderBy('id');
  expect(
    names.map((row: Record<string, unknown>) => ({
      ...row,
      customer_id: Number(row['customer_id']),
      since: Number(row['since']),
    })),
  ).toEqual([
    { customer_id: 1, kind: 'email', name: 'jo@shop.test', label: 'Jo@Shop.test', since: 5 },
    { customer_id: 1, kind: 'user', name: '5', label: null, since: 5 },
  ]);
  const bound = await database.db('customers').select('bound_at').orderBy('id');
  expect(bound.map(({ bound_at: since }: { bound_at: unknown }) => since && Number(since))).toEqual([
    5,
    null,
    null,
  ]);
});
