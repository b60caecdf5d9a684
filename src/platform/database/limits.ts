import type { Knex } from 'knex';
import { clientOf, socketOf, type PooledConnection } from '../../../adapters/database/knex-internals.js';
import type { OpenedDatabase } from '../../../adapters/database/open.js';
import { SECOND } from '../../core/duration.js';
import { Scope } from '../../core/scope.js';

/**
 * Seconds a statement may take, by its purpose (docs/reliability.md §4). 0 is no limit: building an index of
 * a large table takes long.
 */
export const STATEMENT_SECONDS = { tracking: 2, list: 10, other: 30, payout: 300, schema: 0 } as const;

export type StatementPurpose = keyof typeof STATEMENT_SECONDS;

/**
 * Runs work with this purpose for all statements of its call chain. The purpose of a transaction that is
 * already open does not change.
 */
export type RunWithLimit = <T>(purpose: StatementPurpose, work: () => T) => T;

/** How much longer than its limit a statement may take before its connection counts as lost. */
const GRACE = 3;
/** The seconds that the server gives each statement of a connection of our own. */
const LIMITS = new WeakMap<object, number>();

/**
 * Runs a statement. A network that swallows packets never responds, so the connection is closed when the
 * server should have canceled the statement; the driver then rejects it as after any lost connection.
 */
export async function withDeadline<T>(connection: PooledConnection, run: () => Promise<T>): Promise<T> {
  const seconds = LIMITS.get(connection) ?? 0;
  if (seconds === 0) return run();
  const timer = setTimeout(
    () => {
      socketOf(connection)?.destroy(new Error('Connection terminated: no answer from the database.'));
    },
    (seconds + GRACE) * SECOND,
  );
  try {
    return await run();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Gives each connection that the pool hands out the time limit of its work. The server stores the limit, so a
 * `set` is sent only when a connection changes from one purpose to another. The limit of an open transaction
 * does not change.
 */
export function limitStatements({ knex, dialect, owned, threads }: OpenedDatabase): RunWithLimit {
  const scope = new Scope<StatementPurpose>();
  const wanted = (): number => STATEMENT_SECONDS[scope.get() ?? 'other'];
  if (threads) threads.seconds = wanted;
  else if (owned) setAtAcquire(knex, dialect, wanted);
  return (purpose, work) => scope.run(purpose, work);
}

function setAtAcquire(knex: Knex, dialect: OpenedDatabase['dialect'], wanted: () => number): void {
  const client = clientOf(knex);
  const acquire = client.acquireConnection.bind(client);
  const known = new WeakMap<PooledConnection, number>();
  client.acquireConnection = async () => {
    for (;;) {
      const connection = await acquire();
      const seconds = wanted();
      LIMITS.set(connection, seconds);
      if ((known.get(connection) ?? STATEMENT_SECONDS.other) === seconds) return connection;
      const sql = dialect.limitStatement(connection, seconds);
      if (sql === null) return connection;
      try {
        await withDeadline(connection, () => client._query(connection, { sql }));
        known.set(connection, seconds);
        return connection;
      } catch (error) {
        // The connection broke while it was idle in the pool. Nothing was sent on it, so the pool gives the
        // next one.
        connection.__knex__disposed = error;
        await client.releaseConnection(connection);
        if (dialect.failure(error) !== 'outcome_unknown') throw error;
      }
    }
  };
}
