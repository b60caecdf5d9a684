import type { App } from '../app.js';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  run(app: App): Promise<unknown>;
}

export interface JobReport { readonly name: string; readonly result: 'done' | 'failed' }

const TICK_MS = 15_000;

/** Recurring work, each piece run by one process at a time and not before it is due, whoever asks. */
export class JobRunner {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(private readonly app: App, private readonly jobs: readonly Job[]) {}

  /** Does what is due; for hosts with their own scheduler. */
  async runDue(): Promise<JobReport[]> {
    const reports: JobReport[] = [];
    for (const job of this.jobs) {
      if (this.#closed) break;
      const lease = await this.app.withLease(`job:${job.name}`, () => this.#runIfDue(job));
      if (lease?.value) reports.push(lease.value);
    }
    return reports;
  }

  /** Looks for due work on a timer that keeps no process alive. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.runDue()).catch((error: unknown) => { this.app.log.error('jobs failed', { error }); });
    }, TICK_MS).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #runIfDue(job: Job): Promise<JobReport | null> {
    const now = this.app.clock.now();
    const row: { next_run_at: number | string } | undefined = await this.app.db('job_leases').first('next_run_at').where({ name: `job:${job.name}` });
    if (Number(row?.next_run_at ?? 0) > now) return null;
    const result = await this.#run(job);
    await this.app.db('job_leases').where({ name: `job:${job.name}` }).update({ last_run_at: now, next_run_at: now + job.everyMs });
    return { name: job.name, result };
  }

  async #run(job: Job): Promise<'done' | 'failed'> {
    try {
      await this.app.context.run({ user: null, requestId: `job:${job.name}`, source: 'job' }, () => job.run(this.app));
      return 'done';
    } catch (error) {
      this.app.log.error('a job failed', { job: job.name, error });
      return 'failed';
    }
  }
}
