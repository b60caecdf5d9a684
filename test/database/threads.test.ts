import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, getPriority, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { createAffiliateService } from '../../src/index.js';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { testDatabase, testEngine } from '../support/databases.js';
import { metaRow, openTestDatabase, testLog } from './support.js';

// A database in a file: SQLite works in threads, so that the host's event loop is never held up and
// a statement can be given up.

/** A statement that takes about as long as counting that many rows. */
const counting = (rows: number): string =>
  `select count(*) as n from (with recursive n(x) as (select 1 union all select x + 1 from n limit ${rows}) ` +
  'select x from n)';

interface Stopped {
  stop(error: Error): void;
}
interface Pool {
  acquireConnection(): Promise<Stopped>;
  releaseConnection(connection: Stopped): Promise<void>;
}

if (testEngine() === 'sqlite') {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase({ shared: true });
  });
  afterEach(() => database.close());

  const stored = async (): Promise<unknown[]> =>
    (await database.db('meta').where({ object_type: 'test' }).orderBy('id').select('meta_key')).map(
      (row: { meta_key: string }) => row.meta_key,
    );

  /** The priorities of this process's threads, as `nice` counts them; Linux shows that of each. */
  const priorities = (): number[] => {
    if (platform() !== 'linux') return [getPriority()];
    return readdirSync('/proc/self/task').map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    });
  };

  describe('a thread that only reads', () => {
    it('is started by the first report, not by the start of a service', async () => {
      let started = 0;
      const count = (): void => {
        started += 1;
      };
      const options = {
        secret: 'a secret that is long enough for the tests',
        jobs: false,
        logger: testLog(),
      };
      const shared = await testDatabase({ shared: true });
      const first = createAffiliateService(createMemoryHost(), { ...options, database: shared });
      await first.ready();
      await first.close();
      subscribe('worker_threads', count);
      const service = createAffiliateService(createMemoryHost(), { ...options, database: shared });
      try {
        await service.ready();
        expect(started).toBe(1); // the one that writes

        await service.verify();
        expect(started).toBeGreaterThan(1);
      } finally {
        unsubscribe('worker_threads', count);
        await service.close();
      }
    });

    it('lets the event loop and the writer go first', async () => {
      const ours = getPriority();
      await database.transaction((trx) => trx.dialect.insert(trx, 'meta', metaRow('one')));
      expect(await stored()).toEqual(['one']);

      const { PRIORITY_BELOW_NORMAL } = constants.priority;
      const lowest = platform() === 'linux' ? Math.max(ours, PRIORITY_BELOW_NORMAL) : ours;
      expect(Math.max(...priorities())).toBe(lowest);
      expect(getPriority()).toBe(ours);
    });
  });

  describe('a statement that takes long', () => {
    it('leaves the event loop, a few rows found by an index and other reads free', async () => {
      const id = await database.db.dialect.insert(database.db, 'meta', metaRow('one'));
      const done: string[] = [];
      const long = database.db.raw(counting(3_000_000)).then(() => done.push('long'));
      for (let at = 0; at < 10; at += 1) await turn();
      await database.db.findByKey('meta', ['meta_key'], { id });
      done.push('look-up');
      await database.db.readLocal('select meta_key from fa_meta where id in (?, ?)', [id, id + 1]);
      done.push('few');
      expect(await stored()).toEqual(['one']);
      done.push('list');
      await long;

      expect(done).toEqual(['look-up', 'few', 'list', 'long']);
    });

    it('lets others write', async () => {
      const done: string[] = [];
      const long = database.db.raw(counting(3_000_000)).then(() => done.push('long'));
      await database.transaction((trx) => trx.dialect.insert(trx, 'meta', metaRow('one')));
      done.push('write');
      await long;

      expect(done).toEqual(['write', 'long']);
    });

    /** A statement of five seconds, however fast the machine is; those of a click may take two. */
    function fiveSeconds(): string {
      // The time of day is read again for each row that is returned, provided that it depends on the row.
      const now = "unixepoch('now', 'subsec', '+' || (x * 0) || ' seconds')";
      return (
        `with recursive n(x) as (select 1 union all select x + 1 from n where ${now} < ${Date.now() / 1000 + 5}) ` +
        'select x from n where x % 10000 = 0'
      );
    }

    it('is given up at its limit with `busy`, and reads go on meanwhile', async () => {
      await expect(database.limited('tracking', () => database.db.raw(fiveSeconds()))).rejects.toMatchObject({
        code: 'busy',
        status: 503,
      });

      expect(await stored()).toEqual([]);
    });

    it('is given up in a transaction too, which leaves nothing', async () => {
      const work = database.limited('tracking', () =>
        database.transaction(async (trx) => {
          await trx.dialect.insert(trx, 'meta', metaRow('half'));
          await trx.raw(fiveSeconds());
        }),
      );
      await expect(work).rejects.toMatchObject({ code: 'busy', status: 503 });

      expect(await stored()).toEqual([]);
    });
  });

  describe('a thread that ends by itself', () => {
    const gone = (): Error => Object.assign(new Error('ended by the test'), { code: 'SQLITE_THREAD_GONE' });
    const endWriter = async (): Promise<void> => {
      const pool = database.knex.client as Pool;
      const connection = await pool.acquireConnection();
      connection.stop(gone());
      await pool.releaseConnection(connection);
    };

    it('loses nothing that was committed, and the next write has a new one', async () => {
      await database.transaction((trx) => trx.dialect.insert(trx, 'meta', metaRow('before')));
      await endWriter();
      await database.transaction((trx) => trx.dialect.insert(trx, 'meta', metaRow('after')));

      expect(await stored()).toEqual(['before', 'after']);
    });

    it('takes what was not committed with it; the transaction is tried again', async () => {
      let attempts = 0;
      await database.transaction(async (trx) => {
        attempts += 1;
        await trx.dialect.insert(trx, 'meta', metaRow(`attempt ${attempts}`));
        const { client } = trx.knex as unknown as { client: Pool };
        if (attempts === 1) (await client.acquireConnection()).stop(gone());
        await trx('meta').select('id');
      });

      expect([attempts, await stored()]).toEqual([2, ['attempt 2']]);
    });
  });

  it('is left by the thread before the process exits, as the driver would abort the process', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exit-'));
    writeFileSync(
      join(folder, 'driver.cjs'),
      `const { writeFileSync } = require('node:fs');
      module.exports = class {
        constructor() {
          writeFileSync(${JSON.stringify(join(folder, 'entered'))}, '');
          for (const start = Date.now(); Date.now() - start < 200; );
          writeFileSync(${JSON.stringify(join(folder, 'left'))}, '');
        }
        pragma() {}
        function() {}
      };`,
    );
    const args = ['--no-warnings', '--import', './test/support/ts-loader.mjs', 'test/database/exit-child.ts'];
    const { status, stderr } = spawnSync(process.execPath, [...args, folder], { encoding: 'utf8' });
    expect([status, stderr, existsSync(join(folder, 'left'))]).toEqual([0, '', true]);
    rmSync(folder, { recursive: true });
  });

  it('is waited for when the service is closed before it has started', () => {
    const folder = mkdtempSync(join(tmpdir(), 'close-'));
    const args = [
      '--no-warnings',
      '--import',
      './test/support/ts-loader.mjs',
      'test/database/close-child.ts',
    ];
    const child = spawnSync(process.execPath, [...args, join(folder, 'file.sqlite')], { encoding: 'utf8' });
    expect([child.status, child.stdout, child.stderr]).toEqual([0, 'closed\n', '']);
    expect(readdirSync(folder)).toEqual(['file.sqlite']);
    rmSync(folder, { recursive: true });
  });

  it('makes a file that only its owner may read', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'private-')), 'program.sqlite');
    const database = createDatabase({
      database: { client: 'better-sqlite3', connection: file },
      tablePrefix: 'fa_',
      migrate: true,
      durability: 'warn',
      log: testLog(),
    });
    await database.prepare();
    const modes = readdirSync(dirname(file)).map((name) => statSync(join(dirname(file), name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    await database.close();
    rmSync(dirname(file), { recursive: true });
  });

  it('says why a file cannot be opened', async () => {
    const nowhere = createDatabase({
      database: { client: 'better-sqlite3', connection: '/no/such/folder/file.sqlite' },
      tablePrefix: 'fa_',
      migrate: true,
      durability: 'warn',
      log: testLog(),
    });
    await expect(nowhere.prepare()).rejects.toThrow('the directory does not exist');
    await nowhere.close();
  });
} else {
  it('is for SQLite', () => {
    expect(testEngine()).not.toBe('sqlite');
  });
}
