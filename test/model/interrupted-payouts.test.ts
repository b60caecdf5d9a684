import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { affiliate, FORM } from '../support/payouts.js';
import { fc } from '../support/random.js';
import { startApp, type TestApp } from '../support/app.js';
import { emptyDatabase, testEngine } from '../support/databases.js';

// A payout in steps that is interrupted at random moments, while orders, refunds, edits, merges and deletions arrive.

const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 12 : 4));
const PEOPLE = 10;
const EACH = 120;

type Step = { readonly do: 'interrupt'; readonly ms: number } | { readonly do: Other; readonly pick: number };
type Other = 'order' | 'refund' | 'reject' | 'edit' | 'drop' | 'merge' | 'leave';

const OTHERS: readonly Other[] = ['order', 'order', 'refund', 'reject', 'edit', 'drop', 'merge', 'leave'];
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('interrupt' as const), ms: fc.integer({ min: 0, max: 60 }) }),
    fc.record({ do: fc.constantFrom(...OTHERS), pick: fc.nat(10_000) }),
  ),
  { minLength: 3, maxLength: 12 },
);

interface World {
  readonly t: TestApp;
  readonly people: readonly number[];
  readonly referrals: readonly number[];
  orders: number;
}

async function commissions(t: TestApp): Promise<World> {
  const people: number[] = [];
  for (let at = 0; at < PEOPLE; at += 1) people.push((await affiliate(t, 100 + at)).id);
  const stamps = { created_at: t.clock.now(), updated_at: t.clock.now() };
  const rows = people.flatMap((id) =>
    Array.from({ length: EACH }, (_, n) => ({
      affiliate_id: id,
      status: 'unpaid',
      amount_minor: 100 + n,
      currency: 'USD',
      type: 'sale',
      provider: 'manual',
      ...stamps,
    })),
  );
  for (let at = 0; at < rows.length; at += 400) await t.app.db('referrals').insert(rows.slice(at, at + 400));
  await t.app.ledger.reconcile();
  const stored = await t.app.db('referrals').select('id').orderBy('id');
  return { t, people, referrals: stored.map((row: { id: number | string }) => Number(row.id)), orders: 0 };
}

/** Each may be refused, for example because a payout has the commission; but never with a 5xx. */
const PLAYS: { readonly [K in Other]: (world: World, pick: number) => Promise<number> } = {
  order: async (world, pick) => {
    world.orders += 1;
    await world.t.service.conversions
      .record(null, {
        provider: 'shop',
        reference: `O-${world.orders}`,
        status: 'unpaid',
        order: { subtotal: '50.00', total: '50.00' },
        affiliate: world.people[pick % PEOPLE]!,
      })
      .catch(() => undefined); // the affiliate may be gone
    return 200;
  },
  refund: async ({ t, orders }, pick) => {
    if (orders > 0)
      await t.service.conversions.refund('shop', `O-${1 + (pick % orders)}`, { refunded_total: '50.00' });
    return 200;
  },
  reject: ({ t, referrals }, pick) => patch(t, referrals[pick % referrals.length]!, { status: 'rejected' }),
  edit: ({ t, referrals }, pick) => patch(t, referrals[pick % referrals.length]!, { amount: 9.99 }),
  drop: async ({ t, referrals }, pick) =>
    (await t.admin.delete(`/referrals/${referrals[pick % referrals.length]!}`)).status,
  merge: async ({ t, people }, pick) =>
    (
      await t.admin
        .post(`/affiliates/${people[pick % PEOPLE]!}/merge`)
        .send({ other_id: people[(pick + 1) % PEOPLE]! })
    ).status,
  leave: async ({ t, people }, pick) =>
    (await t.admin.delete(`/affiliates/${people[pick % PEOPLE]!}`)).status,
};

const patch = async (t: TestApp, id: number, body: object): Promise<number> =>
  (await t.admin.patch(`/referrals/${id}`).send(body)).status;

async function interrupt(t: TestApp, id: number, ms: number): Promise<void> {
  await t.app.operations.goOn('payout', id);
  await sleep(ms);
  await t.app.operations.stop('payout', id);
  await t.app.operations.settled();
}

async function sumsBy(t: TestApp, table: 'payout_plan' | 'payout_items'): Promise<Map<number, number>> {
  const rows = await t.app.db(table).select('affiliate_id', 'amount_minor');
  const sums = new Map<number, number>();
  for (const row of rows as { affiliate_id: number | string; amount_minor: number | string }[]) {
    const id = Number(row.affiliate_id);
    sums.set(id, (sums.get(id) ?? 0) + Number(row.amount_minor));
  }
  return sums;
}

async function playAll(t: TestApp, played: readonly Step[]): Promise<void> {
  await emptyDatabase(t.app.db.knex, t.app.options.tablePrefix);
  const world = await commissions(t);
  const { body } = await t.admin
    .post('/payouts/process-payout')
    .set('Prefer', 'respond-async')
    .send({ config: FORM })
    .expect(202);
  const id = body.payout.id as number;
  const plan = await sumsBy(t, 'payout_plan');
  await interrupt(t, id, 0);
  for (const step of played) {
    if (step.do === 'interrupt') await interrupt(t, id, step.ms);
    else expect(await PLAYS[step.do](world, step.pick)).toBeLessThan(500);
    expect(await t.service.verify()).toEqual([]);
  }
  await t.app.operations.goOn('payout', id);
  await t.app.operations.settled();

  expect(await t.app.operations.find('payout', id)).toBeNull();
  expect(await t.service.verify()).toEqual([]);
  if (plan.size > 0)
    for (const [who, amount] of await sumsBy(t, 'payout_items'))
      expect(amount).toBeLessThanOrEqual(plan.get(who) ?? 0);
}

it(`pays nobody twice or more than planned, over ${RUNS} payouts that are interrupted at random moments`, async () => {
  const t = await startApp();
  for (let at = 0; at < PEOPLE; at += 1)
    t.host.addUser({ id: 100 + at, login: `u${at}`, email: `u${at}@shop.test` });
  await fc.assert(
    fc.asyncProperty(steps, (played) => playAll(t, played)),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 900_000);
