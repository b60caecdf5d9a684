import type { Knex } from 'knex';
import type { Db } from '../../src/database/db.js';

export type DialectName = 'sqlite' | 'postgres' | 'mysql';
export type FailureKind = 'unique' | 'foreign_key' | 'check' | 'busy' | 'outcome_unknown' | null;

/** Everything that differs between the databases. No other file asks which database it is. */
export interface Dialect {
  readonly name: DialectName;
  /** Inserts one row and returns its generated id. */
  insert(db: Db, table: string, row: Readonly<Record<string, unknown>>): Promise<number>;
  /**
   * Inserts one row unless a unique key forbids it, in one statement that never aborts the transaction.
   * Returns the generated id, or null when the row exists already.
   */
  insertIfAbsent(db: Db, table: string, row: Readonly<Record<string, unknown>>, uniqueColumns: readonly string[]): Promise<number | null>;
  /** Inserts rows or overwrites `mergeColumns` of the row with the same unique key. */
  upsert(db: Db, table: string, rows: readonly Readonly<Record<string, unknown>>[], uniqueColumns: readonly string[], mergeColumns: readonly string[]): Promise<void>;
  /** Inserts rows, or adds the given columns onto the row with the same unique key: `n = n + excluded.n`. */
  addTo(db: Db, table: string, rows: readonly Readonly<Record<string, unknown>>[], uniqueColumns: readonly string[], addColumns: readonly string[]): Promise<void>;
  /** `for update` where the database has it; SQLite has one writer and needs none. */
  forUpdate<Q extends Knex.QueryBuilder>(query: Q): Q;
  /** Integer division of a millisecond column into time slots, as SQL text of a quoted column. */
  slot(column: string, slotMs: number): string;
  /** Case-insensitive "contains" over several columns (names already chosen from a whitelist), text taken literally. */
  contains(query: Knex.QueryBuilder, columns: readonly string[], text: string): Knex.QueryBuilder;
  /** A column cast to text, for a "contains" over numbers, as SQL text. */
  asText(column: string): string;
  /** What a driver error means, or null when it is none of these. */
  failure(error: unknown): FailureKind;
}
