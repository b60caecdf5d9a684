interface Lane {
  holders: number;
  readonly wake: (() => void)[];
}

/**
 * The lanes (affiliates) whose rows transactions of this process lock. Code that is about to open a
 * transaction of a lane waits here, so that it does not wait for the lock on a connection that others could
 * use.
 */
export class HeldLanes {
  readonly #held = new Map<string, Lane>();

  hold(lane: string): void {
    const held = this.#held.get(lane);
    if (held) held.holders += 1;
    else this.#held.set(lane, { holders: 1, wake: [] });
  }

  release(lane: string): void {
    const held = this.#held.get(lane);
    if (!held) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#held.delete(lane);
    for (const wake of held.wake) wake();
  }

  /** Resolves when no transaction of this process holds the lane. */
  async free(lane: string): Promise<void> {
    for (let held = this.#held.get(lane); held; held = this.#held.get(lane))
      await new Promise<void>((resolve) => held.wake.push(resolve));
  }
}
