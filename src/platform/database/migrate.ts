import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../core/clock.js';
import type { Logger } from '../../core/logger.js';
import { MINUTE } from '../../core/duration.js';
import type { Db, RunTransaction } from './db.js';
import { createWithLease, type Lease } from './lease.js';
import { schemaTools, type SchemaTools } from './schema-tools.js';

export interface SchemaStep {
  readonly id: string;
  /**
   * Must be idempotent: a killed step runs again, because MySQL commits each DDL statement by itself. So
   * `create` skips a table that exists.
   */
  up(tools: SchemaTools): Promise<void>;
}

export interface MigrateParts {
  readonly db: Db;
  readonly transaction: RunTransaction;
  readonly log: Logger;
  /** When false, the service refuses to start on an older schema. */
  readonly migrate: boolean;
}

const LOCK = 'schema';
const PATIENCE = 5 * MINUTE;

/** Updates the schema in one process at a time; the others wait. */
export async function applySteps(steps: readonly SchemaStep[], parts: MigrateParts): Promise<void> {
  if (!parts.migrate) return refuseOlder(steps, parts.db);
  if (await isComplete(steps, parts.db)) return;
  await createLockTables(parts.db);
  const withLease = createWithLease(parts);
  const deadline = systemClock.now() + PATIENCE;
  while ((await missingSteps(steps, parts.db)).length > 0) {
    const held = await withLease(LOCK, (lease) => applyMissing(steps, parts, lease));
    if (held !== null) continue;
    if (systemClock.now() > deadline)
      throw new Error('Another process has been changing the schema for five minutes.');
    await sleep(100 + Math.random() * 200);
  }
}

async function applyMissing(steps: readonly SchemaStep[], parts: MigrateParts, lease: Lease): Promise<void> {
  const missing = await missingSteps(steps, parts.db);
  if (missing.length === steps.length)
    parts.log.warn('A new, empty program: the database has no tables with this prefix yet.', {
      prefix: parts.db.name('schema_steps').replace(/schema_steps$/, ''),
    });
  for (const step of missing) {
    const run = async (db: Db): Promise<void> => {
      // in a transaction this locks the row, so no other process can begin before the commit
      await lease.hold(db);
      await step.up(schemaTools(db));
      await db.dialect.insertIfAbsent(db, 'schema_steps', { id: step.id, applied_at: systemClock.now() }, [
        'id',
      ]);
    };
    parts.log.info('schema step', { step: step.id });
    if (parts.db.dialect.transactionalSchema) await parts.transaction(run);
    else await run(parts.db);
  }
}

/** The two tables that the lock itself needs. */
async function createLockTables(db: Db): Promise<void> {
  const { create, key } = schemaTools(db);
  await create('job_leases', (t) => {
    key(t, 'name', 100).notNullable().primary();
    key(t, 'owner', 64).nullable();
    t.bigInteger('expires_at').notNullable().defaultTo(0);
    t.bigInteger('next_run_at').notNullable().defaultTo(0);
    t.bigInteger('last_run_at').nullable();
  });
  await create('schema_steps', (t) => {
    key(t, 'id', 100).notNullable().primary();
    t.bigInteger('applied_at').notNullable();
  });
}

/** Steps that the database does not have yet, in their order. */
export async function missingSteps(steps: readonly SchemaStep[], db: Db): Promise<SchemaStep[]> {
  const rows = await db.readLocal(`select id from ${db.name('schema_steps')}`, []);
  const applied = new Set(rows.map((row) => row['id']));
  return steps.filter(({ id }) => !applied.has(id));
}

/** Schema steps of a newer version, which this one does not know. */
export async function newerSteps(steps: readonly SchemaStep[], db: Db): Promise<string[]> {
  const known = new Set(steps.map(({ id }) => id));
  const rows = await db.readLocal(`select id from ${db.name('schema_steps')}`, []);
  return rows.map((row) => String(row['id'])).filter((id) => !known.has(id));
}

/** A look that needs no connection that writes; it fails in an empty database. */
const isComplete = (steps: readonly SchemaStep[], db: Db): Promise<boolean> =>
  missingSteps(steps, db).then(
    (missing) => missing.length === 0,
    () => false,
  );

async function refuseOlder(steps: readonly SchemaStep[], db: Db): Promise<void> {
  const missing = (await db.knex.schema.hasTable(db.name('schema_steps')))
    ? await missingSteps(steps, db)
    : steps;
  if (missing.length === 0) return;
  throw new Error(
    `The database schema is older than this version (missing: ${missing.map(({ id }) => id).join(', ')}). ` +
      'Run `await createAffiliateService(host, { ...options, migrate: true }).ready()` once, then start again.',
  );
}
