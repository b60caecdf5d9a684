import type { Db } from './db.js';

/**
 * Work in one transaction that needs nothing of each other's answers. Where the database takes statements before it
 * has answered the one before (SQLite's thread), all are sent at once; on a server one follows the other.
 * All of it has ended when this returns, or throws the first failure: nothing runs on after a rollback.
 */
export async function together(db: Db, ...works: readonly (() => Promise<unknown>)[]): Promise<void> {
  if (!db.dialect.sendsAhead) {
    for (const work of works) await work();
    return;
  }
  const ended = await Promise.allSettled(works.map((work) => work()));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
