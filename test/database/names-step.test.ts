import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { applySteps } from '../../src/platform/database/migrate.js';
import { initialStep } from '../../src/platform/database/steps/001-initial.js';
import { STEPS } from '../../src/platform/database/steps/index.js';
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
