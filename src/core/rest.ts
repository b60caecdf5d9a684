import { setTimeout as sleep } from 'node:timers/promises';

/** Work that takes less needs no rest (ms). */
const SHORT = 8;

/** For long work in the event loop: rests as long as it has worked, so that requests get half of the time. */
export class Rest {
  #since = performance.now();

  /** Call it after each small part of the work. */
  async take(): Promise<void> {
    const worked = performance.now() - this.#since;
    if (worked < SHORT) return;
    await sleep(worked);
    this.taken();
  }

  /** Call it after a wait for others, which is a rest too. */
  taken(): void {
    this.#since = performance.now();
  }
}
