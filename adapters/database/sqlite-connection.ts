import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** What is needed to open a connection, here or in another thread. */
export interface SqliteFile {
  /** The path of the driver's module, so that a thread loads the same one as knex. */
  readonly driver: string;
  /** A path, or the bytes of a database, which is then opened in memory. */
  readonly filename: string | Buffer;
  readonly nativeBinding?: string | undefined;
  readonly readonly?: boolean | undefined;
  /** True for connections that only read; a statement that would write is refused. */
  readonly queryOnly?: boolean | undefined;
  /** Kilobytes of pages cached in memory. Other pages are read from the system's cache. */
  readonly cacheKb?: number | undefined;
}

/** The result of a statement. When `columns` are given, the rows are arrays in their order. */
export interface StatementResult {
  readonly columns?: readonly string[];
  readonly response: unknown;
  readonly context?: { readonly lastID: number | bigint; readonly changes: number };
}

/** A connection in knex's pool; it runs in this thread or in one of its own. */
export interface SqliteConnection {
  /** False once it can no longer be used. */
  readonly usable: boolean;
  run(sql: string, bindings: readonly unknown[], seconds: number): StatementResult | Promise<StatementResult>;
  close(): void | Promise<void>;
}

/** The parts of better-sqlite3 that we use. */
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
interface CachedStatement {
  readonly statement: Statement;
  readonly columns: readonly string[] | null;
}

const MAX_STATEMENTS = 200;
const MAX_KEPT_LENGTH = 2000;
const REPEATED = /^(?:select|insert|update|delete|begin|commit|savepoint|release|rollback)\b/i;
const CHANGES_SCHEMA = /^\s*(?:create|alter|drop|pragma)\b/i;
// a change of the schema changes the columns of `*`, but not those of `count(*)`
const NAMES_NO_COLUMNS = /\*(?!\s*\))/;

/**
 * A connection in this thread. It caches the statements used last, and forgets all after a change of the
 * schema.
 */
export class LocalConnection implements SqliteConnection {
  readonly usable = true;
  readonly #handle: Handle;
  readonly #known = new Map<string, CachedStatement>();

  constructor({ driver, filename, nativeBinding, readonly = false, queryOnly = false, cacheKb }: SqliteFile) {
    const Database = createRequire(import.meta.url)(driver) as Driver;
    if (!readonly) makePrivate(filename);
    this.#handle = new Database(filename, { nativeBinding, readonly });
    if (queryOnly) this.#handle.pragma('query_only = ON');
    if (cacheKb !== undefined) this.#handle.pragma(`cache_size = -${cacheKb}`);
    this.#handle.function('fa_lower', { deterministic: true }, (value) =>
      typeof value === 'string' ? value.toLowerCase() : value,
    );
  }

  run(sql: string, bindings: readonly unknown[]): StatementResult {
    try {
      return this.#execute(this.#prepared(sql), bindings);
    } catch (error) {
      // a COMMIT that fails (disk full) leaves the transaction open
      if (sql === 'COMMIT;' && this.#handle.inTransaction) this.#handle.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#handle.close();
  }

  #execute({ statement, columns }: CachedStatement, bindings: readonly unknown[]): StatementResult {
    if (columns) return { columns, response: statement.all(bindings) };
    if (statement.reader) return { response: statement.all(bindings) };
    const response = statement.run(bindings);
    return { response, context: { lastID: response.lastInsertRowid, changes: response.changes } };
  }

  #prepared(sql: string): CachedStatement {
    const isRepeated = REPEATED.test(sql);
    if (!isRepeated && CHANGES_SCHEMA.test(sql)) this.#known.clear();
    const cached = this.#known.get(sql) ?? prepare(this.#handle, sql);
    if (!isRepeated || sql.length > MAX_KEPT_LENGTH) return cached;
    this.#known.delete(sql); // the statement used longest ago comes first
    this.#known.set(sql, cached);
    if (this.#known.size > MAX_STATEMENTS) this.#known.delete(this.#known.keys().next().value!);
    return cached;
  }
}

/**
 * Makes a new file that only its owner may read, since it may hold a generated secret. SQLite gives its journal
 * the same rights.
 */
function makePrivate(filename: string | Buffer): void {
  if (Buffer.isBuffer(filename) || ['', ':memory:'].includes(filename.trim())) return;
  if (existsSync(filename) || !existsSync(dirname(filename))) return;
  closeSync(openSync(filename, 'a', 0o600));
}

// The driver returns rows as arrays several times faster than as objects, also from another thread.
function prepare(handle: Handle, sql: string): CachedStatement {
  const statement = handle.prepare(sql);
  if (!statement.reader || NAMES_NO_COLUMNS.test(sql)) return { statement, columns: null };
  return { statement: statement.raw(true), columns: statement.columns().map(({ name }) => name) };
}
