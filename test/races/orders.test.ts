import { fork, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DatabaseConfig } from '../../adapters/database/open.js';
import type { BuiltApp } from '../../src/service/build-app.js';
import { emptyDatabase, oneByOne, testDatabase } from '../support/databases.js';
import { openBooks } from './books.js';
import { disagreements, recordOrders, type Order, type Outcome } from './orders.js';

// Two processes change the same few orders, sixteen changes at once.
// The second one's statements do not wait for each other's answers, where the driver can do that.
// RACE_ORDER_ROUNDS gives the figures of a release,
// RACE_ORDER_REPORT a file for them.
const ROUNDS = Number(process.env['RACE_ORDER_ROUNDS'] ?? 4);
const REPORT = process.env['RACE_ORDER_REPORT'];
const PROCESSES = 2;
const TIMES = 8;
const ORDERS = 6;
const AFFILIATES = [1, 2, 3];
/** What a change may hear that met another one. */
const ALLOWED: readonly string[] = [
  'ok',
  'affiliate_exists',
  'affiliate_inactive',
  'affiliate_not_found',
  'busy',
  'nothing_to_pay',
  'payout_not_found',
  'preview_outdated',
  'referral_locked',
  'referral_not_found',
  'referral_paid',
  'transaction_not_found',
];

const open: { built: BuiltApp; workers: ChildProcess[] }[] = [];

afterEach(async () => {
  for (const { built, workers } of open.splice(0)) {
    for (const worker of workers) worker.kill('SIGKILL');
    await built.database.close();
  }
}, 30_000);

/** Fails at once when the process ends instead. */
const codesOf = (worker: ChildProcess): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`A process ended with ${code}.`));
    worker.once('exit', ended);
    worker.once('message', ({ codes }: Outcome) => {
      worker.off('exit', ended);
      resolve(codes);
    });
  });

function start(config: DatabaseConfig, number: number): ChildProcess {
  const loader = new URL('../support/ts-loader.mjs', import.meta.url).href;
  return fork(new URL('order-worker.ts', import.meta.url), [JSON.stringify(config), String(number)], {
    execArgv: ['--no-warnings', '--import', loader],
  });
}

async function fresh(built: BuiltApp): Promise<void> {
  await emptyDatabase(built.database.knex, 'fa_');
  const affiliates = [];
  for (const user_id of AFFILIATES)
    affiliates.push((await built.app.affiliates.changes.create({ user_id, status: 'active' })).id);
  await recordOrders(built.app, affiliates, ORDERS);
}

describe('changes of the same orders in two processes', () => {
  it(`leave books that are what their facts say: ${ROUNDS} rounds of ${PROCESSES * TIMES} at once`, async () => {
    const config = await testDatabase({ purpose: 'race', shared: true });
    const built = await openBooks(config);
    const workers = Array.from({ length: PROCESSES }, (_, at) =>
      start(at === 1 ? oneByOne(config) : config, at),
    );
    open.push({ built, workers });
    await Promise.all(workers.map(codesOf));
    const seen: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 4 === 0) await fresh(built);
      const codes = (
        await Promise.all(
          workers.map((worker, at) => {
            const answer = codesOf(worker);
            const restart = round % 4 === 3 && at === 0;
            worker.send({ times: TIMES, orders: ORDERS, restart } satisfies Order);
            return answer;
          }),
        )
      ).flat();
      for (const code of codes) seen[code] = (seen[code] ?? 0) + 1;
      expect(codes.filter((code) => !ALLOWED.includes(code))).toEqual([]);
      expect([round, await built.app.ledger.verify()]).toEqual([round, []]);
      expect([round, await disagreements(built.app)]).toEqual([round, []]);
    }
    expect(seen['ok']).toBeGreaterThan(ROUNDS);
    if (REPORT !== undefined) writeFileSync(REPORT, JSON.stringify({ rounds: ROUNDS, codes: seen }));
  }, 3_600_000);
});
