import { LocalConnection, type Answer, type SqliteFile } from './sqlite-connection.js';
import { SqliteThread, sqliteError } from './sqlite-thread.js';

/** The driver's default is 16 MB for each of them. */
const CACHE_KB = { writer: 8000, reader: 4000, local: 2000 };
const READERS = 2; // a long report leaves one for everybody else
const MOST_READERS = 4; // with those whose statement was given up and has not returned yet

/**
 * The connections of a database in a file: one thread that writes, some that read,
 * and one here for a few rows found by an index.
 */
export class SqliteThreads {
  /** How long a statement that begins now may take. */
  seconds: () => number = () => 0;
  readonly #readers = new Set<SqliteThread>();
  #local: LocalConnection | undefined;

  constructor(private readonly file: SqliteFile) {}

  writer(): SqliteThread {
    return new SqliteThread({ ...this.file, cacheKb: CACHE_KB.writer });
  }

  /**
   * For a few rows found by an index: in the time a message to a thread takes, a dozen of them are found.
   * Nobody who writes keeps a reader waiting.
   */
  get local(): LocalConnection {
    this.#local ??= new LocalConnection({ ...this.file, queryOnly: true, cacheKb: CACHE_KB.local });
    return this.#local;
  }

  /** Begins the first reader: a thread takes a while to start, and the writer's starts at the same time. */
  open(): void {
    if (this.#readers.size === 0) this.#another();
  }

  /** A statement that only reads, on the reader with the least to do. */
  async run(sql: string, bindings: readonly unknown[], seconds: number): Promise<Answer> {
    return this.#reader().run(sql, bindings, seconds);
  }

  async close(): Promise<void> {
    this.#local?.close();
    await Promise.all([...this.#readers].map((reader) => reader.close()));
  }

  #reader(): SqliteThread {
    const usable = [...this.#readers].filter((reader) => reader.usable);
    const [first] = usable.sort((a, b) => a.load - b.load);
    if (first && (first.load === 0 || usable.length === READERS)) return first;
    if (this.#readers.size < MOST_READERS) return this.#another();
    if (first) return first;
    throw sqliteError('SQLITE_BUSY', 'statements that were given up still run');
  }

  #another(): SqliteThread {
    const reader = new SqliteThread({ ...this.file, queryOnly: true, cacheKb: CACHE_KB.reader });
    this.#readers.add(reader);
    void reader.ended.then(() => this.#readers.delete(reader));
    return reader;
  }
}
