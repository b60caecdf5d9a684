import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Db } from '../../src/platform/database/db.js';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { applySteps } from '../../src/platform/database/migrate.js';
import { STEPS } from '../../src/platform/database/migrations/index.js';
import { planSteps } from '../../src/platform/database/plan.js';
import { testLog } from './support.js';

// What docs/upgrading.md promises rests on these rules: a released step is never changed, and steps only add.

const FOLDER = 'src/platform/database/migrations';
const RECORDED = JSON.parse(readFileSync('test/database/schema-steps.json', 'utf8')) as Record<
  string,
  string
>;

const whatToDo = (file: string, hash: string): string | null => {
  const known = RECORDED[file];
  if (known === undefined)
    return `${file} is new: run \`npm run steps\` and commit test/database/schema-steps.json.`;
  if (known === hash) return null;
  return (
    `${file} has changed. Databases that have applied it do not get the change: undo it, and write a new step ` +
    '(a helper goes into a new file). If no release has this file yet, delete its line from ' +
    'test/database/schema-steps.json and run `npm run steps`.'
  );
};

it('a released step is never changed', () => {
  const files = readdirSync(FOLDER).filter((name) => name !== 'index.ts');
  const found = files.map((file) =>
    whatToDo(
      file,
      createHash('sha256')
        .update(readFileSync(join(FOLDER, file)))
        .digest('hex'),
    ),
  );

  expect(found.filter((each) => each !== null)).toEqual([]);
});

it('a released step is never removed', () => {
  expect(Object.keys(RECORDED).filter((file) => !readdirSync(FOLDER).includes(file))).toEqual([]);
});

/** Before the first release: it moved the rows of a table into another. */
const BEFORE_RELEASE = '004-names';

let database: Database;
beforeEach(() => {
  database = createDatabase({
    database: { client: 'better-sqlite3', connection: ':memory:' },
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log: testLog(),
  });
});
afterEach(() => database.close());

it('steps only add, so that a process of the version before goes on beside the new schema', async () => {
  await database.prepare();
  await database.db('schema_steps').delete(); // so that each is planned
  const planned = await planSteps(
    STEPS.filter(({ id }) => id !== BEFORE_RELEASE),
    database.db,
  );

  const done = planned.flatMap(({ id, changes }) => changes.map(({ does }) => `${id}: ${does}`));
  expect(done.length).toBeGreaterThan(100);
  expect(done.filter((each) => !/: (create|add|update|insert into|changes rows)/.test(each))).toEqual([]);
});

it('a process that does not know a new column can leave it out', async () => {
  const { db, transaction } = database;
  const parts = { db, transaction, log: testLog(), migrate: true };
  const required: string[] = [];
  let known = new Map<string, Set<string>>();
  for (let upTo = 1; upTo <= STEPS.length; upTo += 1) {
    await applySteps(STEPS.slice(0, upTo), parts);
    const now = await columns(db);
    for (const [table, names] of now)
      for (const [name, isRequired] of names)
        if (known.get(table)?.has(name) === false && isRequired)
          required.push(`${STEPS[upTo - 1]?.id}: ${table}.${name}`);
    known = new Map([...now].map(([table, names]) => [table, new Set(names.keys())]));
  }

  expect(required).toEqual([]);
});

/** The columns of each table, and whether an insert has to name them. */
async function columns(db: Db): Promise<Map<string, Map<string, boolean>>> {
  const rows = await db.raw(
    'select t.name as tab, c.name as col, c."notnull" as required, c.dflt_value as fallback, c.pk as pk ' +
      "from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'",
  );
  const found = new Map<string, Map<string, boolean>>();
  for (const row of rows) {
    const names = found.get(String(row['tab'])) ?? new Map<string, boolean>();
    const isRequired = Number(row['required']) === 1 && row['fallback'] === null && Number(row['pk']) === 0;
    found.set(String(row['tab']), names.set(String(row['col']), isRequired));
  }
  return found;
}
