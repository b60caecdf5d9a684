import { systemClock } from '../core/clock.js';
import { MINUTE, SECOND } from '../core/duration.js';
import type { Logger } from '../core/logger.js';
import { fail } from '../errors.js';

/** Attempts are this far apart: twice as long after each that fails. */
const PAUSE = { shortest: SECOND, longest: 30 * SECOND };
/** How long after the beginning of an attempt a page waits for it. */
const PAGE_WAITS = { first: 10 * SECOND, later: SECOND / 2 };

export interface StartParts {
  /** Opens the database. Calls from code wait for this only, so that extensions and hooks of the start may call. */
  readonly open: () => Promise<void>;
  /** What follows before requests are served: extensions, the hook `loaded`. */
  readonly finish: () => Promise<void>;
  readonly log: Logger;
  /** Does it also try again without a request? For processes that run jobs. */
  readonly repeats: boolean;
}

/**
 * The start of a service. It begins with the first call or request, so a service that is only created opens
 * nothing. It is repeated while it fails: by `ready()` at once, by requests after a pause. So a service whose
 * database is away at first works as soon as the database answers.
 */
export class Start {
  #attempt: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #began = 0;
  #failures = 0;
  #nextAt = 0;
  #isOpen = false;
  #isDone = false;
  #isClosed = false;
  readonly #lost: LostClicks;

  constructor(private readonly parts: StartParts) {
    this.#lost = new LostClicks(parts.log);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** May code call the services now? */
  get isOpen(): boolean {
    return this.#isOpen && !this.#isClosed;
  }

  /** Starts without waiting. */
  begin(): void {
    this.ready().catch(() => {}); // logged; it must not end the host's process
  }

  /** Starts again when the last attempt has failed, and rejects with what this attempt failed with. */
  async ready(): Promise<void> {
    if (this.#isClosed) fail('service_closed');
    await (this.#attempt ??= this.#try());
  }

  /** For requests: tries again no sooner than the pause allows. */
  async forRequest(): Promise<void> {
    if (this.#isDone) return;
    try {
      if (this.#attempt === undefined && systemClock.now() < this.#nextAt) this.#notStarted();
      await this.ready();
    } catch (cause) {
      this.#notStarted(cause);
    }
  }

  /** For calls from code: waits until the database is open. */
  async forCall(): Promise<void> {
    if (this.#isClosed) fail('service_closed');
    if (this.#isOpen) return;
    if (this.#attempt === undefined) this.begin();
    try {
      await this.#opening;
    } catch (cause) {
      this.#notStarted(cause);
    }
  }

  /** False when the page must do without the tracker; this is logged once a minute. */
  async forPage(): Promise<boolean> {
    const isStarted = await Promise.race([
      this.forRequest().then(
        () => true,
        () => false,
      ),
      this.#patience(),
    ]);
    if (!isStarted && !this.#isClosed) this.#lost.add();
    return isStarted;
  }

  /** No more attempts. Resolves when the current one has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#attempt?.catch(() => {});
  }

  #patience(): Promise<false> {
    const total = this.#failures === 0 ? PAGE_WAITS.first : PAGE_WAITS.later;
    const rest = Math.max(0, this.#began + total - systemClock.now());
    return new Promise((resolve) => {
      setTimeout(resolve, rest, false).unref();
    });
  }

  async #try(): Promise<void> {
    this.#began = systemClock.now();
    try {
      this.#opening = this.parts.open();
      await this.#opening;
      this.#isOpen = true;
      await this.parts.finish();
      this.#isDone = true;
    } catch (error) {
      this.#attempt = undefined;
      const pause = Math.min(PAUSE.longest, PAUSE.shortest * 2 ** this.#failures);
      this.#failures += 1;
      this.#nextAt = systemClock.now() + pause;
      this.parts.log.error('The affiliate service could not start. It will try again.', { error });
      if (this.parts.repeats) this.#repeat(pause);
      throw error;
    }
  }

  #repeat(pause: number): void {
    setTimeout(() => this.begin(), pause).unref();
  }

  #notStarted(cause?: unknown): never {
    if (this.#isClosed) fail('service_closed');
    const seconds = Math.ceil((this.#nextAt - systemClock.now()) / SECOND);
    return fail('not_started', { cause, retryAfter: Math.max(1, seconds) });
  }
}

/** Counts the pages that were served without the tracker. */
class LostClicks {
  #pages = 0;
  #loggedAt = -Infinity;

  constructor(private readonly log: Logger) {}

  add(): void {
    this.#pages += 1;
    const now = systemClock.now();
    if (now - this.#loggedAt < MINUTE) return;
    this.#loggedAt = now;
    this.log.error(
      'Clicks are lost: the affiliate service has not started, so pages are served without it.',
      {
        pages: this.#pages,
      },
    );
    this.#pages = 0;
  }
}
