import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import type { OpenedDatabase } from '../../adapters/database/open.js';
import { guardClient } from './bindings.js';
import type { Db } from './db.js';
import type { TableName } from './tables.js';

/** An open transaction, or a savepoint inside one. */
export interface Level {
  readonly db: Db;
  readonly knex: Knex;
  readonly queue: (() => unknown)[];
  /** A statement that failed: the level can not be committed any more (PostgreSQL would answer COMMIT with a silent ROLLBACK). */
  failed: unknown;
  ended: boolean;
}

export interface Connection {
  /** Runs on the transaction open in the call chain, else on the pool. */
  readonly db: Db;
  readonly opened: OpenedDatabase;
  readonly scope: AsyncLocalStorage<Level | undefined>;
  /** A handle tied to one transaction: it never falls back to the pool, and throws once the transaction has ended. */
  readonly level: (trx: Knex) => Level;
}

/** The callable that repositories receive, over the pool and the transaction of the running call chain. */
export function createDb(opened: OpenedDatabase): Connection {
  const scope = new AsyncLocalStorage<Level | undefined>();
  guardClient(opened.knex, opened.dialect, () => {});
  const db = makeDb(opened, () => scope.getStore()?.knex ?? opened.knex, () => scope.getStore() !== undefined);
  return { db, opened, scope, level: (trx) => openLevel(opened, trx) };
}

function openLevel(opened: OpenedDatabase, trx: Knex): Level {
  const level: Level = { db: makeDb(opened, () => trx, () => true), knex: trx, queue: [], failed: undefined, ended: false };
  const transient = (error: unknown): boolean => ['busy', 'outcome_unknown'].includes(opened.dialect.failure(error) ?? '');
  guardClient(trx, opened.dialect, (error) => { if (level.failed === undefined || transient(error)) level.failed = error; });
  return level;
}

function makeDb(opened: OpenedDatabase, current: () => Knex, inTransaction: () => boolean): Db {
  const { dialect, tablePrefix } = opened;
  const name = (table: TableName): string => tablePrefix + table;
  const members = {
    name: { value: name },
    raw: { value: async (sql: string, bindings: readonly Knex.Value[] = []) => dialect.rows(await current().raw(sql, bindings)) },
    execute: { value: async (sql: string, bindings: readonly Knex.Value[] = []) => dialect.affected(await current().raw(sql, bindings)) },
    knex: { get: current },
    dialect: { value: dialect },
    inTransaction: { get: inTransaction },
  };
  return Object.defineProperties((table: TableName) => current()(name(table)), members) as unknown as Db;
}
