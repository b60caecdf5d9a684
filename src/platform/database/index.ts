import type { Knex } from 'knex';
import type { Dialect } from '../../../adapters/database/dialect.js';
import { checkDurability } from '../../../adapters/database/durability.js';
import { openDatabase, type DatabaseOption } from '../../../adapters/database/open.js';
import type { Logger } from '../../core/logger.js';
import { Telemetry } from '../../core/telemetry.js';
import { AffiliateError } from '../../errors.js';
import { createDb } from './connection.js';
import type { Db, RunShared, RunTransaction } from './db.js';
import { createWithLease, type WithLease } from './lease.js';
import { limitStatements, type RunWithLimit } from './limits.js';
import { applySteps, newerSteps } from './migrate.js';
import { planSteps, type PlannedStep } from './plan.js';
import { createShared } from './shared-transaction.js';
import { createSnapshots, type TakeSnapshot } from './snapshot.js';
import { STEPS } from './migrations/index.js';
import { createTransaction } from './transaction.js';

export interface DatabaseSetup {
  readonly database: DatabaseOption;
  readonly tablePrefix: string;
  readonly migrate: boolean;
  readonly durability: 'strict' | 'warn';
  readonly log: Logger;
  readonly telemetry?: Telemetry;
}

export interface Database {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly knex: Knex;
  readonly transaction: RunTransaction;
  readonly sharedTransaction: RunShared;
  readonly snapshot: TakeSnapshot;
  readonly limited: RunWithLimit;
  readonly withLease: WithLease;
  /** How many transactions of this process are open or wait for a connection. */
  underway(): number;
  /**
   * Checks the settings of the database and updates the schema. Returns the settings that may lose
   * acknowledged writes.
   */
  prepare(): Promise<readonly string[]>;
  /** Schema steps that a newer version has made. */
  newerSteps(): Promise<readonly string[]>;
  /** What the missing schema steps would do. */
  plan(): Promise<readonly PlannedStep[]>;
  /** Closes the pool when we opened it. */
  close(): Promise<void>;
}

/** Everything the service needs of its database; no query runs before `prepare`. */
export function createDatabase(setup: DatabaseSetup): Database {
  const opened = openDatabase(setup.database, setup.tablePrefix, setup.log);
  const telemetry = setup.telemetry ?? new Telemetry(undefined);
  const connection = createDb(opened, setup.log, telemetry);
  const limited = limitStatements(opened);
  const transaction = createTransaction(connection, setup.log);
  const parts = { db: connection.db, transaction, log: setup.log };
  return {
    db: connection.db,
    dialect: opened.dialect,
    knex: opened.knex,
    transaction,
    sharedTransaction: createShared(connection, setup.log),
    snapshot: createSnapshots(opened, setup.log),
    limited,
    withLease: createWithLease(parts),
    underway: () => connection.underway.count,
    async prepare() {
      opened.threads?.startWriter();
      try {
        const { durability: mode, log } = setup;
        const risks = await checkDurability(connection.db, { owned: opened.owned, mode, log });
        await limited('schema', () => applySteps(STEPS, { ...parts, migrate: setup.migrate }));
        return risks;
      } catch (error) {
        // operators need the driver's own message
        throw error instanceof AffiliateError ? (error.cause ?? error) : error;
      }
    },
    newerSteps: () => newerSteps(STEPS, connection.db),
    plan: () => planSteps(STEPS, connection.db),
    close: async () => {
      if (!opened.owned) return;
      await opened.threads?.close();
      await opened.knex.destroy(); // last, because closing SQLite moves its journal into the database file
    },
  };
}
