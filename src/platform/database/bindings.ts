import type { Knex } from 'knex';
import type { Dialect } from '../../../adapters/database/dialect.js';
import type { Telemetry } from '../../core/telemetry.js';
import { withDeadline } from './limits.js';
import { clientOf, type Query } from '../../../adapters/database/knex-internals.js';

interface StatementGuard {
  readonly dialect: Dialect;
  readonly telemetry: Telemetry;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Checks the values of each statement before they reach the driver, and reports failed statements, except
 * those marked as allowed to fail. A driver that is given an object as a value may change the condition of
 * the statement (docs/reliability.md §3.6).
 */
export function guardClient(knex: Knex, { dialect, telemetry, onFailure }: StatementGuard): void {
  const client = clientOf(knex);
  const run = client.query.bind(client);
  client.query = async (connection, query) => {
    const details = typeof query === 'string' ? {} : query;
    assertBindings(details.bindings ?? []);
    try {
      return await telemetry.span(
        'affiliate.statement',
        { 'db.system': dialect.name, 'db.operation': verbOf(query) },
        () => withDeadline(connection, () => run(connection, query)),
      );
    } catch (error) {
      // The driver reports the lost connection only when its socket closes. Until then the pool would hand it
      // out again.
      if (dialect.failure(error) === 'outcome_unknown' || dialect.refusesWrites(error))
        connection.__knex__disposed = error;
      dropValues(error);
      if (details.queryContext?.mayFail === undefined) onFailure(error);
      throw error;
    }
  };
}

/** `select`, `insert` …: nothing of its values. */
const verbOf = (query: Query | string): string =>
  /^\s*(\w+)/.exec((typeof query === 'string' ? query : query.sql) ?? '')?.[1]?.toLowerCase() ?? '';

/**
 * Fields of driver errors that hold values: the statement (mysql2) or the refused row (pg). They must not
 * reach the log.
 */
const VALUES = ['sql', 'detail', 'where', 'internalQuery'];

function dropValues(error: unknown): void {
  if (typeof error !== 'object' || error === null) return;
  for (const field of VALUES) Reflect.deleteProperty(error, field);
}

/**
 * Throws unless every value is a finite number, text, a boolean or null. The message names the kind of the
 * value, never the value itself.
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
