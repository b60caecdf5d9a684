import type { Knex } from 'knex';
import type { OpenedDatabase } from '../../../adapters/database/open.js';
import { Scope } from '../../core/scope.js';

/**
 * Seconds a statement may take, by what it is for (docs/reliability.md §4); 0 is no limit:
 * an index of a large table takes its time.
 */
export const STATEMENT_SECONDS = { tracking: 2, list: 10, other: 30, payout: 300, schema: 0 } as const;

export type StatementPurpose = keyof typeof STATEMENT_SECONDS;

/**
 * Runs work whose statements have this purpose: all of its call chain,
 * but a transaction that is open already keeps its own.
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
 * Gives every connection the pool hands out the limit of the work it is for.
 * The server keeps it, so a statement costs nothing more;
 * a `set` is sent only where a connection goes from one purpose to another.
 * A transaction keeps the limit it began with.
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
        // One that broke while it lay in the pool: nothing was asked of it yet, so the next one will do.
        connection.__knex__disposed = error;
        await client.releaseConnection(connection);
        if (dialect.failure(error) !== 'outcome_unknown') throw error;
      }
    }
  };
}
