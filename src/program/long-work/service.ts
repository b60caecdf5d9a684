import { MINUTE } from '../../core/duration.js';
import type { Lease } from '../../platform/database/lease.js';
import type { Platform } from '../../platform/platform.js';
import type { Db } from '../../platform/database/db.js';
import { Engine } from './engine.js';
import { Pace } from './pace.js';
import * as store from './repository.js';
import type { LongWork } from './contributions.js';
import type { ProgressReport, Work, WorkKind } from './types.js';

/** Reported work without a report for this long belonged to a process that has ended. */
const LOST_MS = 10 * MINUTE;

/** Long work of all processes: its screen can be left and found again, also by somebody else. */
export class WorksService {
  readonly #engine: Engine;

  constructor(private readonly app: Platform) {
    this.#engine = new Engine(app);
  }

  /** Adds a kind of work that is done in steps. */
  add(kind: LongWork): void {
    this.#engine.add(kind);
  }

  /**
   * Begins work in steps, in the transaction that decides it; `drive` or `start` do it afterwards. Work that
   * was begun already goes on where it is.
   */
  async begin(trx: Db, report: ProgressReport): Promise<void> {
    const work = this.#workOf(report, 'running');
    await store.put(trx, work, []);
    await store.turn(trx, work, 'running');
  }

  /** The same from its beginning, also when it was begun already. */
  async restart(trx: Db, report: ProgressReport): Promise<void> {
    await store.put(trx, this.#workOf(report, 'running'), [
      'done',
      'total',
      'details',
      'state',
      'failures',
      'reason',
    ]);
  }

  /** Does work that was begun until it has ended or was stopped; answers how much it has done. */
  drive(kind: WorkKind, objectId: number, lease: Lease): Promise<number> {
    return this.#engine.drive(kind, objectId, lease);
  }

  /** Does what was begun of a kind before something else of its lease, each in the name of whoever began it. */
  async finish(kind: WorkKind, lease: Lease): Promise<void> {
    for (const work of await store.running(this.app.db))
      if (work.kind === kind) await this.#engine.driveFor(work, lease);
  }

  /** Does work that was begun, unless another process does. */
  take(kind: WorkKind, objectId: number): Promise<number> {
    return this.#engine.take(kind, objectId);
  }

  /** Goes on with work in the background, for whoever calls this. */
  async start(kind: WorkKind, objectId: number): Promise<void> {
    const work = await this.find(kind, objectId);
    if (work?.state === 'running') this.#engine.start(work);
  }

  /** Stops it after its step; false when it has ended or stands already. */
  stop(kind: WorkKind, objectId: number): Promise<boolean> {
    return store.turn(this.app.db, { kind, object_id: objectId }, 'stopped');
  }

  /** Lets stopped work go on in the background; false when it does not stand. */
  async goOn(kind: WorkKind, objectId: number): Promise<boolean> {
    if (!(await store.turn(this.app.db, { kind, object_id: objectId }, 'running'))) return false;
    await this.start(kind, objectId);
    return true;
  }

  /** Is there work that nobody in this process does? */
  async isWaiting(): Promise<boolean> {
    return (await store.running(this.app.db)).some((work) => !this.#engine.isRunningHere(work));
  }

  /** Job: goes on with work whose process has ended. */
  async resume(): Promise<void> {
    for (const work of await store.running(this.app.db)) this.#engine.start(work);
    await this.#engine.settled();
  }

  /** Resolves when nothing goes on in the background of this process. */
  settled(): Promise<void> {
    return this.#engine.settled();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** The size of steps and the rests between them, for work that has a plan of its own. */
  pace(first: number): Pace {
    return new Pace(first);
  }

  /** Reports the progress of other work; the first call begins it, `end` ends it. */
  async reportProgress(report: ProgressReport): Promise<void> {
    await store.put(this.app.db, this.#workOf(report, 'told'), ['done', 'total', 'details', 'seen_at']);
  }

  async end(kind: WorkKind, objectId = 0): Promise<void> {
    await store.end(this.app.db, kind, objectId);
  }

  /** The same in an open transaction, of work that nobody does now. */
  endIn(trx: Db, kind: WorkKind, objectId: number): Promise<void> {
    return store.end(trx, kind, objectId);
  }

  /** Ends all other work, whoever does it: what it works on is about to be deleted. */
  endOthers(trx: Db, kind: WorkKind): Promise<void> {
    return store.endOthers(trx, kind);
  }

  /** Reported work that was left is replaced by work in steps. */
  forgetReported(kind: WorkKind, objectId: number): Promise<void> {
    return store.endReported(this.app.db, kind, objectId);
  }

  /** Reports the work from its beginning to its end, even if it fails. */
  async during<T>(report: ProgressReport, work: () => Promise<T>): Promise<T> {
    await this.end(report.kind, report.object_id); // left by a process that was killed
    await this.reportProgress(report);
    try {
      return await work();
    } finally {
      await this.end(report.kind, report.object_id);
    }
  }

  find(kind: WorkKind, objectId = 0): Promise<Work | null> {
    return store.find(this.app.db, kind, objectId);
  }

  /** Work that is running, and work that was begun and can be continued. */
  async list(kinds: readonly WorkKind[]): Promise<Work[]> {
    const now = this.app.clock.now();
    return (await store.list(this.app.db, kinds)).filter(
      ({ kind, state, seen_at }) => state !== 'told' || kind === 'payout_undo' || now - seen_at < LOST_MS,
    );
  }

  #workOf({ kind, object_id = 0, done, total, details = {} }: ProgressReport, state: Work['state']): Work {
    const now = this.app.clock.now();
    return {
      kind,
      object_id,
      done,
      total,
      details,
      state,
      failures: 0,
      reason: null,
      user_id: this.app.context.current().user?.id ?? null,
      started_at: now,
      seen_at: now,
    };
  }
}
