import { afterEach, describe, expect, it } from '@jest/globals';
import { mysqlDialect } from '../../adapters/database/mysql.js';
import type { DatabaseConfig } from '../../adapters/database/open.js';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { emptyDatabase, rawRows, testDatabase, testEngine } from '../support/databases.js';
import { metaRow, testLog, type LogLine, type TestLog } from './support.js';

// Statements outside a transaction, on servers that go away. SQLite has no connection to lose.
const open: Database[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.close()));
});

async function start(
  change: (config: DatabaseConfig & { connection: string }) => Partial<DatabaseConfig> = () => ({}),
  log = testLog(),
): Promise<Database> {
  const config = await testDatabase({ purpose: 'statements' });
  const database = createDatabase({
    database: { ...config, pool: { min: 0, max: 1 }, ...change(config) },
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log,
  });
  open.push(database);
  await database.prepare();
  return database;
}

describe('a function as connection', () => {
  it('is refused for SQLite, which has one file', async () => {
    expect(() =>
      createDatabase({
        database: { client: 'better-sqlite3', connection: () => ':memory:' },
        tablePrefix: 'fa_',
        migrate: true,
        durability: 'warn',
        log: testLog(),
      }),
    ).toThrow(/not a function/);
  });
});

describe('what Galera says', () => {
  const galera = mysqlDialect({ owned: true });

  it.each([
    [1213, 'busy', false], // lost against another node's write, also at COMMIT
    [1047, 'busy', true], // a node that is not part of its cluster now
    // COMMIT failed because the node lost the others, who may have received the write
    [1180, 'outcome_unknown', false],
  ])('in code %i means %s', (errno, failure, refuses) => {
    expect([galera.failure({ errno }), galera.refusesWrites({ errno })]).toEqual([failure, refuses]);
  });
});

if (testEngine() !== 'sqlite') {
  const isPostgres = testEngine() === 'postgres';
  const own = isPostgres ? 'pg_backend_pid()' : 'connection_id()';
  const cut = async (by: Database, id: unknown): Promise<unknown> =>
    rawRows(by.knex, isPostgres ? `select pg_terminate_backend(${String(id)})` : `kill ${String(id)}`);
  const idOf = async (database: Database): Promise<string> =>
    String((await database.db.raw(`select ${own} as id`))[0]?.['id']);
  const slow = isPostgres ? 'pg_sleep(1)' : 'sleep(1)';
  const soon = (): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, 300);
    });

  describe('a statement outside a transaction', () => {
    it('that reads is sent again when its connection breaks', async () => {
      const [database, other] = [await start(), await start()];
      const before = await idOf(database);
      const reading = database.db.raw(`select ${own} as id, ${slow} as slept`);
      await soon();
      await cut(other, before);

      expect(String((await reading)[0]?.['id'])).not.toBe(before);
    });

    it('that writes is not, and says that its outcome is unknown', async () => {
      const [database, other] = [await start(), await start()];
      await emptyDatabase(database.knex, 'fa_');
      await database.db('meta').insert(metaRow('row'));
      const before = await idOf(database);
      const writing = database.db
        .execute(
          'update fa_meta set updated_at = updated_at + 1 ' +
            `where ${isPostgres ? 'pg_sleep(1) is not null' : 'sleep(1) = 0'}`,
        )
        .catch((error: unknown) => error);
      await soon();
      await cut(other, before);

      expect(await writing).toMatchObject({
        code: 'outcome_unknown',
        status: 503,
        cause: expect.anything() as unknown,
      });
      expect(Number((await database.db('meta').first('updated_at'))?.['updated_at'])).toBeLessThanOrEqual(2);
    });

    it('is tried again at the server the host names next, as a transaction is', async () => {
      const asked: string[] = [];
      const database = await start(({ connection }) => ({
        connection: () => {
          asked.push(asked.length % 2 === 0 ? 'away' : 'there');
          return asked.at(-1) === 'away' ? { host: '127.0.0.1', port: 1, user: 'x' } : connection;
        },
      }));
      await emptyDatabase(database.knex, 'fa_');
      expect(asked).toEqual(['away', 'there']);

      await cut(await start(), await idOf(database));
      await soon();
      expect(
        await database
          .db('meta')
          .insert(metaRow('row'))
          .then(() => 'stored'),
      ).toBe('stored');
      await cut(await start(), await idOf(database));
      await soon();
      expect(await database.transaction(async (trx) => (await trx('meta').select('name_key')).length)).toBe(
        1,
      );
      expect(asked).toEqual(['away', 'there', 'away', 'there', 'away', 'there']);
    });

    it('to a server that is not there is busy', async () => {
      const { client } = await testDatabase({ purpose: 'statements' });
      const nowhere = createDatabase({
        database: { client, connection: { host: '127.0.0.1', port: 1, user: 'x' } },
        tablePrefix: 'fa_',
        migrate: true,
        durability: 'warn',
        log: testLog(),
      });
      open.push(nowhere);

      await expect(nowhere.db('meta').first('id')).rejects.toMatchObject({ code: 'busy', status: 503 });
      await expect(nowhere.prepare()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });

    if (isPostgres) {
      // a server of its own for MariaDB is in test/cluster
      it('leaves a server that takes no writes any more', async () => {
        const database = await start();
        await emptyDatabase(database.knex, 'fa_');
        const before = await idOf(database);
        await database.db.raw('set session characteristics as transaction read only');

        await database.db('meta').insert(metaRow('row'));

        expect(await idOf(database)).not.toBe(before);
      });
    }
  });
}

