import { expect, it, jest } from '@jest/globals';
import { fc } from '../support/random.js';
import { SEED } from '../support/seed.js';
import { startApp, type TestApp } from '../support/app.js';
import { emptyDatabase, testEngine } from '../support/databases.js';
import { histories, Play, type History } from './order-life-play.js';

// Histories of three orders (one with rates per product, one in two parts, one subscription) against a model that
// computes what is due from everything that was reported. HISTORIES says how many, STEPS how long. The seed is that of
// every random test; with CHUNKS=100 that many histories are drawn from each of the next hundred seeds, and each
// seed says on stderr how it went. A failure prints its shortest script.
const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 30 : 8));
const STEPS = Number(process.env['STEPS'] ?? 40);
const CHUNKS = Number(process.env['CHUNKS'] ?? 1);
/** A difference found in many chunks or on a server is shown as it is: a shorter one would cost minutes. */
const isShortened = CHUNKS === 1 && testEngine() === 'sqlite';
/** The `path` that a difference was printed with, to see it again with its SEED. */
const { REPLAY } = process.env;

jest.setTimeout(60_000 + RUNS * 30_000);

it.each(Array.from({ length: CHUNKS }, (_, at) => SEED + at))(
  `what is booked is what the facts of ${RUNS} histories come to, seed %i`,
  async (seed) => {
    const t = await startApp({ rate: 20, fraud: { sameOrder: 'off' } });
    const began = performance.now();
    const say = (how: string): void => {
      const seconds = Math.round((performance.now() - began) / 1000);
      if (CHUNKS > 1) process.stderr.write(`${testEngine()} seed ${seed}: ${RUNS} ${how} in ${seconds} s\n`);
    };
    try {
      await fc.assert(
        fc.asyncProperty(histories(STEPS), async (history) => play(t, history)),
        { numRuns: RUNS, seed, endOnFailure: !isShortened, ...(REPLAY && { path: REPLAY }) },
      );
      say('without a difference');
    } catch (error) {
      const { message, cause } = error as Error;
      say(`DIFFER: ${message}\n${(cause as Error | undefined)?.message}`);
      throw error;
    }
    expect(await t.service.verify()).toEqual([]);
  },
);

async function play(t: TestApp, history: History): Promise<void> {
  await emptyDatabase(t.app.db.knex, t.app.options.tablePrefix);
  t.clock.time = Date.UTC(2026, 0, 15, 15);
  await t.service.settings.saveReferralConfig({
    rate: 20,
    enable_subscription_renewal: 'yes',
    renewal_rate: 10,
    renewal_rate_type: 'percentage',
    max_renewal_count: 3,
    commission_cap_amount: (history.cap ?? 0) / 100,
    commission_cap_days: 0,
    payout_rhythm: 'none',
    payout_day: 1,
  });
  await t.service.settings.saveRules({ clawback: history.clawback });
  const alice = await t.records.affiliate({ user_id: 2 });
  const bob = await t.records.affiliate({ user_id: 3 });
  const played = new Play(t, history, [Number(alice.id), Number(bob.id)]);
  try {
    await played.run();
  } catch (error) {
    (error as Error).message +=
      `\n\n${JSON.stringify({ ...history, steps: history.steps.length })}\n${played.script.join('\n')}`;
    throw error;
  }
}
