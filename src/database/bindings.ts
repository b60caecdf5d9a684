import type { Knex } from 'knex';

interface Query { readonly sql?: string; readonly bindings?: readonly unknown[]; readonly queryContext?: { readonly mayFail?: string } }
interface Client { query(connection: unknown, query: Query | string): Promise<unknown> }

/**
 * Checks every statement's values before they reach the driver, and reports failures but those the statement announced.
 * An object as a value is how a driver is talked into another condition than the one written (reliability §3.10).
 */
export function guardClient(knex: Knex, onFailure: (error: unknown) => void): void {
  const client = knex.client as Client;
  const run = client.query.bind(client);
  client.query = async (connection, query) => {
    const details = typeof query === 'string' ? {} : query;
    assertBindings(details.bindings ?? []);
    try {
      return await run(connection, query);
    } catch (error) {
      if (details.queryContext?.mayFail === undefined) onFailure(error);
      throw error;
    }
  };
}

/** Throws unless every value is a finite number, text, a boolean or null. The message names the kind, never the value. */
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
