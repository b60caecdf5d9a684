import { expect, it, jest } from '@jest/globals';
import { fc } from '../support/random.js';
import { startApp } from '../support/app.js';
import { emptyDatabase, testEngine } from '../support/databases.js';
import { histories, Play } from './order-life-play.js';

// Histories of three orders (one with rates per product, one in two parts, one subscription) against a model that
// computes what is due from everything that was told. HISTORIES says how many, STEPS how long; the seed is that of
// every random test, and a failure prints its shortest script.
const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 30 : 8));
const STEPS = Number(process.env['STEPS'] ?? 40);

jest.setTimeout(60_000 + RUNS * 30_000);

it(`what is booked is what the facts of ${RUNS} histories come to`, async () => {
  const t = await startApp({ rate: 20, fraud: { sameOrder: 'off' } });
  await fc.assert(
    fc.asyncProperty(histories(STEPS), async (history) => {
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
      const play = new Play(t, history, [Number(alice.id), Number(bob.id)]);
      try {
        await play.run();
      } catch (error) {
        (error as Error).message +=
          `\n\n${JSON.stringify({ ...history, steps: history.steps.length })}\n${play.script.join('\n')}`;
        throw error;
      }
    }),
    { numRuns: RUNS },
  );
  expect(await t.service.verify()).toEqual([]);
});
