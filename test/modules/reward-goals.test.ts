import { beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const DAY = 86_400_000;
const MINUTE = 60_000;

let t: TestApp;
let orders = 0;
beforeEach(async () => {
  t = await startApp({ clawback: 'adjust' });
});

const goal = (key: string, more: object = {}, rule: object = {}): object => ({
  key,
  title: `Goal ${key}`,
  event: 'bonus',
  reward: { kind: 'flat', value: 100 },
  goal: { metric: 'sales', at_least: 3, window: 'month', ...more },
  ...rule,
});

async function activate(rules: readonly object[], more: object = {}): Promise<number> {
  const { body } = await t.admin.post('/reward-rules').send({ rules, ...more });
  expect(body).toMatchObject({ reward_rules: { state: 'draft' } });
  const { id } = body.reward_rules;
  await t.admin.post(`/reward-rules/${id}/activate`).send({ without_simulation: true }).expect(200);
  return id;
}

async function sell(affiliate: number, subtotal = '10', more: object = {}): Promise<string> {
  const reference = `G${(orders += 1)}`;
  const order = { provider: 'shop', reference, status: 'unpaid', affiliate, order: { subtotal }, ...more };
  await t.service.conversions.record(null, order as never);
  return reference;
}
const refund = (reference: string, total = '10') =>
  t.service.conversions.refund('shop', reference, { refunded_total: total });

async function jobs(ms = 2 * MINUTE): Promise<void> {
  t.clock.advance(ms);
  await t.service.jobs.runDue();
}

interface Bonus {
  readonly id: number;
  readonly amount: number;
  readonly status: string;
  readonly type: string;
}
async function bonuses(affiliate: number): Promise<(readonly [number, string])[]> {
  const { referrals } = (await t.admin.get(`/affiliates/${affiliate}/referrals?per_page=50`).expect(200))
    .body;
  return (referrals.data as Bonus[])
    .filter(({ type }) => type === 'bonus')
    .map(({ amount, status }) => [amount, status] as const);
}
const progress = async (affiliate: number) =>
  (await t.admin.get(`/affiliates/${affiliate}/progress`).expect(200)).body.progress;

describe('goals', () => {
  it('pay a bonus once per window, with an explanation and an event', async () => {
    const { id } = await t.records.affiliate();
    await activate([goal('three')]);
    await sell(id);
    await sell(id);
    await jobs();
    expect(await bonuses(id)).toEqual([]);
    expect((await progress(id)).goals).toMatchObject([
      {
        key: 'three',
        title: 'Goal three',
        value: '2',
        at_least: '3',
        state: 'open',
        reward: 100,
        from: '2026-01-01T00:00:00+00:00',
        until: '2026-02-01T00:00:00+00:00',
        sentences: {
          en: 'Bonus: $100.00 for at least 3 sales in a month',
          fr: 'Bonus: 100,00\u00a0$US pour au moins 3 ventes en un mois',
        },
      },
    ]);
    await sell(id);
    await jobs();
    await sell(id);
    await jobs();
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);

    const { goals, bonuses: earned } = await progress(id);
    expect(goals).toMatchObject([{ state: 'earned', value: '4' }]);
    const { referral } = (await t.admin.get(`/referrals/${earned[0].referral_id}`).expect(200)).body;
    expect(referral).toMatchObject({
      type: 'bonus',
      amount: 100,
      description: 'Goal three',
      provider: 'goals',
    });
    expect(referral.rules).toMatchObject({
      counted: [{ key: 'three', sentences: { en: 'Goal three: 3 of 3 reached = $100.00' } }],
      others: [],
    });
    const { events } = (await t.admin.get('/events?type[]=bonus.earned').expect(200)).body;
    expect(events).toMatchObject([{ type: 'bonus.earned', data: { amount: 100, type: 'bonus' } }]);

    await jobs(20 * DAY); // February
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);
    for (let n = 0; n < 3; n += 1) await sell(id);
    await jobs();
    expect(await bonuses(id)).toHaveLength(2);
  });

  it('count sales, their value, leads and customers, of those in scope only', async () => {
    const { id } = await t.records.affiliate();
    const bob = await t.records.affiliate({ user_id: 3 });
    await activate([
      goal(
        'value',
        { metric: 'amount', at_least: '25.50', window: 'quarter' },
        { reward: { kind: 'flat', value: 7 } },
      ),
      goal(
        'buyers',
        { metric: 'customers', at_least: 2, window: '30_days' },
        { reward: { kind: 'flat', value: 5 } },
      ),
      goal(
        'leads',
        { metric: 'leads', at_least: 1, window: 'all_time' },
        { reward: { kind: 'flat', value: 3 } },
      ),
      goal(
        'bobs',
        { at_least: 1 },
        { scope: 'affiliate', scope_ids: [bob.id], reward: { kind: 'flat', value: 1 } },
      ),
    ]);
    const customer = (email: string) => ({ customer: { email } });
    await sell(id, '12', customer('a@x.test'));
    await sell(id, '13.39', customer('a@x.test'));
    await jobs();
    expect((await progress(id)).goals.map((each: { value: string }) => each.value)).toEqual([
      '25.39',
      '1',
      '0',
    ]);
    expect(await bonuses(id)).toEqual([]);
    await sell(id, '0.11', customer('b@x.test'));
    const lead = { provider: 'app', reference: 1, kind: 'signup', affiliate: id, ...customer('c@x.test') };
    await t.service.conversions.lead(null, lead);
    await jobs();
    expect((await bonuses(id)).map(([amount]) => Number(amount)).toSorted((a, b) => a - b)).toEqual([
      3, 5, 7,
    ]);
    expect(await bonuses(bob.id)).toEqual([]);
  });

  it('are taken back by refunds, come back with the sales, and stay as a person decided', async () => {
    const { id } = await t.records.affiliate();
    await activate([goal('three')]);
    const first = await sell(id);
    await sell(id);
    await sell(id);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);
    await refund(first);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'rejected']]);
    expect((await progress(id)).goals).toMatchObject([{ state: 'taken_back', value: '2' }]);
    await sell(id);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);

    const [bonus] = (await progress(id)).bonuses;
    await t.admin
      .patch(`/referrals/${bonus.referral_id}`)
      .send({ status: 'rejected', reject_reason: 'x' })
      .expect(200);
    await sell(id);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'rejected']]);
    expect((await progress(id)).goals).toMatchObject([{ state: 'refused' }]);
  });

  it('are clawed back after they were paid, and paid again when the goal is reached once more', async () => {
    const { id } = await t.records.affiliate();
    await activate([goal('three')]);
    const paid = [await sell(id), await sell(id), await sell(id)];
    await jobs();
    const payout = await t.records.payout();
    await t.admin
      .patch(`/payouts/${payout.id}/transactions/bulk-action`)
      .send({ action: 'mark_as_paid' })
      .expect(200);
    await refund(paid[0] as string);
    await jobs();
    const owed = async () => (await t.service.affiliates.get(id)).unpaid_earnings_minor;
    expect(await bonuses(id)).toEqual([[100, 'paid']]);
    expect(await owed()).toBe(-10_000 - 200);
    await sell(id);
    await jobs();
    expect(await owed()).toBe(-200 + 200);
    expect((await progress(id)).goals).toMatchObject([{ state: 'earned', value: '3' }]);
  });

  it('are shown to their affiliate, with the rules that count and those behind each amount', async () => {
    const { id } = await t.records.affiliate();
    const bob = await t.records.affiliate({ user_id: 3 });
    const percent = (key: string, affiliate: number): object => ({
      key,
      title: `Deal ${key}`,
      event: 'sale',
      scope: 'affiliate',
      scope_ids: [affiliate],
      reward: { kind: 'percent', value: 30 },
    });
    await activate([goal('one', { at_least: 1 }), percent('mine', id), percent('bobs', bob.id)]);
    await sell(id, '50', { coupon: 'SECRET', customer: { email: 'buyer@x.test' } });
    await jobs();
    const alice = t.as(2);
    const { terms, progress: own } = (await alice.get('/portal/rewards').expect(200)).body;
    expect(terms.rules.map(({ key }: { key: string }) => key)).toEqual(['one', 'mine']);
    expect(own).toEqual(await progress(id));
    const { earnings } = (await alice.get('/portal/earnings').expect(200)).body;
    expect(
      earnings.data.map((row: { type: string; rules: object[] }) => [row.type, row.rules]),
    ).toMatchObject([
      [
        'bonus',
        [{ en: 'Goal one: 1 of 1 reached = $100.00', de: 'Goal one: 1 von 1 erreicht = 100,00\u00a0$' }],
      ],
      ['sale', [{ en: 'Deal mine: 30% of $50.00 = $15.00' }]],
    ]);
    expect(JSON.stringify(earnings)).not.toMatch(/SECRET|buyer@|bobs/u);
    await t.as(4).get('/portal/rewards').expect(422);
  });

  it('of a group are paid to who comes into it, and to who is active again', async () => {
    const gold = await t.records.group();
    const { id } = await t.records.affiliate();
    await activate([goal('gold', { at_least: 2 }, { scope: 'group', scope_ids: [gold.id] })]);
    await sell(id);
    await sell(id);
    for (let at = 0; at < 4; at += 1) await jobs(30 * MINUTE); // the sales were looked at long ago
    await t.admin.patch(`/affiliates/${id}`).send({ status: 'inactive', group_id: gold.id }).expect(200);
    await jobs();
    expect(await bonuses(id)).toEqual([]);
    await t.admin.patch(`/affiliates/${id}`).send({ status: 'active' }).expect(200);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);
    await t.admin.patch(`/affiliates/${id}`).send({ group_id: null }).expect(200);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);
  });

  it('that pay once do so in the first window that stands', async () => {
    const { id } = await t.records.affiliate();
    await activate([goal('once', { repeat: 'once', at_least: 2 })]);
    const first = await sell(id);
    await sell(id);
    await jobs();
    await jobs(20 * DAY); // February
    await sell(id);
    await sell(id);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'unpaid']]);
    await refund(first);
    await jobs();
    expect((await bonuses(id)).toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual([
      [100, 'rejected'],
      [100, 'unpaid'],
    ]);
    await jobs();
    expect(await bonuses(id)).toHaveLength(2);
  });

  it('count the orders of both after a merge', async () => {
    const alice = await t.records.affiliate();
    const bob = await t.records.affiliate({ user_id: 3 });
    await activate([goal('three')]);
    await sell(alice.id);
    await sell(alice.id);
    await sell(bob.id);
    await jobs();
    expect(await bonuses(alice.id)).toEqual([]);
    await t.admin.post(`/affiliates/${alice.id}/merge`).send({ other_id: bob.id }).expect(200);
    expect(await bonuses(alice.id)).toEqual([[100, 'unpaid']]);
  });

  it('go on being checked when their rule is gone', async () => {
    const { id } = await t.records.affiliate();
    await activate([goal('three', { at_least: 1 })]);
    const first = await sell(id);
    await jobs();
    await activate([goal('other', { at_least: 9 })]);
    await refund(first);
    await jobs();
    expect(await bonuses(id)).toEqual([[100, 'rejected']]);
  });

  it('keep the books right whatever happens to their orders', async () => {
    const alice = await t.records.affiliate();
    await activate([goal('two', { at_least: 2 }), goal('value', { metric: 'amount', at_least: 30 })]);
    const sold: string[] = [];
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    for (let step = 0; step < 25; step += 1) {
      const what = next(5);
      if (what < 2 || sold.length === 0) sold.push(await sell(alice.id));
      else if (what === 2) await refund(sold[next(sold.length)] as string);
      else if (what === 3)
        await t.admin.post('/payouts/process-payout').send({ config: { title: 'Run', description: 'Run' } });
      else {
        const { payouts } = (await t.admin.get('/payouts').expect(200)).body;
        if (payouts.data[0]) await t.admin.post(`/payouts/${payouts.data[0].id}/undo`).send({});
      }
      await jobs();
      const { goals } = await progress(alice.id);
      for (const { state, value, at_least: least } of goals)
        expect([value, state === 'earned']).toEqual([value, Number(value) >= Number(least)]);
      expect(await t.service.ledger.verify()).toEqual([]);
    }
  }, 60_000);
});

