import type { Knex } from 'knex';
import type { OpenedDatabase } from '../../../adapters/database/open.js';
import { Scope } from '../../core/scope.js';

/**
 * Seconds a statement may take, by its purpose (docs/reliability.md §4). 0 is no limit: building an index of
 * a large table takes long.
 */
export const STATEMENT_SECONDS = { tracking: 2, list: 10, other: 30, payout: 300, schema: 0 } as const;

export type StatementPurpose = keyof typeof STATEMENT_SECONDS;

/**
 * Runs work with this purpose for all statements of its call chain. A transaction that is already open keeps
 * its own purpose.
 */
export type Limited = <T>(purpose: StatementPurpose, work: () => T) => T;

interface Connection {
  __knex__disposed?: unknown;
}
interface Client {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  _query(connection: Connection, query: { readonly sql: string }): Promise<unknown>;
}

/**
 * Gives each connection that the pool hands out the time limit of its work. The server stores the limit, so a
 * `set` is sent only when a connection changes from one purpose to another. A transaction keeps the limit it
 * began with.
 */
export function limitStatements({ knex, dialect, owned, threads }: OpenedDatabase): Limited {
  const scope = new Scope<StatementPurpose>();
  const wanted = (): number => STATEMENT_SECONDS[scope.get() ?? 'other'];
  if (threads) threads.seconds = wanted;
  else if (owned) setAtAcquire(knex, dialect, wanted);
  return (purpose, work) => scope.run(purpose, work);
}

function setAtAcquire(knex: Knex, dialect: OpenedDatabase['dialect'], wanted: () => number): void {
  const client = knex.client as Client;
  const acquire = client.acquireConnection.bind(client);
  const known = new WeakMap<Connection, number>();
  client.acquireConnection = async () => {
    for (;;) {
      const connection = await acquire();
      const seconds = wanted();
      if ((known.get(connection) ?? STATEMENT_SECONDS.other) === seconds) return connection;
      const sql = dialect.limitStatement(connection, seconds);
      if (sql === null) return connection;
      try {
        await client._query(connection, { sql });
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
