import type * as Mysql from 'mysql2/promise';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { createMemoryHost } from '../../adapters/memory-host.js';
import {
  createAffiliateService,
  type AffiliateServiceOptions,
  type DatabaseOption,
} from '../../src/index.js';
import { testDatabase, testEngine } from '../support/databases.js';
import { testLog } from './support.js';

const require = createRequire(import.meta.url);

interface Own {
  readonly database: DatabaseOption;
  /** Answers 1 while the host's own connections work. */
  ask(): Promise<unknown>;
  end(): Promise<unknown>;
}

interface TestPool {
  readonly totalCount: number;
  connect(): Promise<unknown>;
  query(sql: string): Promise<{ readonly rows: readonly { readonly one: number }[] }>;
  end(): Promise<void>;
}

/** What hosts with TypeORM, Drizzle or no library at all have: the driver's own pool or handle. */
const OWN: Readonly<Record<ReturnType<typeof testEngine>, (address: string) => Own>> = {
  sqlite: (file) => {
    const Database = require('better-sqlite3') as new (file: string) => {
      readonly inTransaction: boolean;
      prepare(sql: string): { get(): { one: number } };
      pragma(sql: string): unknown;
      close(): void;
    };
    const handle = new Database(file);
    return {
      database: handle,
      ask: async () => handle.prepare('select 1 as one').get().one,
      end: async () => handle.close(),
    };
  },
  postgres: (connectionString) => {
    const { Pool } = require('pg') as { readonly Pool: new (settings: object) => TestPool };
    const pool = new Pool({ connectionString, max: 4 });
    return {
      database: pool,
      ask: async () => (await pool.query('select 1 as one')).rows[0]?.one,
      end: () => pool.end(),
    };
  },
  mysql: (uri) => {
    const pool = (require('mysql2/promise') as typeof Mysql).createPool({
      uri,
      connectionLimit: 4,
    });
    return {
      database: pool,
      ask: async () => ((await pool.query('select 1 as one')) as unknown as { one: number }[][])[0]?.[0]?.one,
      end: () => pool.end(),
    };
  },
};

const start = (database: DatabaseOption, options: AffiliateServiceOptions = {}) =>
  createAffiliateService(createMemoryHost({ users: [{ id: 2, login: 'alice' }] }), {
    database,
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    logger: testLog(),
    tablePrefix: 'pooled_',
    ...options,
  });

it("works on the host's own pool or handle, and leaves it open", async () => {
  const { connection } = await testDatabase({ purpose: 'pool', shared: true });
  const own = OWN[testEngine()](connection);
  const service = start(own.database);
  const { id } =
    (await service.affiliates.findByUser(2)) ??
    (await service.affiliates.create({ user_id: 2, status: 'active' }));
  const orders = Array.from({ length: 8 }, (_, at) =>
    service.conversions.record(null, {
      provider: 'shop',
      reference: `P-${at}`,
      status: 'unpaid',
      affiliate: id,
      order: { subtotal: '100.00' },
      customer: { email: `jo${at}@shop.test` },
    }),
  );
  for (const { referral } of await Promise.all(orders)) expect(referral?.amount_minor).toBe(2000);
  expect(await service.verify()).toEqual([]);
  await service.close();

  expect(await own.ask()).toBe(1);
  await own.end();
});

describe('what cannot be used as a database', () => {
  const call = (): void => {};
  it.each<[string, unknown, string]>([
    ['a Prisma client', { $connect: call, $disconnect: call }, 'a Prisma client'],
    ['a DataSource', { initialize: call, createQueryRunner: call }, 'dataSource.driver.master'],
    ['a Drizzle database', { $client: {} }, 'db.$client'],
    ['one connection', { connect: call, query: call, end: call }, 'Pass a pool'],
    [
      'a pool as connection',
      { client: 'pg', connection: { connect: call, query: call, totalCount: 0 } },
      'Pass it as "database" itself',
    ],
  ])('is named, with what to pass instead: %s', (_, database, advice) => {
    expect(() => start(database as DatabaseOption)).toThrow(advice);
  });
});
