import type { Db, RunShared, RunTransaction } from './db.js';

type OpeningHook = () => ((trx: Db) => Promise<void>) | undefined;

/**
 * Runs `opening` at the start of each outermost transaction of the call chain, also when the transaction is
 * retried.
 */
export function withOpening(run: RunTransaction, db: Db, opening: OpeningHook): RunTransaction {
  return (work) => {
    const first = db.inTransaction ? undefined : opening();
    if (!first) return run(work);
    return run(async (trx, afterCommit) => {
      await first(trx);
      return work(trx, afterCommit);
    });
  };
}

/** Asks the door before each outermost transaction; it throws while the program takes no changes. */
export function behindGate(run: RunTransaction, db: Db, gate: () => Promise<void>): RunTransaction {
  return async (work) => {
    if (!db.inTransaction) await gate();
    return run(work);
  };
}

export const behindSharedGate =
  (run: RunShared, ...rest: [db: Db, door: () => Promise<void>]): RunShared =>
  (lane, work) =>
    behindGate((all) => run(lane, all), ...rest)(work);

export const withSharedOpening =
  (run: RunShared, ...rest: [db: Db, opening: OpeningHook]): RunShared =>
  (lane, work) =>
    withOpening((all) => run(lane, all), ...rest)(work);
