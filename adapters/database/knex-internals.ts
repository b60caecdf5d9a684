import type { Knex } from 'knex';

// The members of knex that it does not document. A new version of knex is checked against this file and the client of
// SQLite (sqlite-client.ts).

/** A connection of the pool, as far as pg and mysql2 name its parts. */
export interface PooledConnection {
  /** The error after which the pool closes the connection instead of handing it out again. */
  __knex__disposed?: unknown;
  readonly stream?: Socket;
  readonly connection?: { readonly stream?: Socket };
}

/** A timer or a socket. Without its reference, it does not prevent the process from ending. */
interface Countable {
  ref?(): unknown;
  unref?(): unknown;
}
interface Socket extends Countable {
  destroy(error?: Error): unknown;
}

/** A query builder has a method and a raw statement has its text; a schema builder has neither. */
export interface Builder {
  readonly _method?: string;
  readonly sql?: string;
}

export interface Query {
  readonly sql?: string;
  readonly bindings?: readonly unknown[];
  readonly queryContext?: { readonly mayFail?: unknown };
  readonly options?: { readonly prepare: boolean };
}

export interface KnexClient {
  readonly dialect: unknown;
  readonly driver: unknown;
  config: Knex.Config;
  /** The settings of the next connection. */
  connectionSettings: object;
  readonly pool?: {
    readonly interval?: Countable | null;
    on(event: string, listener: (...given: never[]) => void): void;
  };
  acquireConnection(): Promise<PooledConnection>;
  releaseConnection(connection: PooledConnection): Promise<void>;
  acquireRawConnection(): Promise<unknown>;
  /** Runs a statement; `_query` is the same without listeners and errors of knex. */
  query(connection: PooledConnection, query: Query | string): Promise<{ readonly response: unknown }>;
  _query(connection: PooledConnection, query: { readonly sql: string }): Promise<unknown>;
  runner(builder: Builder): { run(): Promise<unknown> };
}

export const clientOf = (knex: Knex): KnexClient => knex.client as KnexClient;

export const socketOf = ({ connection, stream }: PooledConnection): Socket | undefined =>
  stream ?? connection?.stream;
