import { cut, plainLine } from '../../core/text.js';
import { AffiliateError } from '../../errors.js';
import type { Lease } from '../../platform/database/lease.js';
import type { CallContext } from '../../platform/call-context.js';
import type { Platform } from '../../platform/platform.js';
import { Pace } from './pace.js';
import * as store from './repository.js';
import type { OperationRunner, Progress } from './contributions.js';
import type { Operation, OperationKind } from './types.js';

/** A killed process holds its work for this long; then another one continues. */
const TTL_MS = 10_000;
const ATTEMPTS = 3;
const REASON_LENGTH = 500;

/**
 * Does long work step by step: each step is a transaction of its own that stores the progress, so that the
 * work continues after any interruption, in any process (docs/reliability.md §3.9).
 */
export class Engine {
  readonly #kinds = new Map<OperationKind, OperationRunner>();
  readonly #running = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(private readonly app: Platform) {}

  add(kind: OperationRunner): void {
    this.#kinds.set(kind.kind, kind);
  }

  /**
   * Works until it has ended or was stopped. Returns how much it has done. The caller holds the lease of its
   * kind.
   */
  async drive(kind: OperationKind, objectId: number, lease: Lease): Promise<number> {
    const long = this.#kinds.get(kind)!;
    if (long.whileClosed !== true) return this.#steps(long, objectId, lease);
    const context = { ...this.app.context.current(), whileClosed: true } as const;
    return this.app.context.run(context, () => this.#steps(long, objectId, lease));
  }

  async #steps(long: OperationRunner, objectId: number, lease: Lease): Promise<number> {
    const { kind } = long;
    const pace = new Pace(long.size);
    for (let done = 0; ;) {
      const work = await store.find(this.app.db, kind, objectId);
      if (work?.state !== 'running' || lease.lost || this.#closed) return done;
      done += await this.#attempt(long, work, { lease, pace });
      await pace.rest(this.app.underway() > 0);
    }
  }

  /** Like `drive`, in the name of the user who began it. */
  async driveFor({ kind, object_id: objectId, user_id: userId }: Operation, lease: Lease): Promise<void> {
    const context = await this.#contextOf(kind, userId);
    await this.app.context.run(context, () => this.drive(kind, objectId, lease));
  }

  /** Like `drive`, under the lease of its kind. While another process has the lease, that one continues it. */
  async take(kind: OperationKind, objectId: number): Promise<number> {
    const long = this.#kinds.get(kind)!;
    const work = (lease: Lease): Promise<number> => this.drive(kind, objectId, lease);
    return (await this.app.withLease(long.lease(objectId), work, { ttlMs: TTL_MS }))?.value ?? 0;
  }

  /** Continues it in the background of this process, in the name of the user who began it. */
  start({
    kind,
    object_id: objectId,
    user_id: userId,
  }: Pick<Operation, 'kind' | 'object_id' | 'user_id'>): void {
    const name = `${kind}:${objectId}`;
    if (this.#running.has(name) || this.#closed) return;
    const run = this.#contextOf(name, userId)
      .then((context) => this.app.context.run(context, () => this.take(kind, objectId)))
      .catch((error: unknown) => {
        this.app.log.error('an operation was interrupted', { work: name, error });
      })
      .finally(() => this.#running.delete(name));
    this.#running.set(name, run);
  }

  isRunningHere({ kind, object_id: objectId }: Pick<Operation, 'kind' | 'object_id'>): boolean {
    return this.#running.has(`${kind}:${objectId}`);
  }

  /** Resolves when nothing runs in the background of this process. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Stops after the current steps; another process, or the next start, continues. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
  }

  async #contextOf(name: string, userId: number | null): Promise<CallContext> {
    const user = userId === null ? null : ((await this.app.users([userId])).get(userId) ?? null);
    return { user, requestId: `work:${name}`, source: 'job' };
  }

  /** How much the step has done; 0 when it failed and is tried again. */
  async #attempt(
    long: OperationRunner,
    work: Operation,
    { lease, pace }: { readonly lease: Lease; readonly pace: Pace },
  ): Promise<number> {
    const began = performance.now();
    let [done, lockedMs] = [0, 0];
    try {
      await long.step({
        work,
        size: pace.size,
        commit: async (change) => {
          let opened = 0;
          await this.app.transaction(async (trx, afterCommit) => {
            opened = performance.now();
            await lease.hold(trx);
            const progress = await change(trx, afterCommit);
            done = progress.done;
            await this.#store(trx, work, progress);
          });
          lockedMs = performance.now() - opened;
        },
      });
      pace.learn({ lockedMs, tookMs: performance.now() - began, done });
      return done;
    } catch (error) {
      await this.#failed(work, error);
      return 0;
    }
  }

  async #store(trx: Platform['db'], work: Operation, { done, details, hasEnded }: Progress): Promise<void> {
    if (hasEnded) await store.end(trx, work.kind, work.object_id);
    else
      await store.advance(trx, work, {
        done: work.done + done,
        details,
        failures: 0,
        reason: null,
        message: null,
        seen_at: this.app.clock.now(),
      });
  }

  /** Waits for a database that is away or busy; the job continues later. */
  async #failed(work: Operation, error: unknown): Promise<void> {
    if (error instanceof AffiliateError && error.status === 503) throw error;
    const reason = reasonOf(error);
    const failures = work.reason === reason ? work.failures + 1 : 1;
    this.app.log.error('a step of an operation failed', {
      kind: work.kind,
      id: work.object_id,
      failures,
      error,
    });
    await store.advance(this.app.db, work, {
      failures,
      reason,
      message: messageOf(error),
      ...(failures >= ATTEMPTS && { state: 'stopped' as const }),
      seen_at: this.app.clock.now(),
    });
    if (failures >= ATTEMPTS) throw error;
  }
}

const reasonOf = (error: unknown): string =>
  (error instanceof AffiliateError ? error.code : 'internal_error').slice(0, REASON_LENGTH);

/** The sentence of a rule or of an extension; errors of the database and of code are only logged. */
const messageOf = (error: unknown): string | null =>
  error instanceof AffiliateError && error.status < 500 ? cut(plainLine(error.message), REASON_LENGTH) : null;
