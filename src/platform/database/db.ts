import type { Db } from '../../../adapters/database/dialect.js';

// A dialect and the handle it works on name each other, so they are declared in one place.
export type { Db, Row } from '../../../adapters/database/dialect.js';

/** Work after COMMIT: hooks, mails, cache drops. Runs in the order it was given; a failure is logged. */
export type AfterCommit = (work: () => unknown) => void;

/**
 * Runs `work` in one database transaction, joining an open one.
 * Retries the whole work on serialization failures
 * (reliability: at most 5 times), so `work` must have no effect outside the database;
 * use `afterCommit` for those.
 */
export type RunTransaction = <T>(work: (trx: Db, afterCommit: AfterCommit) => Promise<T>) => Promise<T>;

/**
 * The same for work that arrives in numbers: what arrives together in one lane shares a transaction and its
 * commit, a savepoint each, so that one that fails costs only itself.
 * Answered, and its `afterCommit` run, once the common commit is done. Work of one lane locks the same rows
 * anyway (the orders of one affiliate); on SQLite, which has one writer, all lanes are one.
 */
export type RunShared = <T>(
  lane: string,
  work: (trx: Db, afterCommit: AfterCommit) => Promise<T>,
) => Promise<T>;
