import { MINUTE } from '../../core/duration.js';
import type { Lease } from '../../platform/database/lease.js';
import type { Platform } from '../../platform/platform.js';
import type { Db } from '../../platform/database/db.js';
import { Engine } from './engine.js';
import { Pace } from './pace.js';
import type { ProgressDto } from '../api-schemas.js';
import { presentProgress } from './presenter.js';
import * as store from './repository.js';
import type { OperationRunner } from './contributions.js';
import type { ProgressReport, Operation, OperationKind } from './types.js';

/** Reported work without a report for this long belonged to a process that has ended. */
const LOST_MS = 10 * MINUTE;

/** Long work of all processes: its progress is stored, so that every user can open its screen again. */
export class OperationsService {
  readonly #engine: Engine;

  constructor(private readonly app: Platform) {
    this.#engine = new Engine(app);
  }

  /** Adds a kind of work that is done in steps. */
  add(kind: OperationRunner): void {
    this.#engine.add(kind);
  }

  /**
   * Begins work in steps, in the transaction that decides it; `drive` or `start` do it afterwards. Work that
   * was begun already continues where it is.
   */
  async begin(trx: Db, report: ProgressReport): Promise<void> {
    const work = this.#operationOf(report, 'running');
    await store.put(trx, work, []);
    await store.turn(trx, work, 'running');
  }

  /** Like `begin`, from its beginning, also when it was begun already. */
  async restart(trx: Db, report: ProgressReport): Promise<void> {
    await store.put(trx, this.#operationOf(report, 'running'), [
      'done',
      'total',
      'details',
      'state',
      'failures',
      'reason',
      'message',
    ]);
  }

  /** How far it is, for responses. */
  progress(operation: Operation): ProgressDto {
    return presentProgress(operation, this.app.clock.now());
  }

  /** Does work that was begun until it has ended or was stopped. Returns how much it has done. */
  drive(kind: OperationKind, objectId: number, lease: Lease): Promise<number> {
    return this.#engine.drive(kind, objectId, lease);
  }

  /**
   * Does what was begun of a kind before something else of its lease, each in the name of the user who began
   * it.
   */
  async finish(kind: OperationKind, lease: Lease): Promise<void> {
    for (const work of await store.running(this.app.db))
      if (work.kind === kind) await this.#engine.driveFor(work, lease);
  }

  /** Does work that was begun, unless another process does. */
  take(kind: OperationKind, objectId: number): Promise<number> {
    return this.#engine.take(kind, objectId);
  }

  /** Continues work in the background, in the name of the caller. */
  async start(kind: OperationKind, objectId: number): Promise<void> {
    const work = await this.find(kind, objectId);
    if (work?.state === 'running') this.#engine.start(work);
  }

  /** Stops it after its step; false when it has ended or is stopped already. */
  stop(kind: OperationKind, objectId: number): Promise<boolean> {
    return store.turn(this.app.db, { kind, object_id: objectId }, 'stopped');
  }

  /** Continues stopped work in the background; false when it is not stopped. */
  async goOn(kind: OperationKind, objectId: number): Promise<boolean> {
    if (!(await store.turn(this.app.db, { kind, object_id: objectId }, 'running'))) return false;
    await this.start(kind, objectId);
    return true;
  }

  /**
   * Stopped work is running again; a process with jobs continues it within a minute. Returns how much there was.
   */
  resumeStopped(): Promise<number> {
    return store.turnAll(this.app.db);
  }

  /** Is there work that this process does not do? */
  async hasWork(): Promise<boolean> {
    return (await store.running(this.app.db)).some((work) => !this.#engine.isRunningHere(work));
  }

  /** Job: continues work whose process has ended. */
  async resume(): Promise<void> {
    for (const work of await store.running(this.app.db)) this.#engine.start(work);
    await this.#engine.settled();
  }

  /** Resolves when nothing runs in the background of this process. */
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
    await store.put(this.app.db, this.#operationOf(report, 'told'), ['done', 'total', 'details', 'seen_at']);
  }

  async end(kind: OperationKind, objectId = 0): Promise<void> {
    await store.end(this.app.db, kind, objectId);
  }

  /** Like `end`, in an open transaction, of work that is not running now. */
  endIn(trx: Db, kind: OperationKind, objectId: number): Promise<void> {
    return store.end(trx, kind, objectId);
  }

  /** Ends all other work, in all processes, as its records are about to be deleted. */
  endOthers(trx: Db, kind: OperationKind): Promise<void> {
    return store.endOthers(trx, kind);
  }

  /** Reported work that was left is replaced by work in steps. */
  forgetReported(kind: OperationKind, objectId: number): Promise<void> {
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

  find(kind: OperationKind, objectId = 0): Promise<Operation | null> {
    return store.find(this.app.db, kind, objectId);
  }

  /** Work that is running, and work that was begun and can be continued. */
  async list(kinds: readonly OperationKind[]): Promise<Operation[]> {
    const now = this.app.clock.now();
    return (await store.list(this.app.db, kinds)).filter(
      ({ kind, state, seen_at }) => state !== 'told' || kind === 'payout_undo' || now - seen_at < LOST_MS,
    );
  }

  #operationOf(
    { kind, object_id = 0, done, total, details = {} }: ProgressReport,
    state: Operation['state'],
  ): Operation {
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
      message: null,
      user_id: this.app.context.current().user?.id ?? null,
      started_at: now,
      seen_at: now,
    };
  }
}
