import type { Db, RunShared, RunTransaction } from './db.js';

type Opening = () => ((trx: Db) => Promise<void>) | undefined;

/**
 * Runs `opening` at the start of each outermost transaction of the call chain, also when the transaction is
 * retried.
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
