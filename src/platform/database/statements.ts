import type { Knex } from 'knex';
import type { Dialect } from '../../../adapters/database/dialect.js';
import { clientOf, type Builder } from '../../../adapters/database/knex-internals.js';
import type { Logger } from '../../core/logger.js';
import { fail } from '../../errors.js';
import { pause, RETRIES } from './retry.js';

/**
 * A statement outside a transaction is a transaction of one statement. It is retried after a conflict, also
 * on a new connection, and fails with `busy` or `outcome_unknown`. On Galera a single UPDATE can conflict
 * with another node.
 */
export function guardStatements(knex: Knex, dialect: Dialect, log: Logger): void {
  const client = clientOf(knex);
  const make = client.runner.bind(client);
  client.runner = (builder) => {
    const runner = make(builder);
    if (builder._method !== undefined || builder.sql !== undefined)
      runner.run = () => repeated(builder, () => make(builder).run(), { dialect, log });
    return runner;
  };
}

/** Runs a statement outside a transaction, and repeats it after failures that allow this. */
export async function repeated<T>(
  statement: Builder,
  run: () => Promise<T>,
  { dialect, log }: { readonly dialect: Dialect; readonly log: Logger },
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await run();
    } catch (error) {
      const failure = dialect.failure(error);
      if (failure === 'timeout' || failure === 'full') return fail('busy', { cause: error, retryAfter: 1 });
      if (failure !== 'busy' && failure !== 'outcome_unknown') throw error;
      if (failure === 'outcome_unknown' && !reads(statement))
        return fail('outcome_unknown', { cause: error, retryAfter: 1 });
      if (retries === RETRIES) return fail('busy', { cause: error, retryAfter: 1 });
      log.debug('statement tried again', { retries, error: String(error) });
      await pause();
    }
  }
}

const READS = new Set(['select', 'first', 'pluck']);
const reads = ({ _method: method, sql }: Builder): boolean =>
  method === undefined ? /^\s*(?:select|show|pragma)\b/i.test(sql ?? '') : READS.has(method);
