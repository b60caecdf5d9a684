import type { Knex } from 'knex';
import type { Dialect } from '../../adapters/database/dialect.js';
import { checkDurability } from '../../adapters/database/durability.js';
import { openDatabase, type DatabaseOption } from '../../adapters/database/open.js';
import type { Logger } from '../core/logger.js';
import { createDb } from './connection.js';
import type { Db, RunTransaction } from './db.js';
import { createWithLease, type WithLease } from './lease.js';
import { applySteps } from './migrate.js';
import { initialStep } from './steps/001-initial.js';
import { createTransaction } from './transaction.js';

export interface DatabaseSetup {
  readonly database: DatabaseOption;
  readonly tablePrefix: string;
  readonly migrate: boolean;
  readonly durability: 'strict' | 'warn';
  readonly log: Logger;
}

export interface Database {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly knex: Knex;
  readonly transaction: RunTransaction;
  readonly withLease: WithLease;
  /** Checks the settings of the database and brings the schema up to date. */
  prepare(): Promise<void>;
  /** Closes the pool when we opened it. */
  close(): Promise<void>;
}

/** Everything the service needs of its database; no query runs before `prepare`. */
export function createDatabase(setup: DatabaseSetup): Database {
  const opened = openDatabase(setup.database, setup.tablePrefix, setup.log);
  const connection = createDb(opened);
  const transaction = createTransaction(connection, setup.log);
  const parts = { db: connection.db, transaction, log: setup.log };
  return {
    db: connection.db, dialect: opened.dialect, knex: opened.knex, transaction,
    withLease: createWithLease(parts),
    async prepare() {
      await checkDurability(opened, setup.durability, setup.log);
      await applySteps([initialStep], { ...parts, migrate: setup.migrate });
    },
    close: async () => { if (opened.owned) await opened.knex.destroy(); },
  };
}
