import { AsyncResource } from 'node:async_hooks';

const GATHER_MS = 10;

/**
 * Gathers items into groups: what arrives while a group is being processed forms the next one, and what
 * arrives in one turn of the event loop belongs together.
 */
export class Gatherer<T> {
  #waiting: T[] = [];
  #running: Promise<void> | null = null;
  // The loop works for many requests, so it must not inherit the transaction or the user of the request that
  // started it.
  readonly #scope = new AsyncResource('affiliate-service-group');

  /** `work` handles the errors of its group itself and never rejects. */
  constructor(
    private readonly most: number,
    private readonly work: (group: readonly T[]) => Promise<void>,
  ) {}

  get size(): number {
    return this.#waiting.length;
  }

  push(item: T): void {
    this.#waiting.push(item);
    this.#running ??= this.#scope.runInAsyncScope(() => this.#run());
  }

  /** Resolves when everything pushed so far is done. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gathered();
      await this.work(this.#waiting.splice(0, this.most));
    }
    this.#running = null;
  }

  /**
   * A group grows as long as each turn of the event loop brings another item. A single item waits for one
   * turn.
   */
  async #gathered(): Promise<void> {
    const until = performance.now() + GATHER_MS;
    for (
      let seen = -1;
      seen < this.#waiting.length && this.#waiting.length < this.most && performance.now() < until;
    ) {
      seen = this.#waiting.length;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
}
