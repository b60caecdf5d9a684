import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/platform/database/index.js';
import { createWithLease, type WithLease } from '../../src/platform/database/lease.js';
import { emptyDatabase } from '../support/databases.js';
import { openTestDatabase, testLog } from './support.js';

let database: Database;
let now: number;
let withLease: WithLease;

beforeAll(async () => {
  database = await openTestDatabase({ purpose: 'lease' });
});
beforeEach(async () => {
  now = 1_000_000;
  withLease = createWithLease({
    db: database.db,
    transaction: database.transaction,
    log: testLog(),
    clock: { now: () => now },
  });
  await emptyDatabase(database.knex, 'fa_');
});
afterAll(() => database.close());

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

describe('a lease', () => {
  it('is held by one at a time, and free again afterwards', async () => {
    const outcome = await withLease('job', () => withLease('job', async () => 'inner'));

    expect(outcome).toEqual({ value: null });
    expect(await withLease('job', async () => 'next')).toEqual({ value: 'next' });
    expect(await withLease('other', () => withLease('job', async () => 'apart'))).toEqual({
      value: { value: 'apart' },
    });
  });

  it('is given to one of many that ask at once', async () => {
    let end = (): void => {};
    const refused = new Promise<void>((resolve) => {
      end = resolve;
    });
    let others = 7;
    const ask = async (): Promise<unknown> => {
      const outcome = await withLease('job', () => refused);
      if (outcome === null && (others -= 1) === 0) end();
      return outcome;
    };
    const outcomes = await Promise.all(Array.from({ length: 8 }, ask));

    expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
  });

  it('is free after work that failed', async () => {
    await expect(
      withLease('job', async () => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');

    expect(await withLease('job', async () => 1)).toEqual({ value: 1 });
  });

  it('passes to another when its holder gives no sign of life, and the holder can tell', async () => {
    await withLease('job', async (lease) => {
      now += 61_000;

      expect(
        await withLease('job', async () => {
          await expect(database.transaction((trx) => lease.hold(trx))).rejects.toThrow(/taken over/);
          return 'taken';
        }),
      ).toEqual({ value: 'taken' });
    });
  });

  it('is kept by its heartbeat', async () => {
    await withLease(
      'job',
      async (lease) => {
        now += 100;
        await pause(60);
        now += 100;

        expect(lease.lost).toBe(false);
        expect(await withLease('job', async () => 1)).toBeNull();
      },
      { ttlMs: 120 },
    );
  });

  it('learns from its heartbeat that it is lost', async () => {
    await withLease(
      'job',
      async (lease) => {
        await database.db('job_leases').where({ name: 'job' }).update({ owner: 'another' });
        await pause(60);

        expect(lease.lost).toBe(true);
      },
      { ttlMs: 60 },
    );

    expect(await database.db('job_leases').first('owner')).toEqual({ owner: 'another' });
  });

  it('is not taken inside a transaction', async () => {
    await expect(database.transaction(() => withLease('job', async () => 1))).rejects.toThrow(
      /inside a transaction/,
    );
  });
});
