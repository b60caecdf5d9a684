import createKnex from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatabaseConfig } from '../../adapters/database/open.js';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { STATEMENT_SECONDS, type StatementPurpose } from '../../src/platform/database/limits.js';
import { rawRows, testDatabase, testEngine } from '../support/databases.js';
import { metaRow, openTestDatabase, testLog } from './support.js';

// How long a statement may take (docs/reliability.md §4). SQLite's are in threads.test.ts.

describe('the limits', () => {
  it('are those of the documentation', () => {
    expect(STATEMENT_SECONDS).toEqual({ tracking: 2, list: 10, other: 30, payout: 300, schema: 0 });
  });
});

const engine = testEngine();
const isPostgres = engine === 'postgres';
const LIMIT = isPostgres
  ? "extract(epoch from current_setting('statement_timeout')::interval)"
  : '@@max_statement_time';
const own = isPostgres ? 'pg_backend_pid()' : 'connection_id()';

async function withOneConnection(change: Partial<DatabaseConfig> = {}): Promise<Database> {
  return createDatabase({
    database: { ...(await testDatabase({ purpose: 'limits' })), pool: { min: 0, max: 1 }, ...change },
    tablePrefix: 'fa_',
    migrate: false,
    durability: 'warn',
    log: testLog(),
  });
}

async function limitOf(database: Database, purpose?: StatementPurpose): Promise<number> {
  const read = async (): Promise<number> =>
    Number((await database.db.raw(`select ${LIMIT} as seconds`))[0]?.['seconds']);
  return purpose ? database.limited(purpose, read) : read();
}

if (engine !== 'sqlite') {
  describe('a statement', () => {
    let database: Database;
    beforeAll(async () => {
      await (await openTestDatabase({ purpose: 'limits' })).close();
      database = await withOneConnection();
    });
    afterAll(() => database.close());

    it('has the limit of its purpose, whatever the connection was used for before', async () => {
      for (const purpose of ['tracking', 'list', 'payout', 'other', 'tracking', 'schema', 'list'] as const) {
        expect([purpose, await limitOf(database, purpose)]).toEqual([purpose, STATEMENT_SECONDS[purpose]]);
      }
      expect(await limitOf(database)).toBe(30);
    });

    it('in a transaction has the one the transaction began with, also after a failure', async () => {
      const failing = database.limited('payout', () =>
        database.transaction(async () => {
          throw new Error(String(await limitOf(database, 'tracking')));
        }),
      );

      await expect(failing).rejects.toThrow('300');
      expect(await database.transaction(() => limitOf(database))).toBe(30);
    });

    it('costs nothing more while a connection keeps to one purpose', async () => {
      const sent: string[] = [];
      const client = database.knex.client as {
        _query(connection: unknown, query: { sql: string }): Promise<unknown>;
      };
      const query = client._query.bind(client);
      client._query = (connection, statement) => {
        sent.push(statement.sql);
        return query(connection, statement);
      };
      for (let times = 0; times < 3; times += 1) await limitOf(database, 'list');
      client._query = query;

      expect(sent.map((sql) => sql.slice(0, 6))).toEqual(
        ['set st', 'select', 'select', 'select'].map((sql) =>
          isPostgres ? sql : sql.replace('set st', 'set /*'),
        ),
      );
    });

    it('past it is canceled by the server and answered as busy, once', async () => {
      const slow = isPostgres
        ? 'select pg_sleep(60)'
        : 'select count(*) from information_schema.columns a, information_schema.columns b, ' +
          'information_schema.columns c';
      const started = performance.now();
      const id = await database.limited('tracking', async () =>
        String((await database.db.raw(`select ${own} as id`))[0]?.['id']),
      );

      const failure = await database
        .limited('tracking', () => database.db.raw(slow))
        .catch((error: unknown) => error);

      expect(failure).toMatchObject({ code: 'busy', status: 503, retryAfter: 1 });
      expect(performance.now() - started).toBeLessThan(5000);
      expect(await running(id)).toBe(false);
    });

    it('past it takes its whole transaction back', async () => {
      const slow = isPostgres ? 'select pg_sleep(60)' : 'select sleep(60) from fa_schema_steps';
      const failure = await database
        .limited('tracking', () =>
          database.transaction(async (trx) => {
            await trx('meta').insert(metaRow('late'));
            await trx.raw(slow);
          }),
        )
        .catch((error: unknown) => error);

      expect(failure).toMatchObject({ code: 'busy', status: 503 });
      expect(await database.db('meta').where({ name_key: 'late' }).first('id')).toBeUndefined();
    });

    it('goes to another connection when the one at hand broke while it lay in the pool', async () => {
      const id = await database.limited('list', async () =>
        String((await database.db.raw(`select ${own} as id`))[0]?.['id']),
      );
      const other = await withOneConnection();
      await rawRows(other.knex, isPostgres ? `select pg_terminate_backend(${id})` : `kill ${id}`);
      await other.close();

      const writing = database.limited('tracking', () => database.db('meta').insert(metaRow('kept')));

      expect(await writing.then(() => 'stored')).toBe('stored');
      await database.db('meta').where({ name_key: 'kept' }).delete();
    });

    it('is left to what the host set: its own limit, none behind a pooler, or its own knex', async () => {
      const { connection } = await testDatabase({ purpose: 'limits' });
      const knex = createKnex({ client: isPostgres ? 'pg' : 'mysql2', connection, pool: { min: 0, max: 1 } });
      const before = Number((await rawRows(knex, `select ${LIMIT} as seconds`))[0]?.['seconds']);
      const hosts = createDatabase({
        database: knex,
        tablePrefix: 'fa_',
        migrate: false,
        durability: 'warn',
        log: testLog(),
      });
      expect(await limitOf(hosts, 'tracking')).toBe(before);
      await knex.destroy();

      if (!isPostgres) return; // MySQL has no such setting of a connection
      for (const [limit, seconds] of [
        [false, before],
        [45_000, 45],
      ] as const) {
        const given = await withOneConnection({
          connection: { connectionString: connection, statement_timeout: limit },
        });
        expect(await limitOf(given, 'tracking')).toBe(seconds);
        await given.close();
      }
    });
  });

  /** Is the connection still busy with a statement? */
  async function running(id: string): Promise<boolean> {
    const other = await withOneConnection();
    const sql = isPostgres
      ? `select state as state from pg_stat_activity where pid = ${id}`
      : `select command as state from information_schema.processlist where id = ${id}`;
    await sleep(50);
    const [row] = await rawRows(other.knex, sql);
    await other.close();
    return row !== undefined && !['idle', 'Sleep'].includes(String(row['state']));
  }
}
