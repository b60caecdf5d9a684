import { setTimeout as sleep } from 'node:timers/promises';

/** How long the transaction of a step should take: others wait for its locks no longer than this. */
const AIM_MS = 50;
const LONGEST_REST_MS = 250;
/** A step is never smaller than this part of the first one: below that, only its fixed costs are left. */
const LEAST = 0.2;
const MOST = 4;

export interface StepTimes {
  /** How long its transaction was open. */
  readonly lockedMs: number;
  /** Like `pace`, but with what was done before this process took it over. */
  readonly tookMs: number;
  readonly done: number;
}

/** The size of steps, and the rests between them. */
export class Pace {
  #size: number;
  #tookMs = 0;

  constructor(private readonly first: number) {
    this.#size = first;
  }

  get size(): number {
    return Math.round(this.#size);
  }

  /** Learns from a step: the next one is at most twice as large, and at least half as large. */
  learn({ lockedMs, tookMs, done }: StepTimes): void {
    this.#tookMs = tookMs;
    if (done === 0) return;
    const wanted = (this.#size * AIM_MS) / Math.max(1, lockedMs);
    const next = Math.min(this.#size * 2, Math.max(this.#size / 2, wanted));
    this.#size = Math.min(this.first * MOST, Math.max(this.first * LEAST, next));
  }

  /** Rests as long as the step took while others wait, else for a moment that lets them begin. */
  async rest(othersWait: boolean): Promise<void> {
    await sleep(othersWait ? Math.min(this.#tookMs, LONGEST_REST_MS) : 0);
  }
}
