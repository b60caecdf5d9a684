import type { Knex } from 'knex';
import type { WriteRows } from '../../../adapters/database/dialect.js';
import { systemClock } from '../../core/clock.js';
import { SECOND } from '../../core/duration.js';
import type { Logger } from '../../core/logger.js';
import { AffiliateError, fail } from '../../errors.js';
import { collect, endsTransaction, type Connection, type LastWrites, type Level } from './connection.js';
import type { AfterCommit, Db, RunTransaction } from './db.js';
import { readOn } from './plain-statement.js';
import { pause, RETRIES } from './retry.js';

export type Work<T> = (trx: Db, afterCommit: AfterCommit) => Promise<T>;

/** Makes `app.transaction`, described at RunTransaction. */
export function createTransaction(connection: Connection, log: Logger): RunTransaction {
  return <T>(work: Work<T>) => {
    const open = connection.scope.get();
    return open ? join(connection, open, work) : runOutermost(connection, log, work);
  };
}

export async function runOutermost<T>(connection: Connection, log: Logger, work: Work<T>): Promise<T> {
  connection.underway.count += 1;
  try {
    return await connection.telemetry.span('affiliate.transaction', {}, () =>
      runRepeatedly(connection, log, work),
    );
  } finally {
    connection.underway.count -= 1;
  }
}

async function runRepeatedly<T>(connection: Connection, log: Logger, work: Work<T>): Promise<T> {
  const began = systemClock.now();
  for (let retries = 0; ; retries += 1) {
    const outcome = await attempt(connection, work);
    if (outcome.kind === 'committed') warnOfSlow(log, systemClock.now() - began, retries);
    if (outcome.kind === 'committed') {
      await runQueue(outcome.queue, log);
      return outcome.value;
    }
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'unknown') return fail('outcome_unknown', { cause: outcome.error, retryAfter: 1 });
    if (outcome.kind === 'timeout' || outcome.kind === 'full' || retries === RETRIES)
      return fail('busy', { cause: outcome.error, retryAfter: 1 });
    log.debug('transaction tried again', { retries, error: String(outcome.error) });
    await pause();
  }
}

const SLOW = SECOND;

function warnOfSlow(log: Logger, ms: number, retries: number): void {
  if (ms >= SLOW) log.warn('A transaction took long.', { ms, retries });
}

/** The result of work inside a transaction; `statement` is the error of the database, if there was one. */
export type WorkResult<T> =
  | {
      readonly kind: 'done';
      readonly value: T;
      readonly queue: readonly (() => unknown)[];
      readonly last: LastWrites;
    }
  | { readonly kind: 'failed'; readonly error: unknown; readonly statement: unknown };

type Attempt<T> =
  | { readonly kind: 'committed'; readonly value: T; readonly queue: readonly (() => unknown)[] }
  | { readonly kind: 'failed' | 'busy' | 'timeout' | 'full' | 'unknown'; readonly error: unknown };

async function attempt<T>(connection: Connection, work: Work<T>): Promise<Attempt<T>> {
  const { opened, scope, held, level: levelOf } = connection;
  const { knex, dialect, tablePrefix } = opened;
  let level: Level | undefined;
  // Stored here because knex replaces it with the error of a failed ROLLBACK.
  let thrown: { readonly error: unknown } | undefined;
  let worked = false;
  try {
    // Always the handler form, because `await trx.commit()` resolves even when COMMIT failed.
    const value = await knex.transaction(async (trx: Knex) => {
      try {
        await dialect.begin(trx, `${tablePrefix}job_leases`);
        level = levelOf(trx);
        const result = await runLevel(scope, level, work);
        worked = true;
        return result;
      } catch (error) {
        thrown = { error };
        throw error;
      }
    }, dialect.transactionConfig);
    return { kind: 'committed', value, queue: level?.queue ?? [] };
  } catch (caught) {
    const error = thrown ? thrown.error : caught;
    const failure = dialect.failure(level?.failed) ?? dialect.failure(error);
    return { kind: worked ? afterFailedCommit(failure) : afterFailedWork(failure, error), error };
  } finally {
    for (const lane of level?.lanes ?? []) held.release(lane);
  }
}

