import type { Knex } from 'knex';
import type { TableName } from './tables.js';

export type DialectName = 'sqlite' | 'postgres' | 'mysql';

/**
 * `busy`: rolled back; the whole transaction may run again.
 * `timeout`: a time limit was reached, nothing was stored, and a retry would take as long.
 * `outcome_unknown`: the connection was lost; nothing was stored unless COMMIT had already been sent.
 */
export type FailureKind =
  'unique' | 'foreign_key' | 'check' | 'busy' | 'timeout' | 'full' | 'outcome_unknown' | null;

/** Writes collected rows in a transaction. */
export type WriteRows<T> = (trx: Db, rows: readonly T[]) => Promise<unknown>;

/**
 * `db('referrals')` adds the table prefix and uses the open transaction of this call chain, or the pool when
 * there is none. A repository takes it as its first argument and does not know which of the two is used.
 */
export interface Db {
  (table: TableName): Knex.QueryBuilder;
  /** The prefixed name, for joins and for SQL text: `db.name('referrals')` → `fa_referrals`. */
  name(table: TableName): string;
  /**
   * Runs SQL text with bindings. Only repository.ts and queries.ts use it; the text never contains a value
   * from a request.
   */
  raw(sql: string, bindings?: readonly (string | number | boolean | null)[]): Promise<Row[]>;
  /** Runs a statement and returns the number of affected rows. */
  execute(sql: string, bindings?: readonly (string | number | boolean | null)[]): Promise<number>;
  /**
   * The driver's own response to a statement, for dialects. `mayFail`: a failure is expected, and the
   * transaction continues.
   */
  send(
    sql: string,
    bindings: readonly (string | number | boolean | null)[],
    options?: { readonly mayFail?: boolean },
  ): Promise<unknown>;
  /**
   * Reads a few rows by an index, with SQL text. Pages, clicks, orders and single records are read this way:
   * for SQLite in a file it runs in the host's thread, which is faster than a message to another thread.
   * Lists and reports use `db(table)` and `raw`.
   */
  readLocal(sql: string, bindings: readonly (string | number)[]): Promise<Row[]>;
  /** One row by its key, read in the same way. */
  findByKey(
    table: TableName,
    columns: readonly string[],
    key: Readonly<Record<string, string | number>>,
  ): Promise<Row | undefined>;
  /** Like `findByKey`, locked until the transaction ends. */
  lockRow(
    table: TableName,
    columns: readonly string[],
    key: Readonly<Record<string, string | number>>,
  ): Promise<Row | undefined>;
  /** The knex handle behind this call: the open transaction or the pool. */
  readonly knex: Knex;
  readonly dialect: Dialect;
  readonly inTransaction: boolean;
  /**
   * Registers work for after the commit of the open transaction. It does not run when the transaction, or the
   * savepoint it was registered in, is rolled back.
   */
  afterCommit(work: () => unknown): void;
  /**
   * Collects rows that `write` stores right before the commit of the open transaction; it gets all that were
   * collected for it at once. For counters that many transactions share: each locks them only while it commits. A
   * savepoint that is rolled back takes its rows with it. Reads of the same transaction do not see them.
   */
  beforeCommit<T>(write: WriteRows<T>, rows: readonly T[]): void;
  /**
   * The open transaction is about to lock rows of these lanes (affiliates, by id). Until it has ended, shared
   * transactions of these lanes in this process wait without a connection.
   */
  willLock(lanes: readonly string[]): void;
  /**
   * Runs works that do not need each other's results, and resolves with all results. Outside a transaction
   * all are sent at once, on a connection each. Inside one they are sent at once if the database accepts
   * statements before earlier ones have finished (`dialect.sendsAhead`); otherwise one follows the other.
   * When this rejects, with the first failure, all works have ended: nothing still runs after a rollback.
   * Inside a transaction no work may open one of its own, because its savepoint would include what the others
   * write at that time.
   */
  pipeline<T extends readonly unknown[]>(
    ...operations: { readonly [K in keyof T]: () => Promise<T[K]> }
  ): Promise<T>;
}

/**
 * A row as a driver returns it; mappers normalize it, because a BIGINT is text in pg and a number elsewhere.
 */
export type Row = Record<string, unknown>;

/** A row to write: only numbers, text, booleans and null reach the database. */
export type NewRow = Readonly<Record<string, unknown>>;

/** A SELECT whose values are in the order of `columns`; the text never comes from a request. */
export interface SelectedRows {
  readonly columns: readonly string[];
  readonly text: string;
  readonly bindings: readonly (string | number)[];
}

/** What is added to one counter of `rate_limits`, and when its time is over from now on. */
export interface Hits {
  readonly limit_key: string;
  readonly points: number;
  readonly expires_at: number;
}

