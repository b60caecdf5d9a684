import { expect, it } from '@jest/globals';
import { fc } from '../support/random.js';
import { startApp, type TestApp } from '../support/app.js';
import { emptyDatabase, testEngine } from '../support/databases.js';
import { Model } from './model.js';
import { histories, play, type Step } from './steps.js';

// Fewer on the servers, where each takes several times as long.
const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 200 : 80));

async function agree(t: TestApp, model: Model): Promise<void> {
  expect(await t.service.verify()).toEqual([]);
  for (const id of model.living()) {
    const affiliate = await t.app.affiliates.get(id);
    expect({
      total: affiliate.total_earnings_minor,
      unpaid: affiliate.unpaid_earnings_minor,
      referrals: affiliate.referrals,
      visits: affiliate.visits,
    }).toEqual(model.figures(id));
  }
}

async function compareRows(t: TestApp, model: Model): Promise<void> {
  const { body } = await t.admin.get('/referrals?per_page=200&order_by=id&order_type=asc').expect(200);
  const stored = (
    body.referrals.data as {
      id: number;
      amount: number;
      status: string;
      payout_transaction_id: number | null;
    }[]
  ).map(({ id, amount, status, payout_transaction_id }) => ({
    id,
    amount: Math.round(amount * 100),
    status,
    transaction: payout_transaction_id,
  }));
  const expected = [...model.referrals.values()]
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, amount, status, transaction }) => ({ id, amount, status, transaction }));
  expect(stored).toEqual(expected);
}

async function playAll(t: TestApp, steps: readonly Step[]): Promise<void> {
  await emptyDatabase(t.app.db.knex, t.app.options.tablePrefix);
  await t.app.settings.saveReferralConfig({ rate: 10 });
  const world = { t, model: new Model(), clicks: 0 };
  await play(world, { do: 'join', pick: 0 });
  await play(world, { do: 'join', pick: 1 });
  for (const step of steps) {
    await play(world, step);
    await agree(t, world.model);
  }
  await compareRows(t, world.model);
}

it(`keeps every invariant and agrees with a naive model over ${RUNS} random histories`, async () => {
  const t = await startApp({ clawback: 'off' });
  t.service.hooks.addFilter('visit_flood_limit', () => 0);
  await fc.assert(
    fc.asyncProperty(histories, (steps) => playAll(t, steps)),
    { numRuns: RUNS, endOnFailure: false },
  );
}, 900_000);
