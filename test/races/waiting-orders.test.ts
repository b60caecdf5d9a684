import { setTimeout as sleep } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { rawRows, testDatabase, testEngine } from '../support/databases.js';
import { affiliate } from '../support/payouts.js';

// Orders that wait for a row of an affiliate wait in the process, not on connections that other orders need.

const CONNECTIONS = 3;
const ORDERS = 20;
const SAMPLES = 5;
/** MariaDB looks again when the last look was 100 ms ago. */
const SAMPLE_MS = 150;

const engine = testEngine();

const others: Knex[] = [];
afterEach(() => Promise.all(others.splice(0).map((knex) => knex.destroy())));

/** How many connections to this database wait for a lock. */
const WAITING = {
  sqlite: '',
  postgres:
    "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  mysql:
    'select count(*) as n from information_schema.innodb_trx t join information_schema.processlist p ' +
    "on p.id = t.trx_mysql_thread_id where t.trx_state = 'LOCK WAIT' and p.db = database()",
};

interface Program {
  readonly t: TestApp;
  /** Connections of another process. */
  readonly foreign: Knex;
  readonly busy: number;
  readonly other: number;
}

async function program(): Promise<Program> {
  const config = await testDatabase({ purpose: 'waiting', shared: true });
  const pool = { min: 0, max: CONNECTIONS };
  const t = await startApp({ database: engine === 'sqlite' ? config : { ...config, pool } });
  const foreign = createKnex({ ...config, pool: { min: 0, max: 2 }, useNullAsDefault: true });
  others.push(foreign);
  const [busy, other] = [(await affiliate(t, 2)).id, (await affiliate(t, 3)).id];
  await order(t, busy, 'first'); // what the first order of a process reads is known to the others
  await order(t, other, 'first-other');
  return { t, foreign, busy, other };
}

const order = (t: TestApp, affiliateId: number, reference: string): Promise<unknown> =>
  t.app.conversions.record(null, {
    provider: 'shop',
    reference,
    status: 'unpaid',
    order: { subtotal: 100 },
    affiliate: affiliateId,
  });

/** Sends orders of the affiliate; counts those that have ended. */
function sendOrders(t: TestApp, affiliateId: number): { ended: number; readonly all: Promise<unknown> } {
  const sent = { ended: 0, all: Promise.resolve() as Promise<unknown> };
  sent.all = Promise.all(
    Array.from({ length: ORDERS }, async (_, at) => {
      await sleep(at * 5); // they do not all arrive in one group
      await order(t, affiliateId, `A-${at}`);
      sent.ended += 1;
    }),
  );
  return sent;
}

const referralsOf = async (t: TestApp, affiliateId: number): Promise<string[]> => {
  const { body } = await t.admin.get(`/referrals?affiliate_id=${affiliateId}&per_page=100`).expect(200);
  return body.referrals.data.map((referral: { provider_id: string }) => referral.provider_id).toReversed();
};

async function eachOnce({ t, busy }: Program): Promise<void> {
  const references = await referralsOf(t, busy);
  expect(references.toSorted()).toEqual(
    ['first', ...Array.from({ length: ORDERS }, (_, at) => `A-${at}`)].toSorted(),
  );
  expect(await t.app.affiliates.get(busy)).toMatchObject({ referrals: ORDERS + 1 });
}

if (engine === 'sqlite')
  it('each end once after another process has written for a while', async () => {
    const p = await program();
    const release = await lockedBy(p.foreign, (trx) => trx.raw('update fa_options set name = name'));

    const orders = sendOrders(p.t, p.busy);
    await sleep(300);
    const endedMeanwhile = orders.ended;
    await release();
    await orders.all;

    expect(endedMeanwhile).toBe(0);
    await eachOnce(p);
  });
else
  describe('orders of an affiliate whose row is locked', () => {
    it('by another process keep one connection waiting, and orders of others do not wait', async () => {
      const p = await program();
      const { t, foreign, busy, other } = p;
      const release = await lockedBy(foreign, (trx) =>
        trx('fa_affiliates').select('id').where({ id: busy }).forUpdate(),
      );

      const orders = sendOrders(t, busy);
      await sleep(ORDERS * 5);
      const waiting: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample++) {
        waiting.push(Number((await rawRows(foreign, WAITING[engine]))[0]?.['n']));
        await sleep(SAMPLE_MS);
      }
      await order(t, other, 'B-1');
      const endedMeanwhile = orders.ended;
      await release();
      await orders.all;

      expect(endedMeanwhile).toBe(0);
      expect(Math.max(...waiting)).toBe(1);
      expect(await referralsOf(t, other)).toEqual(['first-other', 'B-1']);
      await eachOnce(p);
    });

    it('by a transaction of their own process keep no connection waiting', async () => {
      const p = await program();
      const { t, foreign, busy, other } = p;
      let [release, locked] = [(): void => {}, (): void => {}];
      const isLocked = new Promise<void>((resolve) => {
        locked = resolve;
      });
      const holding = t.app.transaction(async (trx) => {
        await t.app.ledger.lock(trx, busy);
        locked();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      await isLocked;

      const orders = sendOrders(t, busy);
      await sleep(ORDERS * 5);
      const waiting: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample++) {
        waiting.push(Number((await rawRows(foreign, WAITING[engine]))[0]?.['n']));
        await sleep(SAMPLE_MS);
      }
      await Promise.all([order(t, other, 'B-1'), t.admin.get('/affiliates').expect(200)]);
      const endedMeanwhile = orders.ended;
      release();
      await holding;
      await orders.all;

      expect(endedMeanwhile).toBe(0);
      expect(Math.max(...waiting)).toBe(0);
      expect(await referralsOf(t, other)).toEqual(['first-other', 'B-1']);
      await eachOnce(p);
    });
  });

/** Holds what it locks until the function that it returns is called. */
async function lockedBy(
  foreign: Knex,
  lock: (trx: Knex.Transaction) => PromiseLike<unknown>,
): Promise<() => Promise<void>> {
  const trx = await foreign.transaction();
  await lock(trx);
  return async () => {
    await trx.rollback();
  };
}
