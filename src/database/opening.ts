import type { Db, RunTransaction } from './db.js';

/** Gives the running call chain a first statement in every outermost transaction, also when the transaction is tried again. */
export function withOpening(
  run: RunTransaction,
  db: Db,
  opening: () => ((trx: Db) => Promise<void>) | undefined,
): RunTransaction {
  return (work) => {
    const first = db.inTransaction ? undefined : opening();
    if (!first) return run(work);
    return run(async (trx, afterCommit) => {
      await first(trx);
      return work(trx, afterCommit);
    });
  };
}