type Failure = ReturnType<Connection['opened']['dialect']['failure']>;
type FailedAttempt = Exclude<Attempt<never>['kind'], 'committed'>;

/** COMMIT itself failed, but a cluster may still have stored the transaction. */
function afterFailedCommit(failure: Failure): FailedAttempt {
  if (failure === 'timeout' || failure === 'outcome_unknown') return 'unknown';
  return failure === 'busy' || failure === 'full' ? failure : 'failed';
}

/** The work failed, so nothing was stored. */
function afterFailedWork(failure: Failure, error: unknown): FailedAttempt {
  if (failure === 'outcome_unknown' || failure === 'busy') return 'busy';
  if (failure === 'full' && !(error instanceof AffiliateError)) return 'full';
  return failure === 'timeout' && !(error instanceof AffiliateError) ? 'timeout' : 'failed';
}

/**
 * Runs the work with every query of its call chain on this level. Refuses to commit when a statement failed
 * and the work ignored it.
 */
async function runLevel<T>(scope: Connection['scope'], level: Level, work: Work<T>): Promise<T> {
  try {
    const value = await scope.run(level, async () => {
      const done = await work(level.db, (task) => level.db.afterCommit(task));
      if (level.depth === 0) await writeLast(level);
      return done;
    });
    await level.ahead;
    if (level.failed !== undefined) throw level.failed;
    return value;
  } finally {
    level.ended = true;
  }
}

async function writeLast({ db, last }: Level): Promise<void> {
  for (const [write, rows] of last) await (write as WriteRows<unknown>)(db, rows);
}

/**
 * Runs the work in a savepoint: when the work fails and the outer work continues, nothing of it is stored.
 */
export async function savepoint<T>(
  connection: Connection,
  outer: Level,
  work: Work<T>,
): Promise<WorkResult<T>> {
  const { opened, scope } = connection;
  const inner = connection.inner(outer);
  const name = `level_${inner.depth}`;
  const send = (sql: string): Promise<unknown> => readOn(outer.knex, { sql, bindings: [] });
  try {
    const made = send(`savepoint ${name}`);
    made.catch(() => {}); // the statements sent after it fail too and are awaited first
    if (!opened.dialect.sendsAhead) await made;
    const value = await runLevel(scope, inner, work);
    await made;
    const released = send(`release savepoint ${name}`);
    if (opened.dialect.sendsAhead)
      outer.ahead = released.catch(() => {}); // the guard of the connection stores a failure
    else await released;
    return { kind: 'done', value, queue: inner.queue, last: inner.last };
  } catch (error) {
    // A deadlock ends the whole transaction. MySQL would then store each later statement by itself.
    const cause = inner.failed ?? error;
    if (endsTransaction(opened.dialect.failure(cause))) outer.failed = cause;
    else await undo(send, name);
    return { kind: 'failed', error, statement: inner.failed };
  }
}

/**
 * When the savepoint can no longer be rolled back, the outer level has stored the failure and is not
 * committed.
 */
async function undo(send: (sql: string) => Promise<unknown>, name: string): Promise<void> {
  try {
    await send(`rollback to savepoint ${name}`);
    await send(`release savepoint ${name}`);
  } catch {
    // the guard of the connection has stored it
  }
}

/** Runs the work in an open transaction. Its after-commit work waits for the outer commit. */
export async function join<T>(connection: Connection, outer: Level, work: Work<T>): Promise<T> {
  const done = await savepoint(connection, outer, work);
  if (done.kind === 'failed') throw done.error;
  outer.queue.push(...done.queue);
  takeLastWrites(outer, done);
  return done.value;
}

/** What a savepoint leaves for the end of the transaction. */
export function takeLastWrites(outer: Level, { last }: { readonly last: LastWrites }): void {
  for (const [write, rows] of last) collect(outer.last, write, rows);
}

/** Runs the functions in order, outside the transaction. A failure is logged and the next one still runs. */
export async function runQueue(queue: readonly (() => unknown)[], log: Logger): Promise<void> {
  for (const task of queue) {
    try {
      await task();
    } catch (error) {
      log.error('after-commit work failed', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
}
