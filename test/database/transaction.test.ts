import { AsyncResource } from 'node:async_hooks';
import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import type { Db } from '../../src/platform/database/db.js';
import { AffiliateError } from '../../src/errors.js';
import { emptyDatabase, oneByOne, rawRows, testDatabase, testEngine } from '../support/databases.js';
import { metaRow, openTestDatabase, testLog, type TestLog } from './support.js';

let log: TestLog;
let database: Database;

beforeAll(async () => {
  log = testLog();
  database = await openTestDatabase({ purpose: 'trx' }, log);
});
beforeEach(async () => {
  log.lines.length = 0;
  await emptyDatabase(database.knex, 'fa_');
});
afterAll(() => database.close());

const stored = async (): Promise<string[]> => {
  const rows: { name_key: string }[] = await database.db('meta').select('name_key').orderBy('id');
  return rows.map((row) => row.name_key);
};
const insert = (db: Db, name: string): Promise<number> => db.dialect.insert(db, 'meta', metaRow(name));
const onServers = testEngine() === 'sqlite' ? ((() => undefined) as unknown as typeof it) : it;

describe('transaction', () => {
  it('is the one every query of the call chain runs on', async () => {
    await expect(
      database.transaction(async () => {
        expect(database.db.inTransaction).toBe(true);
        await insert(database.db, 'ambient');
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');

    expect(await stored()).toEqual([]);
    expect(database.db.inTransaction).toBe(false);
  });

  it('waits for all work that is done together, and keeps nothing when a part of it fails', async () => {
    const file = await openTestDatabase({ purpose: 'trx_together', shared: true });
    await emptyDatabase(file.knex, 'fa_');
    const done: string[] = [];
    const later = async (trx: Db, name: string): Promise<void> => {
      await sleep(20);
      await insert(trx, name);
      done.push(name);
    };
    const both = (fails: boolean): Promise<unknown> =>
      file.transaction((trx) =>
        trx.pipeline(
          () => later(trx, 'first'),
          async () => {
            await insert(trx, 'second');
            if (fails) throw new Error('stop');
            return 'the answer of the second';
          },
          () => later(trx, 'third'),
        ),
      );
    await expect(both(true)).rejects.toThrow('stop');
    const tried = done.length;
    await sleep(60);
    expect(done).toHaveLength(tried); // nothing ran on
    expect(await file.db('meta').select('id')).toEqual([]);

    expect(await both(false)).toEqual([undefined, 'the answer of the second', undefined]);
    const rows: { name_key: string }[] = await file.db('meta').select('name_key');
    expect(rows.map((row) => row.name_key).toSorted()).toEqual(['first', 'second', 'third']);
    await file.close();
  });

  it.each([
    ['sent at once', (config: Parameters<typeof oneByOne>[0]) => config],
    ['sent one by one', oneByOne],
  ])('reports the failure that came first of work that is done together, %s', async (_how, settings) => {
    const grouped = createDatabase({
      database: settings(await testDatabase({ purpose: 'trx_together', shared: true })),
      tablePrefix: 'fa_',
      migrate: true,
      durability: 'warn',
      log: testLog(),
    });
    await grouped.prepare();
    await emptyDatabase(grouped.knex, 'fa_');
    const failure = await grouped
      .transaction(async (trx) => {
        await insert(trx, 'taken');
        await trx.pipeline(
          () => Promise.resolve().then(() => insert(trx, 'behind')),
          () => insert(trx, 'taken'),
        );
      })
      .catch((error: unknown) => grouped.db.dialect.failure(error));

    expect(failure).toBe('unique');
    expect(await grouped.db('meta').where('name_key', 'behind').select('id')).toEqual([]);
    await grouped.close();
  });

  it('keeps call chains apart', async () => {
    const chains = ['a', 'b', 'c'].map((name) =>
      database.transaction(async (trx) => {
        await insert(trx, name);
        if (name === 'b') throw new Error('stop');
      }),
    );

    expect((await Promise.allSettled(chains)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect((await stored()).toSorted()).toEqual(['a', 'c']);
  });

  it('lets others read what was committed before, without waiting for its end', async () => {
    const file = await openTestDatabase({ purpose: 'trx_readers', shared: true });
    await emptyDatabase(file.knex, 'fa_');
    await insert(file.db, 'before');
    const names = async (): Promise<unknown[]> => [
      (await file.db('meta').first('name_key').whereNot('name_key', ''))?.name_key,
      ...(await file.db.raw(`select name_key from ${file.db.name('meta')} order by id`)).map(
        (row) => row['name_key'],
      ),
    ];

    const another = new AsyncResource('another request');
    let seen: unknown;
    await file.transaction(async (trx) => {
      await trx('meta').delete();
      seen = await Promise.race([another.runInAsyncScope(names), sleep(20_000, 'waited', { ref: false })]);
    });

    expect(seen).toEqual(['before', 'before']);
    expect(await names()).toEqual([undefined]);
    await file.close();
  });

  it('refuses queries once it has ended', async () => {
    const late = await database.transaction(async (trx) => ({ trx }));

    await expect(insert(late.trx, 'late')).rejects.toThrow('The transaction has ended');
  });

  it('joins an open one, which takes the inner work with it', async () => {
    await expect(
      database.transaction(async (trx) => {
        await insert(trx, 'outer');
        await database.transaction((inner) => insert(inner, 'inner'));
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');

    expect(await stored()).toEqual([]);
  });

  it('keeps no half of inner work that failed when the outer goes on, even after a failed statement', async () => {
    const done: string[] = [];
    await database.transaction(async (trx, afterCommit) => {
      afterCommit(() => done.push('outer'));
      await insert(trx, 'outer');
      await expect(
        database.transaction(async (inner, afterInner) => {
          afterInner(() => done.push('inner'));
          await insert(inner, 'inner');
          await insert(inner, 'outer');
        }),
      ).rejects.toHaveProperty('message');
      await insert(trx, 'after');
    });

    expect(await stored()).toEqual(['outer', 'after']);
    expect(done).toEqual(['outer']);
  });

  it('does not commit over a failed statement that was swallowed', async () => {
    await expect(
      database.transaction(async (trx) => {
        await insert(trx, 'twice');
        await insert(trx, 'twice').catch(() => 0);
      }),
    ).rejects.toHaveProperty('message');

    expect(await stored()).toEqual([]);
  });

  it('runs after-commit work in order, outside of itself, and logs what fails', async () => {
    const seen: string[] = [];
    await database.transaction(async (trx, afterCommit) => {
      await insert(trx, 'row');
      afterCommit(async () => {
        seen.push(`first ${String(database.db.inTransaction)} ${(await stored()).join()}`);
        await database.transaction(async (_next, again) => {
          again(() => seen.push('nested'));
        });
      });
      await database.transaction(async (_inner, afterInner) => {
        afterInner(() => {
          throw new Error('broken');
        });
      });
      afterCommit(() => seen.push('last'));
      expect(seen).toEqual([]);
    });

    expect(seen).toEqual(['first false row', 'nested', 'last']);
    expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { error: expect.stringContaining('broken') } },
    ]);
  });

  it('writes collected rows once, right before the commit, without those of a savepoint that failed', async () => {
    const writes: number[] = [];
    const insertAll = async (trx: Db, names: readonly string[]): Promise<void> => {
      writes.push(names.length);
      for (const name of names) await insert(trx, name);
    };
    await database.transaction(async (trx) => {
      trx.beforeCommit(insertAll, ['first', 'second']);
      await database.transaction(async (inner) => inner.beforeCommit(insertAll, ['third']));
      const failed = database.transaction(async (inner) => {
        inner.beforeCommit(insertAll, ['never']);
        throw new Error('stop');
      });
      await expect(failed).rejects.toThrow('stop');
      expect(await trx.raw('select id from fa_meta')).toEqual([]);
      await insert(trx, 'in turn');
    });

    expect([writes, await stored()]).toEqual([[3], ['in turn', 'first', 'second', 'third']]);
  });

  it('stores nothing when collected rows cannot be written', async () => {
    const failing = database.transaction(async (trx) => {
      await insert(trx, 'row');
      trx.beforeCommit((last, [name = '']) => insert(last, name), ['row']);
    });

    await expect(failing).rejects.toHaveProperty('message');
    expect(await stored()).toEqual([]);
  });

  it('runs no after-commit work when it fails', async () => {
    const seen: string[] = [];
    await expect(
      database.transaction(async (_trx, afterCommit) => {
        afterCommit(() => seen.push('ran'));
        throw new Error('stop');
      }),
    ).rejects.toThrow();

    expect(seen).toEqual([]);
  });
});

describe('conflicts', () => {
  const busy = {
    sqlite: { code: 'SQLITE_BUSY' },
    postgres: { code: '40001' },
    mysql: { code: 'ER_LOCK_DEADLOCK', errno: 1213 },
  }[testEngine()];

  it('run the whole work again, and its after-commit work once', async () => {
    let runs = 0;
    const seen: number[] = [];
    const value = await database.transaction(async (trx, afterCommit) => {
      runs += 1;
      await insert(trx, 'row');
      afterCommit(() => seen.push(runs));
      if (runs < 3) throw Object.assign(new Error('conflict'), busy);
      return runs;
    });

    expect([value, seen, await stored()]).toEqual([3, [3], ['row']]);
  });

  it('are given up after five repeats', async () => {
    let runs = 0;
    const failure = database.transaction(async () => {
      runs += 1;
      throw Object.assign(new Error('conflict'), busy);
    });

    await expect(failure).rejects.toMatchObject({ code: 'busy', status: 503, retryAfter: 1 });
    expect(runs).toBe(6);
  });

  it('inside joined work repeat the outermost, also when it is swallowed there', async () => {
    let runs = 0;
    await database.transaction(async (trx) => {
      runs += 1;
      await insert(trx, 'outer');
      await database
        .transaction(async () => {
          if (runs < 2) throw Object.assign(new Error('conflict'), busy);
        })
        .catch(() => {});
    });

    expect([runs, await stored()]).toEqual([2, ['outer']]);
  });

  it('of two that lock rows in opposite order end with both done', async () => {
    const ids = [await insert(database.db, 'x'), await insert(database.db, 'y')];
    const touch = (order: readonly number[]): Promise<void> =>
      database.transaction(async (trx) => {
        for (const id of order) {
          await trx('meta').where({ id }).increment('updated_at', 1);
          await new Promise((resolve) => {
            setTimeout(resolve, 30);
          });
        }
      });

    await Promise.all([touch(ids), touch(ids.toReversed())]);

    const rows: { updated_at: string | number }[] = await database.db('meta').select('updated_at');
    expect(rows.map((row) => Number(row.updated_at))).toEqual([3, 3]);
  });
});

describe('a lost connection', () => {
  const ownConnection = async (trx: Db): Promise<string> => {
    const [row] = await trx.raw(
      testEngine() === 'postgres' ? 'select pg_backend_pid() as id' : 'select connection_id() as id',
    );
    return String(row?.['id']);
  };
  const cut = (id: string): Promise<unknown> =>
    rawRows(database.knex, testEngine() === 'postgres' ? `select pg_terminate_backend(${id})` : `kill ${id}`);

  onServers('before COMMIT runs the work again', async () => {
    let runs = 0;
    await database.transaction(async (trx) => {
      runs += 1;
      await insert(trx, 'row');
      if (runs === 1) await cut(await ownConnection(trx));
      await insert(trx, 'second');
    });

    expect([runs, await stored()]).toEqual([2, ['row', 'second']]);
  });

  onServers('during COMMIT is an unknown outcome and not repeated', async () => {
    let runs = 0;
    const failure = await database
      .transaction(async (trx) => {
        runs += 1;
        await insert(trx, 'row');
        await cut(await ownConnection(trx));
      })
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(AffiliateError);
    expect(failure).toMatchObject({ code: 'outcome_unknown', status: 503 });
    expect([runs, await stored()]).toEqual([1, []]);
  });

  onServers('to a server that is not there is busy', async () => {
    const { client } = await testDatabase({ purpose: 'trx' });
    const nowhere = createDatabase({
      database: { client, connection: { host: '127.0.0.1', port: 1, user: 'x' } },
      tablePrefix: 'fa_',
      migrate: true,
      durability: 'warn',
      log,
    });

    await expect(nowhere.transaction(async () => 1)).rejects.toMatchObject({ code: 'busy' });
    await nowhere.close();
  });
});

describe('values', () => {
  it.each<[string, Record<string, unknown>]>([
    ['of a row that is refused', { created_at: null }],
    ['of a row that is there already', {}],
  ])('%s are not in the error', async (_which, change) => {
    const row = { ...metaRow('a'), name_key: 'fits', value: 'zq9value', ...change };
    const insert = (db: Db): Promise<unknown> => db('meta').insert(row);
    const own = (db: Db): Promise<unknown> =>
      db.execute(
        `insert into ${db.name('meta')} (meta_key, name_key, value, created_at) values ('k', ?, ?, ?)`,
        ['fits', 'zq9value', null],
      );
    if (Object.keys(change).length === 0) await insert(database.db);

    for (const work of [insert, own]) {
      // one after the other: nobody waits for the second while the first is running
      for (const run of [() => work(database.db), () => database.transaction(work)]) {
        const error: unknown = await run().then(
          () => 'stored',
          (thrown: unknown) => thrown,
        );
        // a stack may be older than its message
        const shown = `${String(error)} ${inspect(error, { depth: 9 })} ${JSON.stringify(error)}`;
        expect([error === 'stored', shown.includes('zq9value')]).toEqual([false, false]);
      }
    }
  });

  const wrong: readonly (readonly [string, unknown])[] = [
    ['an object', { $gt: '' }],
    ['an array', ['a']],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a buffer', Buffer.from('a')],
    ['NaN', Number.NaN],
    ['infinity', Infinity],
  ];

  it.each(wrong)('reject %s before it reaches the driver', async (_name, value) => {
    await expect(
      database
        .db('meta')
        .where('meta_key', value as string)
        .select('id'),
    ).rejects.toThrow(/may be bound|must not be object/);
    await expect(
      database.transaction(async (trx) => {
        await trx.raw('select ? as x', [value as string]);
      }),
    ).rejects.toThrow(/bound/);
  });

  it('in a row may be objects, which are stored as JSON text', async () => {
    await database.db('meta').insert({ ...metaRow('x'), value: { $gt: '' } });

    expect(await database.db('meta').first('value')).toEqual({ value: '{"$gt":""}' });
  });
});
