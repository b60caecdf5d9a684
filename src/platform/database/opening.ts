import type { Db, RunShared, RunTransaction } from './db.js';

type Opening = () => ((trx: Db) => Promise<void>) | undefined;

/**
 * Gives the running call chain a first statement in every outermost transaction,
 * also when the transaction is tried again.
 */
export function withOpening(run: RunTransaction, db: Db, opening: Opening): RunTransaction {
  return (work) => {
    const first = db.inTransaction ? undefined : opening();
    if (!first) return run(work);
    return run(async (trx, afterCommit) => {
      await first(trx);
      return work(trx, afterCommit);
    });
  };
}

export const withSharedOpening =
  (run: RunShared, ...rest: [db: Db, opening: Opening]): RunShared =>
  (lane, work) =>
    withOpening((all) => run(lane, all), ...rest)(work);
