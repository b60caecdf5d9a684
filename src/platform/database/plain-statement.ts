import type { Knex } from 'knex';
import { clientOf } from '../../../adapters/database/knex-internals.js';
import type { OpenedDatabase } from '../../../adapters/database/open.js';

export interface PlainStatement {
  readonly sql: string;
  readonly bindings: readonly Knex.Value[];
  /** The statement finds a few rows by an index. PostgreSQL prepares it. */
  readonly findsFew?: boolean;
  /** Its failure is expected, and the transaction continues. */
  readonly mayFail?: boolean;
}

/** Runs SQL text without knex's builder and runner, which often cost more than the statement itself. */
export async function readOn(knex: Knex, statement: PlainStatement): Promise<unknown> {
  const client = clientOf(knex);
  const connection = await client.acquireConnection();
  try {
    return await readFrom(knex, connection, statement);
  } finally {
    await client.releaseConnection(connection);
  }
}

/** Like `readOn`, outside a transaction, where reads may use connections of their own. */
export function readAlone({ knex, threads }: OpenedDatabase, statement: PlainStatement): Promise<unknown> {
  if (!threads || !statement.sql.startsWith('select ')) return readOn(knex, statement);
  return readFrom(knex, statement.findsFew ? threads.local : threads, statement);
}

async function readFrom(
  knex: Knex,
  connection: object,
  { sql, bindings, mayFail, findsFew = false }: PlainStatement,
): Promise<unknown> {
  const query = {
    sql,
    bindings,
    options: { prepare: findsFew },
    ...(mayFail === true && { queryContext: { mayFail } }),
  };
  return (await clientOf(knex).query(connection, query)).response;
}
