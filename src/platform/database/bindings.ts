import type { Knex } from 'knex';
import type { Dialect } from '../../../adapters/database/dialect.js';

interface Query {
  readonly sql?: string;
  readonly bindings?: readonly unknown[];
  readonly queryContext?: { readonly mayFail?: unknown };
}
interface Connection {
  __knex__disposed?: unknown;
}
interface Client {
  query(connection: Connection, query: Query | string): Promise<unknown>;
}

/**
 * Checks every statement's values before they reach the driver, and reports failures but
 * those the statement announced.
 * An object as a value is how a driver is talked into another condition than the one
 * written (docs/reliability.md §3.6).
 */
export function guardClient(knex: Knex, dialect: Dialect, onFailure: (error: unknown) => void): void {
  const client = knex.client as Client;
  const run = client.query.bind(client);
  client.query = async (connection, query) => {
    const details = typeof query === 'string' ? {} : query;
    assertBindings(details.bindings ?? []);
    try {
      return await run(connection, query);
    } catch (error) {
      // the pool would hand the dead connection out once more:
      // the driver tells it only when the socket closes
      if (dialect.failure(error) === 'outcome_unknown' || dialect.refusesWrites(error))
        connection.__knex__disposed = error;
      dropValues(error);
      if (details.queryContext?.mayFail === undefined) onFailure(error);
      throw error;
    }
  };
}

/**
 * What drivers tell beside a message: the statement with its values (mysql2), the row that was refused (pg).
 * It would end up in the log.
 */
const VALUES = ['sql', 'detail', 'where', 'internalQuery'];

function dropValues(error: unknown): void {
  if (typeof error !== 'object' || error === null) return;
  for (const field of VALUES) Reflect.deleteProperty(error, field);
}

/**
 * Throws unless every value is a finite number, text, a boolean or null.
 * The message names the kind, never the value.
 */
export function assertBindings(bindings: readonly unknown[]): void {
  for (const value of bindings) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    throw new TypeError(`Only numbers, text, booleans and null may be bound, not ${kindOf(value)}.`);
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : typeof value;
}