/** Everything that differs between the databases. No other file asks which database it is. */
export interface Dialect {
  readonly name: DialectName;
  /** Inserts one row and returns its generated id. */
  insert(db: Db, table: TableName, row: NewRow): Promise<number>;
  /** Inserts rows and returns their ids in the order of the rows. A column that a row lacks becomes null. */
  insertMany(db: Db, table: TableName, rows: readonly NewRow[]): Promise<number[]>;
  /** Inserts rows in their order without returning ids. A column that a row lacks becomes null. */
  insertRows(db: Db, table: TableName, rows: readonly NewRow[]): Promise<void>;
  /** Called after rows were inserted with given ids: the next generated id is larger than these. */
  idsInserted(db: Db, table: TableName): Promise<void>;
  /** The next generated id of the table is at least `next`. */
  idsFrom(db: Db, table: TableName, next: number): Promise<void>;
  /**
   * Inserts one row unless a unique key forbids it, in one statement that never aborts the transaction.
   * Returns the generated id (0 for a table without one), or null when the row already exists.
   */
  insertIfAbsent(
    db: Db,
    table: TableName,
    row: NewRow,
    uniqueColumns: readonly string[],
  ): Promise<number | null>;
  /**
   * Inserts rows, or overwrites `mergeColumns` of the row with the same unique key. Of rows with equal keys
   * in one call the last one counts.
   */
  upsert(
    db: Db,
    table: TableName,
    rows: readonly NewRow[],
    uniqueColumns: readonly string[],
    mergeColumns: readonly string[],
  ): Promise<void>;
  /**
   * Inserts rows, or adds to the given columns of the row with the same unique key: `n = n + excluded.n`.
   * Rows with equal keys in one call are summed first.
   */
  addTo(
    db: Db,
    table: TableName,
    rows: readonly NewRow[],
    uniqueColumns: readonly string[],
    addColumns: readonly string[],
  ): Promise<void>;
  /**
   * Returns the stored rows with the unique keys of these rows, locked until the transaction ends. Missing
   * rows are returned as given. The order is undefined.
   */
  lockRows(db: Db, table: TableName, rows: readonly NewRow[], keyColumn: string): Promise<Row[]>;
  /**
   * Adds hits to counters of `rate_limits` and returns the new `points` of each counter, in any order. An
   * expired counter starts again at zero. The end of a counter that has reached `limit` does not change:
   * refused attempts do not extend it. Hits with the same key are summed first.
   */
  countHits(
    db: Db,
    hits: readonly Hits[],
    at: { readonly now: number; readonly limit: number },
  ): Promise<Row[]>;
  /** `addTo` with rows from a SELECT; no two of them may have the same key. */
  addSelected(
    db: Db,
    table: TableName,
    rows: SelectedRows,
    uniqueColumns: readonly string[],
    addColumns: readonly string[],
  ): Promise<void>;
  /** SQL text at the end of a SELECT that locks the rows it reads. SQLite has one writer and needs none. */
  readonly rowLock: string;
  /** Like `rowLock`, for a query of knex. */
  forUpdate<Q extends Knex.QueryBuilder>(query: Q): Q;
  /**
   * SQL text of an integer division that turns a millisecond column (`created_at`, `fa_visits.created_at`)
   * into time slots.
   */
  slot(column: string, slotMs: number): string;
  /**
   * Joins a row for each element of a JSON list of objects, which an SQL expression gives; no list gives no row. `of`
   * is SQL for the fields of an element. A field that is no number counts as 0.
   */
  jsonRows<const Field extends string>(
    list: string,
    fields: Readonly<Record<Field, 'text' | 'number'>>,
  ): { readonly join: string; readonly of: Readonly<Record<Field, string>> };
  /**
   * Sorts by SQL over columns, with empty values last in both directions, and by an index where the database
   * can.
   */
  emptyLast(by: string, direction: 'asc' | 'desc'): string;
  /** SQL for the first characters of a text column; texts are sorted by it. */
  textStart(column: string, length: number): string;
  /** SQL text that reads one row with the `bytes` the database uses. */
  readonly sizeQuery: string;
  /** SQL text that formats an expression in milliseconds as `2026-01-15 14:30:00`, in UTC. */
  timeText(milliseconds: string): string;
  /**
   * A case-insensitive "contains" over any of the columns, which are names or results of `asText` and never
   * come from a request. The text is taken literally.
   */
  contains(query: Knex.QueryBuilder, columns: readonly string[], text: string): Knex.QueryBuilder;
  /** SQL text of a column cast to text, for a "contains" over numbers. */
  asText(column: string): string;
  /** SQL text of a whole number under this key of a column of JSON text; `o.terms` names alias and column. */
  jsonInteger(column: string, key: string): string;
  /** SQL text of a row as a JSON object with these columns (our own names, at most 50). */
  jsonObject(columns: readonly string[]): string;
  /** The kind of a driver error, or null when it is none of these. */
  failure(error: unknown): FailureKind;
  /**
   * True when the server currently takes no writes, because it lost its cluster or is no longer the primary.
   * A retry needs another connection.
   */
  refusesWrites(error: unknown): boolean;
  /** The rows of the response to a raw statement. */
  rows(response: unknown): Row[];
  /** The number of rows a raw statement affected. */
  affected(response: unknown): number;
  /** Given to `knex.transaction`. */
  readonly transactionConfig: Knex.TransactionConfig;
  /**
   * Does it accept statements before earlier ones have finished, and run them in order? SQLite's thread does;
   * PostgreSQL's driver does with `pipeline`.
   */
  readonly sendsAhead: boolean;
  /**
   * The first statement of a transaction, where the database needs one. `leases` is the prefixed name of an
   * existing table.
   */
  begin(trx: Knex, leases: string): Promise<void>;
  /**
   * Limits the seconds each later statement of a driver's connection may take; 0 is no limit. The server
   * cancels a statement that takes longer. Null when no statement is needed for that: SQLite's
   * threads get the limit with each statement, and a host may have set its own.
   */
  limitStatement(connection: object, seconds: number): string | null;
  /** Makes the clauses of CREATE TABLE, and changes what differs in the statements that knex makes of it. */
  createStatements(statements: readonly string[]): string[];
  /** Creates an index with the name knex would give it, unless that index exists. */
  createIndex(db: Db, table: TableName, columns: readonly string[]): Promise<void>;
  /** Adds a column unless it exists. Its definition is SQL text that every database understands. */
  addColumn(db: Db, table: TableName, column: string, definition: string): Promise<void>;
  /**
   * True when a schema step can run in a transaction; otherwise each of its statements is committed by
   * itself.
   */
  readonly transactionalSchema: boolean;
}
