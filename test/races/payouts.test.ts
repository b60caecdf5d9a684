import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DatabaseConfig } from '../../adapters/database/open.js';
import type { BuiltApp } from '../../src/service/build-app.js';
import { emptyDatabase, testDatabase, testEngine } from '../support/databases.js';
import { openBooks, type Order, type Outcome } from './books.js';

// Processes of their own on one database. RACE_ROUNDS, RACE_REFERRALS and RACE_PROCESSES
// give the figures of a release.
const number = (name: string, value: number): number => Number(process.env[name] ?? value);
const ROUNDS = number('RACE_ROUNDS', 2);
const REFERRALS = number('RACE_REFERRALS', 600);
const PROCESSES = number('RACE_PROCESSES', testEngine() === 'sqlite' ? 4 : 8);
const KILLS = number('RACE_KILLS', 3);
const AFFILIATES = 40;

interface Arena {
  readonly built: BuiltApp;
  readonly config: DatabaseConfig;
  readonly workers: Worker[];
}
const arenas: Arena[] = [];

afterEach(async () => {
  for (const { built, workers } of arenas.splice(0)) {
    for (const worker of workers) worker.child.kill('SIGKILL');
    await built.database.close();
  }
}, 30_000);

class Worker {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (codes: readonly string[]) => void>();
  #orders = 0;

  constructor(config: DatabaseConfig, number: number) {
    this.child = fork(
      new URL('payout-worker.ts', import.meta.url),
      [JSON.stringify(config), String(number)],
      {
        execArgv: ['--no-warnings', '--import', new URL('../support/ts-loader.mjs', import.meta.url).href],
      },
    );
    this.child.on('message', ({ id, codes }: Outcome) => {
      this.#waiting.get(id)?.(codes);
    });
  }

  ready(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#waiting.set(0, resolve);
    });
  }

  order(kind: Order['kind'], times: number, more: Partial<Order> = {}): Promise<readonly string[]> {
    const id = ++this.#orders;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.child.send({ id, kind, times, ...more } satisfies Order);
    });
  }
}

async function arena(processes: number): Promise<Arena> {
  const config = await testDatabase({ purpose: 'race', shared: true });
  const built = await openBooks(config);
  await emptyDatabase(built.database.knex, 'fa_');
  const made: Arena = { built, config, workers: [] };
  arenas.push(made);
  await staff(made, processes);
  return made;
}

async function staff({ config, workers }: Arena, count: number): Promise<void> {
  const fresh = Array.from({ length: count }, (_, at) => new Worker(config, at));
  workers.push(...fresh);
  await Promise.all(fresh.map((worker) => worker.ready()));
}

/** Unpaid referrals of 40 affiliates; counters and entries are made by the repair that hosts use. */
async function fill({ built: { app } }: Arena): Promise<void> {
  const stamps = { created_at: 1_768_000_000_000, updated_at: 1_768_000_000_000 };
  if (!(await app.db('affiliates').first('id'))) {
    for (let at = 0; at < AFFILIATES; at++) {
      await app
        .db('affiliates')
        .insert({ user_id: at + 1, status: 'active', settings: '{"bank_details":""}', ...stamps });
    }
  }
  const ids: number[] = (await app.db('affiliates').select('id').orderBy('id')).map(
    (row: { id: number | string }) => Number(row.id),
  );
  const rows = Array.from({ length: REFERRALS }, (_, at) => ({
    affiliate_id: ids[at % ids.length] ?? null,
    status: 'unpaid',
    amount_minor: 1 + ((at * 37) % 9000),
    currency: 'USD',
    type: 'sale',
    provider: 'manual',
    ...stamps,
  }));
  for (let at = 0; at < rows.length; at += 300) await app.db('referrals').insert(rows.slice(at, at + 300));
  await app.ledger.reconcile();
}

const unpaid = async ({ built }: Arena): Promise<number> =>
  Number((await built.app.db('referrals').where({ status: 'unpaid' }).count({ n: '*' }).first())?.['n']);

describe('payout runs in several processes', () => {
  it(`pay each referral once: ${ROUNDS} rounds of ${PROCESSES} processes`, async () => {
    const field = await arena(PROCESSES);
    for (let round = 0; round < ROUNDS; round++) {
      await fill(field);
      const codes = (await Promise.all(field.workers.map((worker) => worker.order('process', 2)))).flat();

      expect(codes.toSorted()).toEqual([
        ...Array.from({ length: codes.length - 1 }, () => 'nothing_to_pay'),
        'ok',
      ]);
      expect(await unpaid(field)).toBe(0);
      expect(await field.built.app.ledger.verify()).toEqual([]);
    }
  }, 600_000);

  it('keep the books while referrals are edited, rejected, deleted and transactions taken back', async () => {
    const field = await arena(PROCESSES);
    for (let round = 0; round < ROUNDS; round++) {
      await fill(field);
      const codes = (
        await Promise.all(
          field.workers.map((worker, at) =>
            at % 2 === 0 ? worker.order('process', 2) : worker.order('churn', 30),
          ),
        )
      ).flat();

      const allowed = [
        'ok',
        'nothing_to_pay',
        'preview_outdated',
        'payout_in_progress', // a transaction of a payout that is still being made
        'busy',
        'referral_paid',
        'referral_locked',
        'referral_not_found',
        'transaction_not_found',
        'status_unchanged',
      ];
      expect(codes.filter((code) => !allowed.includes(code))).toEqual([]);
      expect(await field.built.app.ledger.verify()).toEqual([]);
    }
  }, 600_000);
});

describe('a killed process', () => {
  it.each(['process', 'bulk', 'delete'] as const)(
    'leaves no half of %s, whichever statement was the last',
    async (kind) => {
      const field = await arena(0);
      for (let at = 1, done = 0; done < KILLS; at += Math.max(1, Math.floor(24 / KILLS)), done++) {
        await fill(field);
        if (kind !== 'process' && !(await field.built.app.db('payout_transactions').first('id')))
          await field.built.app.payouts.process({ title: 'Kill', description: 'Kill' });
        const before = await unpaid(field);
        const worker = new Worker(field.config, 0);
        await worker.ready();
        const gone = once(worker.child, 'exit');
        await Promise.race([gone, worker.order(kind, 1, { at, when: done % 2 === 0 ? 'before' : 'after' })]);
        worker.child.kill('SIGKILL');
        await gone;

        expect(await field.built.app.ledger.verify()).toEqual([]);
        if (kind === 'process') expect([0, before]).toContain(await unpaid(field));
        await field.built.app
          .db('job_leases')
          .where({ name: 'payouts.run' })
          .update({ owner: null, expires_at: 0 }); // as after its ten seconds
      }
      if (kind === 'process')
        await field.built.app.payouts.process({ title: 'Last', description: 'Last' }).catch(() => {});
      expect(await field.built.app.ledger.verify()).toEqual([]);
    },
    600_000,
  );
});
