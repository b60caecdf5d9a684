import { Worker } from 'node:worker_threads';
import type { StatementResult, SqliteConnection, SqliteFile } from './sqlite-connection.js';
import { ThreadState } from './thread-state.js';

export interface Request {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}
interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}
export type Reply = { readonly result: StatementResult } | { readonly error: Failure };

interface PendingStatement {
  /** How long the statement may run; 0: no limit. */
  readonly seconds: number;
  readonly resolve: (response: StatementResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What the host loads before its program (`--require`, `--import`, also by `NODE_OPTIONS` of the environment) is for
 * the host: in this thread it would listen on the same port or report the same errors again. A copy of the
 * repository needs its loader of TypeScript.
 */
const WITHOUT_PRELOADS = import.meta.url.endsWith('.ts') ? {} : { execArgv: [], env: {} };

/**
 * The short-lived values of a thread are the rows it sends; with the default they could grow to 48 MB. A
 * process started with `--max-semi-space-size` gives its threads that size instead.
 */
const YOUNG_MB = 8;

/** A statement that takes too long fails at most this much after its limit. */
const WATCH_MS = 100;

/** A code in addition to those of SQLite: the thread ended before it responded. */
export const THREAD_GONE = 'SQLITE_THREAD_GONE';

const running = new Set<ThreadState>();

/** A process that exits ends its threads, which must not be in the driver then. */
function leaveDriverBeforeExit(): void {
  for (const state of running) state.stop();
  for (const state of running) state.lockDriver();
}

function started(state: ThreadState): void {
  if (running.size === 0) process.on('exit', leaveDriverBeforeExit);
  running.add(state);
}

function ended(state: ThreadState): void {
  running.delete(state);
  if (running.size === 0) process.off('exit', leaveDriverBeforeExit);
}

/**
 * A connection in a thread of its own, so that no statement or commit blocks the host. The driver cannot
 * interrupt a statement: one that takes too long fails for its caller, and its thread ends when the driver
 * returns. Its transaction is rolled back.
 */
export class SqliteThread implements SqliteConnection {
  /** Resolves when the thread has ended, also after `stop`. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #state = new ThreadState();
  #unsent: Request[] = [];
  readonly #waiting: PendingStatement[] = [];
  #deadline = Infinity;
  #watch: NodeJS.Timeout | undefined;
  #usable = true;
  #isClosing = false;

  constructor(file: SqliteFile) {
    this.#worker = new Worker(new URL('./sqlite-worker.js', import.meta.url), {
      workerData: { file, memory: this.#state.memory },
      name: 'affiliate-service-sqlite',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      ...WITHOUT_PRELOADS,
    });
    started(this.#state);
    this.#worker.on('message', (replies: readonly Reply[]) => {
      this.#receive(replies);
    });
    this.#worker.on('error', (error) => {
      this.#end(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        ended(this.#state);
        this.#end(gone());
        resolve();
      });
    });
    this.#enqueue(0).catch((error: unknown) => {
      this.stop(error as Error); // the file could not be opened
    });
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** The number of statements that run or wait. */
  get load(): number {
    return this.#waiting.length;
  }

  run(sql: string, bindings: readonly unknown[], seconds: number): Promise<StatementResult> {
    if (!this.#usable) return Promise.reject(gone());
    // A message costs more than many statements do, so all statements of one turn share a message.
    if (this.#unsent.push({ sql, bindings }) === 1) process.nextTick(() => this.#send());
    return this.#enqueue(seconds);
  }

  /** Also waits for a statement that ran out of time, because a process cannot end before it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#worker.ref();
    if (this.#usable) this.#worker.postMessage(null);
    await this.ended;
  }

  /** Does not wait: the statement fails with this error, and the thread ends when the driver returns. */
  stop(error: Error): void {
    this.#end(error);
    this.#state.stop();
    this.#worker.postMessage(null);
  }

  #send(): void {
    if (this.#usable) this.#worker.postMessage(this.#unsent);
    this.#unsent = [];
  }

  #enqueue(seconds: number): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ seconds, resolve, reject });
      if (this.#waiting.length > 1) return;
      this.#worker.ref(); // the process waits for the thread only while a statement is running
      this.#begin();
    });
  }

  #receive(replies: readonly Reply[]): void {
    const asked = this.#waiting.splice(0, replies.length);
    if (this.#waiting.length > 0) this.#begin();
    else if (!this.#isClosing) this.#worker.unref();
    for (const [at, { resolve, reject }] of asked.entries()) {
      const reply = replies[at]!;
      if ('result' in reply) resolve(reply.result);
      else reject(errorOf(reply.error));
    }
  }

  /** The time of the first statement that waits begins now. */
  #begin(): void {
    const { seconds } = this.#waiting[0]!;
    this.#deadline = seconds === 0 ? Infinity : performance.now() + seconds * 1000;
    this.#watch ??= this.#watchAgain();
  }

  /** A timer for each statement would cost more than many statements do, so a look is taken now and then. */
  #watchAgain(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#watch = undefined;
      if (this.#waiting.length === 0) return;
      if (performance.now() < this.#deadline) this.#watch = this.#watchAgain();
      else this.stop(sqliteError('SQLITE_INTERRUPT', 'the statement took too long'));
    }, WATCH_MS).unref();
  }

  /** Only the first statement has begun; the others may be sent to another thread. */
  #end(error: Error): void {
    this.#usable = false;
    clearTimeout(this.#watch);
    const [first, ...others] = this.#waiting.splice(0);
    first?.reject(error);
    for (const { reject } of others) reject(gone());
  }
}

const errorOf = ({ name, message, code }: Failure): Error =>
  Object.assign(new Error(message), { name, code });

export const sqliteError = (code: string, message: string): Error =>
  errorOf({ name: 'SqliteError', message, code });

const gone = (): Error => sqliteError(THREAD_GONE, 'the thread of the database has ended');
