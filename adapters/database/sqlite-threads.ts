import { LocalConnection, type StatementResult, type SqliteFile } from './sqlite-connection.js';
import { SqliteThread, sqliteError } from './sqlite-thread.js';

/** The driver's default is 16 MB for each connection. */
const CACHE_KB = { writer: 8000, reader: 2000, local: 1000 };
const READERS = 2; // so that one is free while the other reads a long report
const MOST_READERS = 4; // includes readers whose statement ran out of time and is still running

/**
 * The connections of a database in a file: one thread that writes, some that read, and one connection in this
 * thread for a few rows found by an index. A thread costs 60 ms of processor and 12 MB, so the start waits for
 * none; the first list or report starts a reader.
 */
export class SqliteThreads {
  /** How long a statement that begins now may take. */
  seconds: () => number = () => 0;
  readonly #readers = new Set<SqliteThread>();
  #nextWriter: SqliteThread | undefined;
  #local: LocalConnection | undefined;

  constructor(private readonly file: SqliteFile) {}

  /** Starts the thread that the next writer uses, without waiting for it. */
  startWriter(): void {
    this.#nextWriter ??= this.#newWriter();
  }

  writer(): SqliteThread {
    const started = this.#nextWriter;
    this.#nextWriter = undefined;
    return started?.usable === true ? started : this.#newWriter();
  }

  /**
   * For a few rows found by an index: a dozen of them are read in the time of one message to a thread. A
   * writer never blocks a reader.
   */
  get local(): LocalConnection {
    this.#local ??= new LocalConnection({ ...this.file, queryOnly: true, cacheKb: CACHE_KB.local });
    return this.#local;
  }

  /** Runs a statement that only reads on the reader with the fewest waiting statements. */
  async run(sql: string, bindings: readonly unknown[], seconds: number): Promise<StatementResult> {
    return this.#reader().run(sql, bindings, seconds);
  }

  async close(): Promise<void> {
    this.#local?.close();
    const threads = [...this.#readers, ...(this.#nextWriter ? [this.#nextWriter] : [])];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  #newWriter(): SqliteThread {
    return new SqliteThread({ ...this.file, cacheKb: CACHE_KB.writer });
  }

  #reader(): SqliteThread {
    const usable = [...this.#readers].filter((reader) => reader.usable);
    const [first] = usable.sort((a, b) => a.load - b.load);
    if (first && (first.load === 0 || usable.length === READERS)) return first;
    if (this.#readers.size < MOST_READERS) return this.#another();
    if (first) return first;
    throw sqliteError('SQLITE_BUSY', 'statements that timed out still run');
  }

  #another(): SqliteThread {
    const reader = new SqliteThread({ ...this.file, queryOnly: true, cacheKb: CACHE_KB.reader });
    this.#readers.add(reader);
    void reader.ended.then(() => this.#readers.delete(reader));
    return reader;
  }
}