if (testEngine() === 'postgres') {
  describe('statements that are prepared', () => {
    const kept = async ({ db }: Database): Promise<readonly unknown[]> =>
      (await db.raw('select statement from pg_prepared_statements order by statement')).map(
        (row) => row['statement'],
      );
    /** A look-up, a write and a read of many rows. */
    const work = ({ db, transaction }: Database): Promise<unknown> =>
      transaction(async (trx) => {
        await trx.execute('update fa_meta set updated_at = updated_at + ?', [1]);
        await trx.raw('select name_key from fa_meta where updated_at > ?', [0]);
        return db.findByKey('meta', ['updated_at'], { name_key: 'row' });
      });
    const begin = async (settings: object = {}, log = testLog()): Promise<Database> => {
      const database = await start(
        ({ connection }) => ({ connection: { connectionString: connection, ...settings } }),
        log,
      );
      await emptyDatabase(database.knex, 'fa_');
      await database.db('meta').insert(metaRow('row'));
      return database;
    };

    it('are writes and look-ups, not reads of many rows', async () => {
      const database = await begin();
      await work(database);
      expect(await kept(database)).toEqual([
        expect.stringMatching(/^insert into "fa_meta"/),
        'select updated_at from fa_meta where name_key = $1 limit 1',
        'update fa_meta set updated_at = updated_at + $1',
      ]);
    });

    it('are none with prepare: false', async () => {
      const database = await begin({ prepare: false });
      await work(database);
      expect(await kept(database)).toEqual([]);
    });

    const warned = [
      {
        level: 'warn',
        message: expect.stringContaining('prepare: false') as unknown,
      },
    ];
    const warnings = (log: TestLog): readonly LogLine[] => log.lines.filter(({ level }) => level === 'warn');

    it('may be forgotten by the server, as behind a pooler: the work is done again without them', async () => {
      const log = testLog();
      const database = await begin({}, log);
      await work(database);
      await database.knex.raw('deallocate all');
      expect(await work(database)).toEqual({ updated_at: '3' });
      await work(database);
      expect([await kept(database), warnings(log)]).toMatchObject([[], warned]);
    });

    it('may be prepared already by another process whose session the pooler hands out', async () => {
      const other = await begin();
      await work(other);
      const names = await other.db.raw('select name from pg_prepared_statements');
      expect(names).toHaveLength(3);
      const log = testLog();
      const database = await begin({}, log);
      await database.knex.raw('deallocate all');
      for (const { name } of names) await database.knex.raw(`prepare "${String(name)}" as select 1`);
      expect([await work(database), warnings(log)]).toMatchObject([{ updated_at: '2' }, warned]);
    });
  });
}
