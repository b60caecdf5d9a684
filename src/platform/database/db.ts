import type { Knex } from 'knex';
import type { Dialect } from '../../../adapters/database/dialect.js';
import type { TableName } from './tables.js';

/**
 * `db('referrals')` adds the table prefix and runs on the open transaction of this
 * call chain, else on the pool.
 * A repository takes it as its first argument and never knows which of the two it is.
 */
export interface Db {
  (table: TableName): Knex.QueryBuilder;
  /** The prefixed name, for joins and for SQL text: `db.name('referrals')` → `fa_referrals`. */
  name(table: TableName): string;
  /**
   * SQL text with bindings; only for repository.ts and queries.ts files,
   * never with a request value in the text.
   */
  raw(sql: string, bindings?: readonly (string | number | boolean | null)[]): Promise<Row[]>;
  /** Runs a statement for its number of affected rows. */
  execute(sql: string, bindings?: readonly (string | number | boolean | null)[]): Promise<number>;
  /**
   * A few rows that an index leads to, as SQL text: what pages, clicks, orders and single records are
   * answered from. SQLite in a file finds them in the host's thread, sooner than a message reaches another
   * one; lists and reports are read with `db(table)` and `raw`.
   */
  few(sql: string, bindings: readonly (string | number)[]): Promise<Row[]>;
  /** One row by its key, found in the same way. */
  lookUp(
    table: TableName,
    columns: readonly string[],
    key: Readonly<Record<string, string | number>>,
  ): Promise<Row | undefined>;
  /** The knex handle behind this call: the open transaction or the pool. */
  readonly knex: Knex;
  readonly dialect: Dialect;
  readonly inTransaction: boolean;
}

/** A row as a driver hands it out; mappers normalise it (a BIGINT is text in pg, a number elsewhere). */
export type Row = Record<string, unknown>;

/** Work after COMMIT: hooks, mails, cache drops. Runs in the order it was given; a failure is logged. */
export type AfterCommit = (work: () => unknown) => void;

/**
 * Runs `work` in one database transaction, joining an open one.
 * Retries the whole work on serialization failures
 * (reliability: at most 5 times), so `work` must have no effect outside the database;
 * use `afterCommit` for those.
 */
export type RunTransaction = <T>(work: (trx: Db, afterCommit: AfterCommit) => Promise<T>) => Promise<T>;

/**
 * The same for work that arrives in numbers: what arrives together in one lane shares a transaction and its
 * commit, a savepoint each, so that one that fails costs only itself.
 * Answered, and its `afterCommit` run, once the common commit is done. Work of one lane locks the same rows
 * anyway (the orders of one affiliate); on SQLite, which has one writer, all lanes are one.
 */
export type RunShared = <T>(
  lane: string,
  work: (trx: Db, afterCommit: AfterCommit) => Promise<T>,
) => Promise<T>;
