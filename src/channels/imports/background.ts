import type { Deps } from './deps.js';

type Work = (enough: () => boolean) => Promise<void>;

/**
 * One piece of work at a time, besides the requests. It belongs to no request and ends when it is asked to.
 */
export class BackgroundWork {
  #running: Promise<void> | null = null;
  #stopping = false;

  constructor(
    private readonly app: Deps,
    private readonly work: Work,
  ) {}

  get busy(): boolean {
    return this.#running !== null;
  }

  start(): void {
    if (this.#stopping) return;
    this.#running ??= this.app.context.run({ user: null, requestId: 'job:imports', source: 'job' }, () =>
      this.#run(),
    );
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    this.#stopping = false;
  }

  async #run(): Promise<void> {
    try {
      await this.work(() => this.#stopping);
    } catch (error) {
      this.app.log.error('imports could not continue', { error });
    } finally {
      this.#running = null;
    }
  }
}
