import { AsyncResource } from 'node:async_hooks';
import type { FailureKind } from '../../../adapters/database/dialect.js';
import { Gatherer } from '../../core/gatherer.js';
import type { Logger } from '../../core/logger.js';
import { endsTransaction, type Connection, type Level } from './connection.js';
import type { RunShared } from './db.js';
import {
  join,
  runOutermost,
  runQueue,
  savepoint,
  takeLastWrites,
  type WorkResult,
  type Work,
} from './transaction.js';

const GROUP = 32;
/**
 * Failures that undo only their own statement. After others, such as a full disk, SQLite ends the whole
 * transaction.
 */
const REFUSALS: readonly (string | null)[] = ['unique', 'check', 'foreign_key'];

/** One work of a group. It runs in the context of its caller: user, request and purpose. */
interface Member {
  alone(): Promise<void>;
  inside(outer: Level): Promise<WorkResult<unknown>>;
  committed(done: WorkResult<unknown>): void;
  failed(error: unknown): void;
}

/** Thrown when the works of a group have to run one by one. */
class Apart extends Error {}

/** Makes `app.sharedTransaction`, described at RunShared. */
export function createShared(connection: Connection, log: Logger): RunShared {
  const lanes = new Map<string, Gatherer<Member>>();
  const noRequest = new AsyncResource('affiliate-service-lanes'); // a lane belongs to no request
  const gathererOf = (lane: string): Gatherer<Member> => {
    const known = lanes.get(lane);
    if (known) return known;
    const made = noRequest.runInAsyncScope(
      () =>
        new Gatherer<Member>(GROUP, async (group) => {
          await connection.held.free(lane);
          await runGroup(connection, log, group);
          if (made.size === 0) lanes.delete(lane);
        }),
    );
    lanes.set(lane, made);
    return made;
  };
  const isSingle = connection.opened.dialect.name === 'sqlite';
  return (lane, work) => {
    const open = connection.scope.get();
    if (open) return join(connection, open, work);
    return new Promise((resolve, reject) => {
      gathererOf(isSingle ? '' : lane).push(memberOf(connection, log, { work, resolve, reject }));
    });
  };
}

interface PendingWork<T> {
  readonly work: Work<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

function memberOf<T>(connection: Connection, log: Logger, { work, resolve, reject }: PendingWork<T>): Member {
  const context = new AsyncResource('affiliate-service-shared');
  return {
    alone: () => context.runInAsyncScope(() => runOutermost(connection, log, work).then(resolve, reject)),
    inside: (outer) => context.runInAsyncScope(() => savepoint(connection, outer, work)),
    committed: (done) => {
      if (done.kind === 'failed') reject(done.error);
      else
        void context.runInAsyncScope(async () => {
          await runQueue(done.queue, log);
          resolve(done.value as T);
        });
    },
    failed: reject,
  };
}

async function runGroup(connection: Connection, log: Logger, members: readonly Member[]): Promise<void> {
  if (members.length === 1) return members[0]!.alone();
  try {
    const done = await runOutermost(connection, log, () => runMembers(connection, members));
    for (const [at, member] of members.entries()) member.committed(done[at]!);
  } catch (error) {
    if (error instanceof Apart) for (const member of members) await member.alone();
    else for (const member of members) member.failed(error);
  }
}

async function runMembers(
  { scope, opened }: Connection,
  members: readonly Member[],
): Promise<WorkResult<unknown>[]> {
  const outer = scope.get()!;
  const all: WorkResult<unknown>[] = [];
  for (const member of members) {
    const done = await member.inside(outer);
    const failure = (error: unknown): FailureKind => opened.dialect.failure(error);
    if (endsTransaction(failure(outer.failed))) throw outer.failed; // all of them run again
    if (done.kind === 'failed' && done.statement !== undefined)
      if (!REFUSALS.includes(failure(done.statement))) throw new Apart();
    if (outer.failed !== undefined) throw outer.failed;
    if (done.kind === 'done') takeLastWrites(outer, done);
    all.push(done);
  }
  return all;
}
