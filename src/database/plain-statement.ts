import type { Knex } from 'knex';
import type { OpenedDatabase } from '../../adapters/database/open.js';

export interface PlainStatement {
  readonly sql: string;
  readonly bindings: readonly Knex.Value[];
}

interface Client {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  query(connection: unknown, statement: PlainStatement): Promise<{ readonly response: unknown }>;
}

/** A statement of our own text past knex's builder and runner, which cost more than many a statement itself. */
export async function answerOn(knex: Knex, statement: PlainStatement): Promise<unknown> {
  const client = knex.client as Client;
  const connection = await client.acquireConnection();
  try {
    return await answerFrom(knex, connection, statement);
  } finally {
    await client.releaseConnection(connection);
  }
}

/** The same outside a transaction, where reads may have a connection of their own. */
export function answerAlone({ knex, reader }: OpenedDatabase, statement: PlainStatement): Promise<unknown> {
  return reader && statement.sql.startsWith('select ')
    ? answerFrom(knex, reader.connection(), statement)
    : answerOn(knex, statement);
}

const answerFrom = async (knex: Knex, connection: unknown, statement: PlainStatement): Promise<unknown> =>
  (await (knex.client as Client).query(connection, { ...statement })).response;
