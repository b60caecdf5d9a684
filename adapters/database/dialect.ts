import type { Knex } from 'knex';
import type { TableName } from '../../src/platform/database/tables.js';

export type DialectName = 'sqlite' | 'postgres' | 'mysql';

/**
 * `busy`: rolled back, the whole transaction may run again.
 * `timeout`: a time limit was reached, nothing happened and a repeat would wait as long.
 * `outcome_unknown`: the connection was lost; nothing was stored unless COMMIT had been sent.
 */
export type FailureKind =
  | 'unique'
  | 'foreign_key'
  | 'check'
  | 'busy'
  | 'timeout'
  | 'full'
  | 'outcome_unknown'
  | null;

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
   * The driver's own answer to a statement, for dialects.
   * `mayFail`: its failure is expected, and the transaction goes on.
   */
  send(
    sql: string,
    bindings: readonly (string | number | boolean | null)[],
    options?: { readonly mayFail?: boolean },
  ): Promise<unknown>;
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
  /** The same row, locked until the transaction ends. */
  lockRow(
    table: TableName,
    columns: readonly string[],
    key: Readonly<Record<string, string | number>>,
  ): Promise<Row | undefined>;
  /** The knex handle behind this call: the open transaction or the pool. */
  readonly knex: Knex;
  readonly dialect: Dialect;
  readonly inTransaction: boolean;
  /** Work after the commit of the open transaction; not at all when it, or the savepoint it stands in, is rolled back. */
  afterCommit(work: () => unknown): void;
  /**
   * Work in one transaction that needs nothing of each other's answers. Where the database takes statements before it
   * has answered the one before (`dialect.sendsAhead`), all are sent at once; else one follows the other.
   * Resolves with their answers. All of it has ended then, also when this rejects, with the first failure:
   * nothing runs on after a rollback.
   * None of the works opens a transaction of its own: its savepoint would hold what the others write meanwhile.
   */
  together<T extends readonly unknown[]>(
    ...works: { readonly [K in keyof T]: () => Promise<T[K]> }
  ): Promise<T>;
}

/** A row as a driver hands it out; mappers normalise it (a BIGINT is text in pg, a number elsewhere). */
export type Row = Record<string, unknown>;

/** A row to write: only numbers, text, booleans and null reach the database. */
export type NewRow = Readonly<Record<string, unknown>>;

/** A SELECT whose values stand in the order of `columns`; the text is ours. */
export interface SelectedRows {
  readonly columns: readonly string[];
  readonly text: string;
  readonly bindings: readonly (string | number)[];
}

