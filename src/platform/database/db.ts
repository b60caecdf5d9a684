import type { Db } from '../../../adapters/database/dialect.js';

// Declared in one place because a dialect and the handle it works on name each other.
export type { Db, Hits, Row } from '../../../adapters/database/dialect.js';

/**
 * Registers work for after COMMIT, such as hooks, mails and clearing caches. It runs in the order of
 * registration; a failure is logged.
 */
export type AfterCommit = (work: () => unknown) => void;

/**
 * Runs `work` in one database transaction and joins an open one. After a serialization failure the whole of
 * `work` runs again, at most 5 times, so it must have no effect outside the database; `afterCommit` is for
 * such effects.
 */
export type RunTransaction = <T>(work: (trx: Db, afterCommit: AfterCommit) => Promise<T>) => Promise<T>;

/**
 * Runs work that often arrives at the same time. Works of one lane share a transaction and its commit; each
 * has its own savepoint, so one that fails does not affect the others. A work resolves, and its `afterCommit`
 * runs, after the common commit. Works of one lane lock the same rows anyway, such as the orders of one
 * affiliate. SQLite has one writer, so there all lanes are one.
 */
export type RunShared = <T>(
  lane: string,
  work: (trx: Db, afterCommit: AfterCommit) => Promise<T>,
) => Promise<T>;
