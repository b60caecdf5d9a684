const DRIVER = 0;
const STOPPED = 1;
const FREE = 0;
const IN_USE = 1;

/**
 * The state that a database thread and its owner share in memory. The driver aborts the process when its
 * thread is ended during a call (seen with better-sqlite3 13.2), so each call holds a lock. To end the
 * thread, the owner takes the lock first.
 */
export class ThreadState {
  readonly #cells: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(memory);
  }

  /** True when the thread is to begin no other statement. */
  get stopped(): boolean {
    return Atomics.load(this.#cells, STOPPED) === 1;
  }

  stop(): void {
    Atomics.store(this.#cells, STOPPED, 1);
  }

  inDriver<T>(call: () => T): T {
    this.lockDriver();
    try {
      return call();
    } finally {
      Atomics.store(this.#cells, DRIVER, FREE);
      Atomics.notify(this.#cells, DRIVER);
    }
  }

  /** Blocks this thread while the driver is in use; afterwards no call can begin. */
  lockDriver(): void {
    while (Atomics.compareExchange(this.#cells, DRIVER, FREE, IN_USE) !== FREE)
      Atomics.wait(this.#cells, DRIVER, IN_USE);
  }
}