/** Everything that differs between the databases. No other file asks which database it is. */
export interface Dialect {
  readonly name: DialectName;
  /** Inserts one row and returns its generated id. */
  insert(db: Db, table: TableName, row: NewRow): Promise<number>;
  /**
   * Inserts rows and returns their ids in the rows' order;
   * what one leaves out of the others' columns is null.
   */
  insertMany(db: Db, table: TableName, rows: readonly NewRow[]): Promise<number[]>;
  /** Inserts rows whose ids nobody asks for, in their order; what one leaves out of the others' columns is null. */
  insertRows(db: Db, table: TableName, rows: readonly NewRow[]): Promise<void>;
  /** After rows were inserted with ids of their own: the next generated id lies behind them. */
  idsInserted(db: Db, table: TableName): Promise<void>;
  /**
   * Inserts one row unless a unique key forbids it, in one statement that never aborts the transaction.
   * Returns the generated id (0 in a table without one), or null when the row exists already.
   */
  insertIfAbsent(
    db: Db,
    table: TableName,
    row: NewRow,
    uniqueColumns: readonly string[],
  ): Promise<number | null>;
  /**
   * Inserts rows or overwrites `mergeColumns` of the row with the same unique key;
   * of equal keys in one call the last row counts.
   */
  upsert(
    db: Db,
    table: TableName,
    rows: readonly NewRow[],
    uniqueColumns: readonly string[],
    mergeColumns: readonly string[],
  ): Promise<void>;
  /**
   * Inserts rows, or adds the given columns onto the row with the same unique key: `n = n + excluded.n`.
   * Equal keys in one call are summed first.
   */
  addTo(
    db: Db,
    table: TableName,
    rows: readonly NewRow[],
    uniqueColumns: readonly string[],
    addColumns: readonly string[],
  ): Promise<void>;
  /**
   * The stored rows with the unique keys of these, locked until the transaction ends,
   * those it lacks among them as given. In any order.
   */
  lockRows(db: Db, table: TableName, rows: readonly NewRow[], keyColumn: string): Promise<Row[]>;
  /** `addTo` with rows that the database selects itself; no two of them may have the same key. */
  addSelected(
    db: Db,
    table: TableName,
    rows: SelectedRows,
    uniqueColumns: readonly string[],
    addColumns: readonly string[],
  ): Promise<void>;
  /** What locks the rows a SELECT reads, as SQL text at its end; SQLite has one writer and needs none. */
  readonly rowLock: string;
  /** The same on a query of knex. */
  forUpdate<Q extends Knex.QueryBuilder>(query: Q): Q;
  /**
   * Integer division of a millisecond column (`created_at`, `fa_visits.created_at`)
   * into time slots, as SQL text.
   */
  slot(column: string, slotMs: number): string;
  /**
   * Sorts by SQL over columns, empty values last in both directions; by an index on it where the database can.
   */
  emptyLast(by: string, direction: 'asc' | 'desc'): string;
  /** One row with the `bytes` the database takes, as SQL text. */
  readonly sizeQuery: string;
  /** `2026-01-15 14:30:00` of an expression in milliseconds, as SQL text; the clock is UTC. */
  timeText(milliseconds: string): string;
  /**
   * Case-insensitive "contains" over any of the columns (names or `asText` results,
   * never from a request), text taken literally.
   */
  contains(query: Knex.QueryBuilder, columns: readonly string[], text: string): Knex.QueryBuilder;
  /** A column cast to text, for a "contains" over numbers, as SQL text. */
  asText(column: string): string;
  /** A row as a JSON object of these columns (names of ours, at most 50), as SQL text. */
  jsonObject(columns: readonly string[]): string;
  /** What a driver error means, or null when it is none of these. */
  failure(error: unknown): FailureKind;
  /**
   * True when the server takes no writes now (its cluster lost it, it was demoted):
   * another attempt needs another connection.
   */
  refusesWrites(error: unknown): boolean;
  /** The rows of a raw statement's answer. */
  rows(answer: unknown): Row[];
  /** The number of rows a raw statement affected. */
  affected(answer: unknown): number;
  /** Given to `knex.transaction`. */
  readonly transactionConfig: Knex.TransactionConfig;
  /**
   * Does it take statements before it has answered the one before, in their order? SQLite's thread does,
   * PostgreSQL's driver where `pipeline: true` stands in `connection`.
   */
  readonly sendsAhead: boolean;
  /**
   * First statement of a transaction, where the database needs one;
   * `leases` is the prefixed name of an existing table.
   */
  begin(trx: Knex, leases: string): Promise<void>;
  /**
   * Sets how many seconds each later statement of a driver's connection may take (0: any time);
   * past it the server cancels the statement.
   * null where there is no limit to set: SQLite runs a statement to its end, and a host may have set its own.
   */
  limitStatement(connection: object, seconds: number): string | null;
  /** The clauses of CREATE TABLE and what differs in the statements knex makes of it. */
  createStatements(statements: readonly string[]): string[];
  /** Creates an index under knex's name for it, unless there is one of that name. */
  createIndex(db: Db, table: TableName, columns: readonly string[]): Promise<void>;
  /**
   * Adds a column, its definition as SQL text that every database reads, unless there is one of that name.
   */
  addColumn(db: Db, table: TableName, column: string, definition: string): Promise<void>;
  /** True when a schema step can run in a transaction; else each of its statements stands alone. */
  readonly transactionalSchema: boolean;
}
