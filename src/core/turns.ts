/** Runs works one after another, in the order in which they came; each in the context of its caller. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get size(): number {
    return this.#waiting;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const done = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = done.catch(() => {});
    return done;
  }
}
