import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import createKnex, { type Knex } from 'knex';
import { dialectContract } from '../../adapters/contract/dialect.js';
import { shortName } from '../../adapters/database/sql.js';
import { createDatabase, type Database } from '../../src/platform/database/index.js';
import { emptyDatabase, rawRows, testDatabase, testEngine } from '../support/databases.js';
import { metaRow, openTestDatabase, testLog } from './support.js';

let own: Database;
let host: Knex;
let shared: Database;

beforeAll(async () => {
  own = await openTestDatabase();
  const { client, connection } = await testDatabase({ purpose: 'host' });
  // a host's habits: names in camelCase, and on MySQL the server's own isolation level
  host = createKnex({
    client,
    connection: client === 'better-sqlite3' ? { filename: ':memory:' } : connection,
    useNullAsDefault: true,
    wrapIdentifier: (name, wrap) =>
      wrap(name === '*' ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    postProcessResponse: (answer: unknown) =>
      Array.isArray(answer)
        ? answer.map((row: unknown) =>
            typeof row === 'object' && row !== null && !Array.isArray(row) ? { mapped: true } : row,
          )
        : answer,
  });
  if (client === 'better-sqlite3') await host.raw('pragma foreign_keys = on');
  shared = createDatabase({
    database: host,
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log: testLog(),
  });
  await shared.prepare();
});
beforeEach(() => Promise.all([emptyDatabase(own.knex, 'fa_'), emptyDatabase(shared.knex, 'fa_')]));
afterAll(async () => {
  await own.close();
  await shared.close();
  await host.destroy();
});

dialectContract({ describe, it }, 'opened by us', () => own);
dialectContract({ describe, it }, "the host's own knex", () => shared);

describe("the host's own knex", () => {
  it('keeps its settings and is not closed with the service', async () => {
    await shared.close();

    await host('fa_meta').insert({
      objectType: 'host',
      objectId: 1,
      metaKey: 'k',
      nameKey: 'k',
      createdAt: 1,
      updatedAt: 1,
    });

    expect(await host('fa_meta').select('id')).toEqual([{ mapped: true }]);
    expect(await shared.db('meta').select('meta_key')).toEqual([{ meta_key: 'k' }]);
  });
});

describe('names of keys', () => {
  it('are cut to what every database takes, with a hash of the whole', () => {
    const long = 'affiliate_program_shop_provider_orders_provider_account_provider_id_sub_id_unique';

    expect(shortName(long)).toHaveLength(63);
    expect(shortName(long)).not.toBe(shortName(long.replace('sub_id', 'sub_no')));
    expect(shortName('short')).toBe('short');
  });

  it('fit with the longest table prefix, and insertIfAbsent still knows them', async () => {
    const prefix = 'p'.repeat(20);
    const wide = createDatabase({
      database: await testDatabase({ purpose: 'wide' }),
      tablePrefix: prefix,
      migrate: true,
      durability: 'warn',
      log: testLog(),
    });
    await wide.prepare();
    await emptyDatabase(wide.knex, prefix);
    const order = {
      provider: 'p',
      account: 'a',
      reference: '1',
      sub_reference: '',
      order_key: 'p:a:1:',
      currency: 'USD',
      created_at: 1,
      updated_at: 1,
    };
    const key = ['order_key'];

    expect(await wide.db.dialect.insertIfAbsent(wide.db, 'orders', order, key)).toEqual(expect.any(Number));
    expect(await wide.db.dialect.insertIfAbsent(wide.db, 'orders', order, key)).toBeNull();
    await wide.close();
  });

  it('refuse a prefix that is more than a name', () => {
    expect(() =>
      createDatabase({
        database: { client: 'better-sqlite3', connection: ':memory:' },
        tablePrefix: 'x"; --',
        migrate: true,
        durability: 'warn',
        log: testLog(),
      }),
    ).toThrow(/tablePrefix/);
  });
});

describe('search', () => {
  it.each(['ÄRGER', 'ärger', 'STRAßE'])('folds letters beyond ASCII: %s', async (text) => {
    await own
      .db('meta')
      .insert([metaRow('a', 'Großer Ärger'), metaRow('b', 'lange Straße'), metaRow('c', 'Arger Strasse')]);

    const rows: unknown[] = await own.dialect.contains(own.db('meta').select('name_key'), ['value'], text);

    expect(rows).toHaveLength(1);
  });
});

describe('session settings', () => {
  const sql = {
    sqlite:
      'select (select * from pragma_synchronous) as sync, (select * from pragma_foreign_keys) as fk, ' +
      '(select * from pragma_busy_timeout) as wait',
    postgres:
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as wait",
    mysql:
      'select @@innodb_lock_wait_timeout as wait, @@session.tx_isolation as isolation, @@time_zone as zone, ' +
      '@@max_statement_time as statement',
  };
  const expected = {
    sqlite: { sync: 2, fk: 1, wait: 5000 },
    postgres: { statement: '30s', wait: '5s' },
    mysql: { wait: 5, isolation: 'READ-COMMITTED', zone: '+00:00', statement: expect.anything() as unknown },
  };

  it('are those the documentation names', async () => {
    expect((await rawRows(own.knex, sql[testEngine()])).map((row) => ({ ...row }))).toEqual([
      expected[testEngine()],
    ]);
  });
});
