import { createRequire } from 'node:module';

/** What opens a connection, here or in another thread. */
export interface SqliteFile {
  /** Path of the driver's module: in a thread it is found as knex finds it. */
  readonly driver: string;
  /** A path, or the bytes of a database, which is then opened in memory. */
  readonly filename: string | Buffer;
  readonly nativeBinding?: string | undefined;
  readonly readonly?: boolean | undefined;
  /** For what only reads: a statement that would write is refused. */
  readonly queryOnly?: boolean | undefined;
  /** Kilobytes of pages kept in memory; what they lack is in the memory of the system. */
  readonly cacheKb?: number | undefined;
}

/** What a statement answered; rows as arrays where their columns are named beside them. */
export interface Answer {
  readonly columns?: readonly string[];
  readonly response: unknown;
  readonly context?: { readonly lastID: number | bigint; readonly changes: number };
}

/** A connection as knex's pool holds it: in this thread, or one of its own. */
export interface SqliteConnection {
  /** False once it can not be used any more. */
  readonly usable: boolean;
  run(sql: string, bindings: readonly unknown[], seconds: number): Answer | Promise<Answer>;
  close(): void | Promise<void>;
}

/** What we use of better-sqlite3. */
interface Driver {
  new (filename: string | Buffer, options: object): Handle;
}
interface Handle {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
  pragma(text: string): unknown;
  function(name: string, options: object, work: (value: unknown) => unknown): void;
}
interface Statement {
  readonly reader: boolean;
  raw(on: boolean): Statement;
  columns(): readonly { readonly name: string }[];
  all(bindings: readonly unknown[]): unknown[];
  run(bindings: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}
interface Kept {
  readonly statement: Statement;
  readonly columns: readonly string[] | null;
}

const MAX_STATEMENTS = 200;
const MAX_KEPT_LENGTH = 2000;
const REPEATED = /^(?:select|insert|update|delete|begin|commit|savepoint|release|rollback)\b/i;
const CHANGES_SCHEMA = /^\s*(?:create|alter|drop|pragma)\b/i;
// the columns of `*` change with the schema, those of `count(*)` do not
const NAMES_NO_COLUMNS = /\*(?!\s*\))/;

/**
 * A connection in this thread. It keeps the statements used last; after a change of the schema none are kept.
 */
export class LocalConnection implements SqliteConnection {
  readonly usable = true;
  readonly #handle: Handle;
  readonly #known = new Map<string, Kept>();

  constructor({ driver, filename, nativeBinding, readonly = false, queryOnly = false, cacheKb }: SqliteFile) {
    const Database = createRequire(import.meta.url)(driver) as Driver;
    this.#handle = new Database(filename, { nativeBinding, readonly });
    if (queryOnly) this.#handle.pragma('query_only = ON');
    if (cacheKb !== undefined) this.#handle.pragma(`cache_size = -${cacheKb}`);
    this.#handle.function('fa_lower', { deterministic: true }, (value) =>
      typeof value === 'string' ? value.toLowerCase() : value,
    );
  }

  run(sql: string, bindings: readonly unknown[]): Answer {
    try {
      return this.#answer(this.#prepared(sql), bindings);
    } catch (error) {
      // a COMMIT that fails (disk full) leaves the transaction open
      if (sql === 'COMMIT;' && this.#handle.inTransaction) this.#handle.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#handle.close();
  }

  #answer({ statement, columns }: Kept, bindings: readonly unknown[]): Answer {
    if (columns) return { columns, response: statement.all(bindings) };
    if (statement.reader) return { response: statement.all(bindings) };
    const response = statement.run(bindings);
    return { response, context: { lastID: response.lastInsertRowid, changes: response.changes } };
  }

  #prepared(sql: string): Kept {
    const isRepeated = REPEATED.test(sql);
    if (!isRepeated && CHANGES_SCHEMA.test(sql)) this.#known.clear();
    const kept = this.#known.get(sql) ?? prepare(this.#handle, sql);
    if (!isRepeated || sql.length > MAX_KEPT_LENGTH) return kept;
    this.#known.delete(sql); // the oldest use comes first
    this.#known.set(sql, kept);
    if (this.#known.size > MAX_STATEMENTS) this.#known.delete(this.#known.keys().next().value!);
    return kept;
  }
}

// Rows as arrays come several times faster from the driver, and from another thread, than rows as objects.
function prepare(handle: Handle, sql: string): Kept {
  const statement = handle.prepare(sql);
  if (!statement.reader || NAMES_NO_COLUMNS.test(sql)) return { statement, columns: null };
  return { statement: statement.raw(true), columns: statement.columns().map(({ name }) => name) };
}
