import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Db } from '../../src/platform/database/db.js';
import type { Database } from '../../src/platform/database/index.js';
import { emptyDatabase, testEngine } from '../support/databases.js';
import { metaRow, openTestDatabase } from './support.js';

let database: Database;
const commits: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ purpose: 'shared' });
  database.knex.on('query', ({ sql }: { sql: string }) => {
    if (sql === 'COMMIT;') commits.push(sql);
  });
});
beforeEach(async () => {
  await emptyDatabase(database.knex, 'fa_');
  commits.length = 0;
});
afterAll(() => database.close());

const stored = async (): Promise<string[]> => {
  const rows: { name_key: string }[] = await database.db('meta').select('name_key').orderBy('id');
  return rows.map((row) => row.name_key);
};
const insert = (db: Db, name: string): Promise<number> => db.dialect.insert(db, 'meta', metaRow(name));
const names = ['a', 'b', 'c', 'd'];

describe('a shared transaction', () => {
  it('has one commit for what arrives together, and answers each', async () => {
    const ids = await Promise.all(
      names.map((name) => database.sharedTransaction('lane', (trx) => insert(trx, name))),
    );

    expect(ids).toEqual([1, 2, 3, 4]);
    expect([await stored(), commits.length]).toEqual([names, 1]);
  });

  it('costs one that fails only itself, also where the database refused it', async () => {
    const all = names.map((name) =>
      database.sharedTransaction('lane', async (trx) => {
        await insert(trx, name);
        if (name === 'b') throw new Error('stop');
        if (name === 'c') await insert(trx, 'a');
      }),
    );

    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect([await stored(), commits.length]).toEqual([['a', 'd'], 1]);
  });

  it('leaves each alone when a statement fails for another reason', async () => {
    const all = names.map((name) =>
      database.sharedTransaction('lane', async (trx) => {
        await insert(trx, name);
        if (name === 'b') await trx.raw('select no_such_column from fa_meta');
      }),
    );

    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect([await stored(), commits.length]).toEqual([['a', 'c', 'd'], 3]);
  });

  it('is tried again as a whole after a conflict', async () => {
    let attempts = 0;
    await Promise.all(
      names.map((name) =>
        database.sharedTransaction('lane', async (trx) => {
          attempts += 1;
          await insert(trx, name);
          if (attempts === 3) throw CONFLICT;
        }),
      ),
    );

    expect([await stored(), commits.length, attempts]).toEqual([names, 1, 7]);
  });

  it('runs what is for after the commit only then, in the context of who asked', async () => {
    const user = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const all = names.map((name) =>
      user.run(name, () =>
        database.sharedTransaction('lane', async (trx, afterCommit) => {
          await insert(trx, name);
          afterCommit(() => seen.push(`${name} for ${user.getStore()}, ${commits.length} commit`));
          if (name === 'c') throw new Error('stop');
        }),
      ),
    );
    await Promise.allSettled(all);

    expect(seen.toSorted()).toEqual(['a for a, 1 commit', 'b for b, 1 commit', 'd for d, 1 commit']);
  });

  it('writes what each collected for the end once, without those that failed', async () => {
    const writes: (readonly string[])[] = [];
    const insertAll = async (trx: Db, collected: readonly string[]): Promise<void> => {
      writes.push(collected);
      for (const name of collected) await insert(trx, name);
    };
    const all = names.map((name) =>
      database.sharedTransaction('lane', async (trx) => {
        trx.beforeCommit(insertAll, [name]);
        if (name === 'c') throw new Error('stop');
      }),
    );
    await Promise.allSettled(all);

    expect([writes, await stored(), commits.length]).toEqual([[['a', 'b', 'd']], ['a', 'b', 'd'], 1]);
  });

  it('joins a transaction that is open', async () => {
    await expect(
      database.transaction(async () => {
        await database.sharedTransaction('lane', (trx) => insert(trx, 'a'));
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');

    expect(await stored()).toEqual([]);
  });
});

/** What the database says when the whole transaction has to be run again. */
const CONFLICT = Object.assign(
  new Error('conflict'),
  {
    sqlite: { code: 'SQLITE_BUSY' },
    postgres: { code: '40001' },
    mysql: { errno: 1213 },
  }[testEngine()],
);
