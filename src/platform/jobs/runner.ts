import type { Platform } from '../platform.js';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Asked before the lease is taken, so that without work nothing is written. */
  isDue?(): Promise<boolean>;
  run(): Promise<unknown>;
  /** It may take long (a slow endpoint, a mail server), so other jobs do not wait for it. */
  readonly aside?: boolean;
}

export interface JobReport {
  readonly name: string;
  readonly result: 'done' | 'failed';
}

const TICK_MS = 5000;

/** Runs recurring work: each job in one process at a time, and not before it is due. */
export class JobRunner {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #closed = false;
  readonly #aside = new Map<string, Promise<JobReport | null>>();

  constructor(
    private readonly app: Platform,
    private readonly jobs: readonly Job[],
  ) {}

  /** Runs what is due; for hosts with their own scheduler. */
  async runDue(): Promise<JobReport[]> {
    const underway = [...this.#aside.values()];
    const { reports, started } = await this.#runDue();
    const aside = await Promise.all([...underway, ...started]);
    return [...reports, ...aside.filter((report) => report !== null)];
  }

  /** Looks for due work on a timer, which does not prevent the process from ending. */
  start(): void {
    this.#timer ??= setInterval(() => {
      this.#running = this.#running
        .then(() => this.#runDue())
        .catch((error: unknown) => {
          this.app.log.error('jobs failed', { error });
        });
    }, TICK_MS).unref();
  }

  /** Starts jobs marked `aside` and does not wait for them. */
  async #runDue(): Promise<{ reports: JobReport[]; started: Promise<JobReport | null>[] }> {
    const reports: JobReport[] = [];
    const started: Promise<JobReport | null>[] = [];
    const nextRuns = await this.#nextRuns();
    for (const job of this.jobs) {
      if (this.#closed) break;
      if (this.#waits(job, nextRuns) || this.#aside.has(job.name)) continue;
      if ((await job.isDue?.()) === false) continue;
      if (job.aside === true) started.push(this.#startAside(job));
      else {
        const report = await this.#runLeased(job);
        if (report) reports.push(report);
      }
    }
    return { reports, started };
  }

  /** A next run further away than the job's pause was set by a clock that was ahead, and does not count. */
  #waits({ name, everyMs }: Job, nextRuns: ReadonlyMap<string, number>): boolean {
    const wait = (nextRuns.get(name) ?? 0) - this.app.clock.now();
    return wait > 0 && wait <= everyMs;
  }

  #startAside(job: Job): Promise<JobReport | null> {
    const work = this.#runLeased(job)
      .catch((error: unknown) => {
        this.app.log.error('a job failed', { job: job.name, error });
        return null;
      })
      .finally(() => this.#aside.delete(job.name));
    this.#aside.set(job.name, work);
    return work;
  }

  async #runLeased(job: Job): Promise<JobReport | null> {
    const lease = await this.app.withLease(`job:${job.name}`, () => this.#runIfDue(job));
    return lease?.value ?? null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#running;
    await Promise.all(this.#aside.values());
  }

  async #runIfDue(job: Job): Promise<JobReport | null> {
    const now = this.app.clock.now();
    // Another process may have done it in the meantime.
    if (this.#waits(job, await this.#nextRuns())) return null;
    const result = await this.#run(job);
    await this.app
      .db('job_leases')
      .where({ name: `job:${job.name}` })
      .update({ last_run_at: now, next_run_at: now + job.everyMs });
    return { name: job.name, result };
  }

  async #nextRuns(): Promise<ReadonlyMap<string, number>> {
    const rows: { name: string; next_run_at: number | string }[] = await this.app
      .db('job_leases')
      .select('name', 'next_run_at')
      .where('name', 'like', 'job:%');
    return new Map(rows.map((row) => [row.name.slice('job:'.length), Number(row.next_run_at)]));
  }

  async #run(job: Job): Promise<'done' | 'failed'> {
    try {
      await this.app.context.run({ user: null, requestId: `job:${job.name}`, source: 'job' }, () =>
        job.run(),
      );
      return 'done';
    } catch (error) {
      this.app.log.error('a job failed', { job: job.name, error });
      return 'failed';
    }
  }
}