describe('levels', () => {
  const levelsOf = (groups: readonly number[], more: object = {}): object => ({
    levels: {
      metric: 'sales',
      window: 'month',
      steps: groups.map((group, at) => ({ group, at_least: at * 2 })),
      ...more,
    },
  });
  const groupOf = async (id: number): Promise<number | null> =>
    (await t.admin.get(`/affiliates/${id}`).expect(200)).body.affiliate.group_id;
  const february = 17 * DAY;

  it('move affiliates by the month that ended, with history, an event and a mail', async () => {
    const [bronze, silver, gold] = [
      await t.records.group(),
      await t.records.group(),
      await t.records.group(),
    ];
    const { id } = await t.records.affiliate({ group_id: bronze.id });
    await activate([], levelsOf([bronze.id, silver.id, gold.id], { down: true, grace_days: 5 }));
    for (let n = 0; n < 5; n += 1) await sell(id);
    await jobs();
    expect(await groupOf(id)).toBe(bronze.id); // the month is not over
    expect((await progress(id)).level).toMatchObject({ current: 0, reached: 2, value: '5', pinned: 'no' });
    await jobs(february);
    expect(await groupOf(id)).toBe(gold.id);
    const { level } = await progress(id);
    expect(level).toMatchObject({
      current: 2,
      value: '0',
      history: [{ window: '2026-01', from_group: bronze.id, to_group: gold.id, metric: 'sales', value: '5' }],
    });
    await jobs(); // events are put in line
    const { events } = (await t.admin.get('/events?type[]=affiliate.level_changed').expect(200)).body;
    expect(events).toMatchObject([{ data: { group_id: gold.id }, previous: { group_id: bronze.id } }]);

    await sell(id);
    await sell(id);
    await jobs(28 * DAY); // the first of March: the days of grace
    expect(await groupOf(id)).toBe(gold.id);
    await jobs(6 * DAY);
    expect(await groupOf(id)).toBe(silver.id);
    await jobs();
    expect((await progress(id)).level.history).toHaveLength(2);
  });

  it('leave alone whom a person pinned', async () => {
    const [low, high] = [await t.records.group(), await t.records.group()];
    const { id } = await t.records.affiliate({ group_id: low.id });
    await activate([], levelsOf([low.id, high.id], { window: 'all_time' }));
    await t.admin.post(`/affiliates/${id}/level`).send({ pinned: 'yes' }).expect(200);
    await sell(id);
    await sell(id);
    await jobs(DAY);
    expect(await groupOf(id)).toBe(low.id);
    expect((await progress(id)).level).toMatchObject({ pinned: 'yes' });
    await t.admin.post(`/affiliates/${id}/level`).send({ pinned: 'no' }).expect(200);
    await jobs(DAY);
    expect(await groupOf(id)).toBe(high.id);
  });

  it('are refused with a group that does not exist, or steps in no order', async () => {
    const group = await t.records.group();
    const draft = async (more: object) =>
      (await t.admin.post('/reward-rules').send({ rules: [], ...more })).body;
    const { reward_rules: set } = await draft(levelsOf([group.id, 999]));
    const { body } = await t.admin
      .post(`/reward-rules/${set.id}/activate`)
      .send({ without_simulation: true })
      .expect(422);
    expect(body.errors).toEqual({ '/levels/steps/1/group': { exists: 'There is no such group.' } });
    const steps = [
      { group: group.id, at_least: 2 },
      { group: group.id, at_least: 2 },
    ];
    const wrong = await draft(levelsOf([], { steps, window: 'all_time', grace_days: 3 }));
    expect(Object.keys(wrong.errors as object)).toEqual(['/levels/grace_days', '/levels/steps/1/at_least']);
  });
});
