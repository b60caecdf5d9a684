import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { ConversionInput } from '../../src/attribution/conversions/types.js';
import { startApp, type TestApp } from '../support/app.js';
import { configure } from '../support/shop.js';
import { cookieOf, NAVIGATION } from '../support/tracker.js';

const DAY = 86_400_000;
const percent = (key: string, value: number | string, more: object = {}): object => ({
  key,
  title: key,
  event: 'sale',
  reward: { kind: 'percent', value },
  ...more,
});

async function draft(t: TestApp, rules: readonly object[], more: object = {}): Promise<number> {
  const { body } = await t.admin.post('/reward-rules').send({ rules, ...more });
  expect(body).toMatchObject({ reward_rules: { state: 'draft' } });
  return (body as { reward_rules: { id: number } }).reward_rules.id;
}
const activate = (t: TestApp, id: number, more: object = { without_simulation: true }) =>
  t.admin.post(`/reward-rules/${id}/activate`).send(more);

describe('rule sets', () => {
  it('are drafts, count once they are active, and retire when the next one does', async () => {
    const t = await startApp();
    const first = await draft(t, [percent('all', '12.50')]);
    await t.admin.patch(`/reward-rules/${first}`).send({ note: 'Spring' }).expect(200);
    expect((await activate(t, first)).body.reward_rules).toMatchObject({
      version: 1,
      state: 'active',
      note: 'Spring',
      effective_from: '2026-01-15T15:00:00+00:00',
      rules: [{ reward: { kind: 'percent', value: '12.5' }, scope: 'program', when: null, priority: 0 }],
    });
    for (const call of [
      t.admin.patch(`/reward-rules/${first}`).send({ note: 'x' }),
      t.admin.delete(`/reward-rules/${first}`),
      activate(t, first),
    ])
      expect((await call.expect(422)).body.code).toBe('reward_rules_not_draft');

    const { body } = await t.admin.post('/reward-rules').send({ from: first }).expect(200);
    expect(body.reward_rules).toMatchObject({ version: 2, state: 'draft', rules: [{ key: 'all' }] });
    const from = t.clock.now() + DAY;
    await activate(t, body.reward_rules.id, { without_simulation: true, effective_from: from }).expect(200);
    expect((await t.service.rewards.at(t.clock.now()))?.id).toBe(first);
    expect((await t.service.rewards.at(from))?.version).toBe(2);
    const { data } = (await t.admin.get('/reward-rules').expect(200)).body.reward_rules;
    expect(data).toMatchObject([
      { version: 2, state: 'active' },
      { version: 1, state: 'retired', effective_until: '2026-01-16T15:00:00+00:00' },
    ]);

    await t.admin.post(`/reward-rules/${first}/retire`).expect(422);
    t.clock.advance(2 * DAY);
    await t.admin.post(`/reward-rules/${body.reward_rules.id}/retire`).expect(200);
    expect(await t.service.rewards.at(t.clock.now())).toBeNull();
    expect((await t.service.rewards.at(from))?.version).toBe(2);
  });

  it('may be deleted while they are drafts', async () => {
    const t = await startApp();
    const id = await draft(t, []);
    await t.admin.delete(`/reward-rules/${id}`).expect(200);
    await t.admin.get(`/reward-rules/${id}`).expect(404);
  });

  it('name each mistake by its JSON pointer', async () => {
    const t = await startApp();
    const nested = (depth: number): object =>
      depth === 0 ? { fact: 'order.total', op: 'gt', value: 1 } : { not: nested(depth - 1) };
    const rules = [
      percent('a', 501),
      percent('a', 10, { when: { all: [{ fact: 'order.totl', op: 'eq', value: 1 }] } }),
      percent('b', 10, { when: { fact: 'order.coupon', op: 'gt', value: 'X' } }),
      percent('c', 10, { when: { fact: 'order.total', op: 'gt', value: 'lots' } }),
      percent('d', 10, { when: nested(8) }),
      percent('e', 10, {
        when: { any: Array.from({ length: 100 }, () => ({ fact: 'order.total', op: 'gt', value: 1 })) },
      }),
      percent('f', 10, { event: 'sold', scope: 'group', color: 'red' }),
      percent('g', 10, { event: 'renewal', reward: { kind: 'percent', value: 10, months: 0 } }),
      percent('h', 10, {
        when: { fact: 'each_item.product', op: 'eq', value: '1' },
        reward: { kind: 'flat', value: 5, cap: { month: 10, week: 3 } },
      }),
      percent('i', 10, { event: 'bonus' }),
      'rule',
    ];
    const { body } = await t.admin.post('/reward-rules').send({ rules }).expect(422);
    expect(Object.keys(body.errors as object).toSorted()).toEqual([
      '/rules/0/reward/value',
      '/rules/1/key',
      '/rules/1/when/all/0/fact',
      '/rules/10',
      '/rules/2/when/op',
      '/rules/3/when/value',
      '/rules/4/when/not/not/not/not/not/not/not/not',
      '/rules/5/when/any/99',
      '/rules/6',
      '/rules/6/event',
      '/rules/6/scope_ids',
      '/rules/7/reward/months',
      '/rules/8/reward/cap',
      '/rules/8/reward/cap/month',
      '/rules/8/reward/cap/week',
      '/rules/9/goal',
      '/rules/9/goal/at_least',
      '/rules/9/goal/metric',
      '/rules/9/goal/window',
      '/rules/9/reward/kind',
    ]);
  });

  it('are refused when two rules of one priority can match the same order', async () => {
    const t = await startApp();
    const coupon = (op: string, value: string | string[]) => ({ when: { fact: 'order.coupon', op, value } });
    const total = (op: string, value: number) => ({ when: { all: [{ fact: 'order.total', op, value }] } });
    const both = await draft(t, [percent('one', 10), percent('two', 20, coupon('eq', 'X'))]);
    const { body } = await activate(t, both).expect(422);
    expect(body).toMatchObject({ code: 'reward_rules_undecided', data: { pairs: [['one', 'two']] } });
    const apart = await draft(t, [
      percent('one', 10, { priority: 1 }),
      percent('x', 20, coupon('eq', 'X')),
      percent('others', 20, { when: { all: [coupon('not_in', ['x', 'y']).when, total('lt', 10).when] } }),
      percent('large', 20, { when: { all: [coupon('not_in', ['x']).when, total('gte', 10).when] } }),
      percent('renewals', 5, { event: 'renewal' }),
      percent('group', 5, { scope: 'group', scope_ids: [1, 2] }),
      percent('other group', 5, { key: 'other', scope: 'group', scope_ids: [3] }),
    ]);
    await activate(t, apart).expect(200);
  });

  it('need a simulation or a confirmation, and a second person where payouts do', async () => {
    const t = await startApp();
    const id = await draft(t, [percent('all', 10)]);
    expect((await activate(t, id, {}).expect(422)).body.code).toBe('simulation_required');
    expect((await activate(t, id, { simulation: 'x' }).expect(422)).body.code).toBe('simulation_outdated');
    await activate(t, id, { without_simulation: true, effective_from: 1 }).expect(422);
    await t.admin.post('/settings/program-rules').send({ approval_above: 100 }).expect(200);
    expect((await activate(t, id).expect(403)).body.code).toBe('approval_required');
    t.host.addUser({ id: 9, login: 'second', capabilities: ['manage_options'] });
    await t.as(9).post(`/reward-rules/${id}/activate`).send({ without_simulation: true }).expect(200);
    const { data } = (await t.admin.get('/audit?object_type=reward_rules').expect(200)).body.entries;
    expect(data).toMatchObject([
      { action: 'reward_rules.activated', actor_id: 9, after: { without_simulation: true } },
      { action: 'reward_rules.created', actor_id: 1 },
    ]);
  });
});

describe('rules and orders', () => {
  const order = (subtotal: string, more: Partial<ConversionInput> = {}): ConversionInput => ({
    provider: 'shop',
    reference: `R${(orders += 1)}`,
    status: 'unpaid',
    order: { subtotal },
    ...more,
  });
  let orders = 0;
  async function start(rules: readonly object[]): Promise<{ t: TestApp; id: number }> {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    await activate(t, await draft(t, rules)).expect(200);
    return { t, id };
  }
  const amountOf = async (t: TestApp, input: ConversionInput): Promise<number | string> => {
    const { referral, reason } = await t.service.conversions.record(null, input);
    return referral?.amount ?? String(reason);
  };
  const item = (id: string, subtotal: string, more: object = {}) => ({ id, subtotal, ...more });
  const only = (product: string) => ({ when: { fact: 'each_item.product', op: 'eq', value: product } });

  it('ask the most specific scope first, then the priority, then the rates of before', async () => {
    const { t, id } = await start([
      percent('program', 5, { when: { fact: 'order.total', op: 'gte', value: 100 } }),
      percent('own', 30, {
        scope: 'affiliate',
        scope_ids: [1],
        when: { fact: 'order.coupon', op: 'eq', value: 'vip' },
      }),
      percent('large', 7.5, { priority: 5, when: { fact: 'order.total', op: 'gte', value: '200.00' } }),
    ]);
    const amount = (subtotal: string, more?: Partial<ConversionInput>) =>
      amountOf(t, order(subtotal, { affiliate: id, ...more }));
    expect(await amount('99.99')).toBe(20); // the program's 20 %
    expect(await amount('100')).toBe(5);
    expect(await amount('200.01')).toBe(15);
    expect(await amount('100', { coupon: 'VIP' })).toBe(30);
  });

  it('reward items by themselves, and let the rest fall to the next rule', async () => {
    const { t, id } = await start([
      percent('shoes', 50, { priority: 9, ...only('A') }),
      { key: 'piece', event: 'sale', reward: { kind: 'per_item', value: '1.5' }, priority: 8, ...only('B') },
      { key: 'sale', event: 'sale', reward: { kind: 'none' }, priority: 7, ...only('C') },
      {
        key: 'shared',
        event: 'sale',
        reward: { kind: 'flat', value: 1 },
        priority: 6,
        when: { fact: 'each_item.category', op: 'in', value: ['9'] },
      },
    ]);
    const items = [
      item('A', '10'),
      item('B', '10', { quantity: 3 }),
      item('C', '10'),
      item('D', '10', { categories: [9] }),
      item('E', '20', { categories: [9] }),
      item('F', '10'),
    ];
    const input = order('70', { affiliate: id, items });
    // 5 + 4.50 + 0 + 1 (once for D and E) + 20 % of 10
    expect(await amountOf(t, input)).toBe(12.5);
    const { referral } = await t.service.conversions.refund('shop', input.reference as string, {
      refund_id: 'r',
      items: [{ id: 'E', subtotal: '20' }],
    });
    expect(referral?.amount).toBe(11.83); // E has taken 0.67 of the flat reward
  });

  it('reward campaigns and single short links', async () => {
    const { t, id } = await start([
      percent('spring', 40, { scope: 'link', scope_ids: ['Spring'], priority: 1 }),
      percent('short', 50, { scope: 'link', scope_ids: [1], priority: 2 }),
      percent('all', 10),
    ]);
    const link = { slug: 'my-shoes', affiliate_id: id, url: 'https://shop.test/shoes' };
    expect((await t.admin.post('/settings/links').send(link).expect(200)).body.link.id).toBe(1);
    const other = { ...link, slug: 'other', utm_campaign: 'spring' };
    await t.admin.post('/settings/links').send(other).expect(200);
    const earned = async (path: string): Promise<number | string> => {
      const answer = await request(t.server).get(path).set(NAVIGATION).expect(302);
      await t.service.tracking.flush();
      t.clock.advance(DAY); // another click of this visitor counts
      const req = { headers: { cookie: cookieOf(answer) } };
      const { referral } = await t.service.conversions.record(req as never, order('100'));
      return referral?.amount ?? 'nothing';
    };
    expect(await earned('/go/my-shoes')).toBe(50);
    expect(await earned('/go/other')).toBe(40);
    expect(await amountOf(t, order('100', { affiliate: id }))).toBe(10);
  });

  it('stop before the rest when they say so, and cap what they give', async () => {
    const { t, id } = await start([
      percent('shoes', 50, { priority: 9, stop: true, ...only('A') }),
      percent('capped', 40, { reward: { kind: 'percent', value: 40, cap: { order: 3, month: 5 } } }),
    ]);
    const amount = (input: ConversionInput) => amountOf(t, { ...input, affiliate: id });
    expect(await amount(order('30', { items: [item('A', '10'), item('B', '20')] }))).toBe(5);
    const first = order('100');
    expect(await amount(first)).toBe(3);
    expect(await amount(order('100'))).toBe(2);
    expect(await amount(order('100'))).toBe('commission_cap');
    t.clock.advance(31 * DAY);
    expect(await amount(order('5'))).toBe(2);
    await t.service.conversions.refund('shop', first.reference as string, { refunded_total: '100' });
    const { referrals } = (await t.admin.get(`/affiliates/${id}/referrals`).expect(200)).body;
    expect(referrals.data.map((row: { amount: number; status: string }) => [row.amount, row.status])).toEqual(
      [
        [2, 'unpaid'],
        [2, 'unpaid'],
        [3, 'unpaid'],
        [0, 'rejected'],
        [5, 'unpaid'],
      ],
    );
  });

  it('stay with the order they were recorded with, also when it is edited', async () => {
    const { t, id } = await start([percent('shoes', 50, only('A'))]);
    const input = order('30', {
      affiliate: id,
      status: 'pending',
      items: [item('A', '10'), item('B', '20')],
    });
    expect(await amountOf(t, input)).toBe(9);
    await activate(t, await draft(t, [percent('all', 1)])).expect(200);
    await t.service.conversions.update('shop', input.reference as string, {
      order: { subtotal: '40' },
      items: [item('A', '20'), item('B', '20')],
    });
    const { referral } = await t.service.conversions.complete('shop', input.reference as string);
    expect(referral?.amount).toBe(14);
    expect(await amountOf(t, order('100', { affiliate: id }))).toBe(1);
    expect(await t.service.ledger.verify()).toEqual([]);
  });

  it('know new customers, earlier sales, months and payments of a subscription', async () => {
    const { t, id } = await start([
      percent('first', 30, { priority: 3, when: { fact: 'customer.is_new', op: 'eq', value: true } }),
      percent('third', 25, { priority: 2, reward: { kind: 'percent', value: 25, every: 3 } }),
      percent('known', 2, { priority: 1, when: { not: { fact: 'customer.is_new', op: 'eq', value: true } } }),
      percent('year', 10, {
        event: 'renewal',
        reward: { kind: 'percent', value: 10, months: 12, hold_days: 5 },
      }),
    ]);
    const amount = (input: ConversionInput) => amountOf(t, { ...input, affiliate: id });
    const buyer = { customer: { email: 'b@x.test' } };
    const subscription = { id: 's1' };
    expect(await amount(order('100', { ...buyer, subscription }))).toBe(30);
    expect(await amount(order('100', buyer))).toBe(2);
    expect(await amount(order('100', buyer))).toBe(25); // the third sale
    expect(await amount(order('100'))).toBe(20); // nobody knows the buyer, also not under `not`
    const renewal = { subscription: { id: 's1', phase: 'renewal' as const } };
    t.clock.advance(300 * DAY);
    const result = await t.service.conversions.record(null, order('100', renewal));
    expect(result.referral).toMatchObject({ amount: 10, payable_at: t.clock.now() + 5 * DAY });
    t.clock.advance(66 * DAY);
    expect(await amountOf(t, order('100', renewal))).toBe('renewals_disabled');
  });

  it('apply to a late order as of the time it was placed, also when they count the orders of a customer', async () => {
    const { t, id } = await start([
      percent('new', 30, { priority: 2, when: { fact: 'customer.is_new', op: 'eq', value: true } }),
      percent('spring', 5, { priority: 1, when: { fact: 'time.date', op: 'lt', value: '2026-01-20' } }),
    ]);
    t.clock.advance(10 * DAY);
    const late = (days: number): Promise<number | string> =>
      amountOf(
        t,
        order('100', {
          affiliate: id,
          customer: { email: 'late@x.test' },
          ordered_at: t.clock.now() - days * DAY,
        }),
      );
    expect(await late(8)).toBe(30);
    expect(await late(6)).toBe(5); // the one of eight days ago is known
    expect(await late(9)).toBe(30); // before both
    expect(await late(4)).toBe(20); // the program's rate
    expect(await late(0)).toBe(20);
    expect(await late(12)).toBe(20); // the rules did not count yet
  });

  it('cap what an affiliate earns from a customer, in a day, and in all; renewals so many payments', async () => {
    const capped = (key: string, coupon: string, cap: object): object =>
      percent(key, 50, {
        when: { fact: 'order.coupon', op: 'eq', value: coupon },
        reward: { kind: 'percent', value: 50, cap },
      });
    const { t, id } = await start([
      capped('customer', 'C', { customer: 8 }),
      capped('day', 'D', { day: 8 }),
      capped('all', 'A', { all_time: 8 }),
      percent('twice', 10, { event: 'renewal', reward: { kind: 'percent', value: 10, payments: 3 } }),
    ]);
    const sold = (coupon: string, buyer: string) =>
      amountOf(t, order('12', { affiliate: id, coupon, customer: { email: `${buyer}@x.test` } }));
    const sums: Record<string, (number | string)[]> = {};
    for (const coupon of ['C', 'D', 'A'])
      sums[coupon] = [await sold(coupon, 'one'), await sold(coupon, 'one'), await sold(coupon, 'two')];
    t.clock.advance(DAY);
    for (const coupon of ['C', 'D', 'A']) sums[coupon]!.push(await sold(coupon, 'one'));
    expect(sums).toEqual({
      C: [6, 2, 6, 'commission_cap'],
      D: [6, 2, 'commission_cap', 6],
      A: [6, 2, 'commission_cap', 'commission_cap'],
    });

    await amountOf(t, order('100', { affiliate: id, subscription: { id: 's' } }));
    const renewed = [];
    for (let at = 0; at < 3; at += 1)
      renewed.push(await amountOf(t, order('100', { subscription: { id: 's', phase: 'renewal' } })));
    expect(renewed).toEqual([10, 10, 'renewals_disabled']);
  });

  it('come before extensions, which may change their rate and amount', async () => {
    const { t, id } = await start([percent('all', 10)]);
    const seen: unknown[] = [];
    t.service.hooks.addFilter('commission_rate', (rate) => {
      seen.push(rate);
      return { ...rate, value: 120_000, source: 'contract' };
    });
    t.service.hooks.addFilter('commission', (amount) => amount + 1);
    const { referral } = await t.service.conversions.record(null, order('100', { affiliate: id }));
    expect(seen).toEqual([{ type: 'percentage', value: 100_000, source: 'rule:all' }]);
    expect(referral?.amount).toBe(12.01);
    const { rules } = (await t.admin.get(`/referrals/${referral!.id}`).expect(200)).body.referral;
    expect(rules).toMatchObject({
      counted: [
        { from: 'settings', key: 'contract', sentences: { en: 'contract: 12% of $100.00 = $12.00' } },
      ],
      others: [{ key: 'all', outcome: 'later' }],
    });
  });

  it('reward the first payment of a lead by rules of its own, before those for sales', async () => {
    const { t, id } = await start([
      { key: 'lead', event: 'lead', reward: { kind: 'flat', value: 1 } },
      { key: 'paid', title: 'Trial paid', event: 'activation', reward: { kind: 'flat', value: 5 } },
      percent('shoes', 50, { priority: 9, ...only('A') }),
      percent('new', 30, { priority: 3, when: { fact: 'customer.is_new', op: 'eq', value: true } }),
      percent('all', 10),
    ]);
    const customer = { email: 'trial@x.test' };
    await t.service.conversions.lead(null, {
      provider: 'app',
      reference: 1,
      kind: 'trial',
      affiliate: id,
      customer,
    });
    const first = order('100', { customer });
    const { referral } = await t.service.conversions.record(null, first);
    expect(referral).toMatchObject({ affiliate_id: id, amount: 5 });
    const { rules } = (await t.admin.get(`/referrals/${referral!.id}`).expect(200)).body.referral;
    expect(rules).toMatchObject({
      facts: { event: 'activation', 'customer.is_new': true },
      counted: [{ key: 'paid' }],
    });
    expect(rules.others.map((rule: { key: string; outcome: string }) => [rule.key, rule.outcome])).toEqual([
      ['shoes', 'no_match'],
      ['new', 'later'],
      ['all', 'later'],
    ]);
    expect(await amountOf(t, order('100', { customer, affiliate: id }))).toBe(10);
    expect(await amountOf(t, order('100', { affiliate: id, customer: { email: 'other@x.test' } }))).toBe(30);
  });

  it('can be tried on one order, and explain a recorded one', async () => {
    const rules = [
      percent('new', 30, { priority: 3, when: { fact: 'customer.is_new', op: 'eq', value: true } }),
      percent('gold', 15, {
        title: 'Gold',
        priority: 2,
        when: { fact: 'order.total', op: 'gte', value: 50 },
      }),
      percent('all', 5),
      percent('bobs', 9, { scope: 'affiliate', scope_ids: [999] }),
    ];
    const { t, id } = await start(rules);
    const body = { affiliate_id: id, order: { order: { subtotal: '90.00' } } };
    const { tried } = (await t.admin.post('/reward-rules/try').send(body).expect(200)).body;
    expect(tried).toMatchObject({ amount: 13.5, base: 90, currency: 'USD' });
    const draft = { ...body, rules: [percent('all', 50)] };
    expect((await t.admin.post('/reward-rules/try').send(draft).expect(200)).body.tried.amount).toBe(45);
    await t.admin
      .post('/reward-rules/try')
      .send({ ...body, set_id: 99 })
      .expect(404);
    await t.admin
      .post('/reward-rules/try')
      .send({ ...body, order: { discont: 1 } })
      .expect(422);

    const { referral } = await t.service.conversions.record(null, order('90', { affiliate: id }));
    const shown = (await t.admin.get(`/referrals/${referral?.id ?? 0}`).expect(200)).body.referral;
    expect(shown.rules).toMatchObject({
      version: 1,
      facts: { 'order.total': '90.00' },
      counted: [
        {
          key: 'gold',
          sentences: {
            en: 'Gold: 15% of $90.00 = $13.50',
            de: 'Gold: 15\u00a0% von 90,00\u00a0$ = 13,50\u00a0$',
          },
        },
      ],
      others: [
        {
          key: 'new',
          outcome: 'no_match',
          condition: { result: 'unknown', fact: 'customer.is_new', seen: [] },
        },
        { key: 'all', outcome: 'later' },
        { key: 'bobs', outcome: 'left_out', left_out: 'scope' },
      ],
    });
    expect(tried.rules.others).toEqual(shown.rules.others);
  });

  it('stand beside the rates of the settings, which are explained in the same words', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2, rate_type: 'percentage', rate: 8 });
    await configure(t, {
      enable_subscription_renewal: 'yes',
      renewal_rate_type: 'percentage',
      renewal_rate: 10,
      max_renewal_count: 12,
    });
    const countedFor = async (input: ConversionInput) => {
      const { referral } = await t.service.conversions.record(null, input);
      const { rules } = (await t.admin.get(`/referrals/${referral!.id}`).expect(200)).body.referral;
      expect(rules.others.filter(({ outcome }: { outcome: string }) => outcome === 'counted')).toEqual([]);
      return {
        version: rules.version,
        said: rules.counted.map((each: { from: string; key: string; sentences: { en: string } }) => [
          each.from,
          each.key,
          each.sentences.en,
        ]),
        french: rules.counted.at(-1).sentences.fr,
      };
    };
    const rates = [
      {
        object_type: 'product' as const,
        object_ids: ['A'],
        rate_e4: 150_000,
        rate_type: 'percentage' as const,
      },
      { object_type: 'category' as const, object_ids: ['c'], rate_e4: 25_000, rate_type: 'fixed' as const },
    ];
    const items = [item('A', '30'), item('B', '10', { categories: ['c'] }), item('C', '20')];
    const mixed = (more: Partial<ConversionInput> = {}): ConversionInput =>
      order('60', { affiliate: id, items, rules: rates, ...more });
    const subscription = { id: 's1' };
    expect(await countedFor(mixed({ subscription }))).toEqual({
      version: null,
      said: [
        ['settings', 'product', 'Rate of the product: 15% of $30.00 = $4.50'],
        ['settings', 'category', 'Rate of the category: $2.50 per product = $2.50'],
        ['settings', 'affiliate', 'Own rate: 8% of $20.00 = $1.60'],
      ],
      french: 'Taux propre : 8\u00a0% de 20,00\u00a0$US = 1,60\u00a0$US',
    });
    const renewal = order('50', { subscription: { ...subscription, phase: 'renewal' } });
    expect(await countedFor(renewal)).toMatchObject({
      said: [['settings', 'renewal', 'Rate for renewals: 10% of $50.00 = $5.00 (payment 2 of 12)']],
      french:
        'Taux pour les renouvellements : 10\u00a0% de 50,00\u00a0$US = 5,00\u00a0$US (paiement 2 sur 12)',
    });

    await activate(t, await draft(t, [percent('shoes', 50, only('C'))])).expect(200);
    expect((await countedFor(mixed())).said).toEqual([
      ['rules', 'shoes', 'shoes: 50% of $20.00 = $10.00'],
      ['settings', 'product', 'Rate of the product: 15% of $30.00 = $4.50'],
      ['settings', 'category', 'Rate of the category: $2.50 per product = $2.50'],
    ]);
    const given = await t.service.conversions.record(null, mixed({ commission: '3.21' }));
    const { rules } = (await t.admin.get(`/referrals/${given.referral!.id}`).expect(200)).body.referral;
    expect(rules).toMatchObject({ counted: [], others: [{ key: 'shoes' }] });

    const { data } = (await t.as(2).get('/portal/earnings').expect(200)).body.earnings;
    expect(data[0].rules).toEqual([]);
    expect(data[1].rules.map((sentences: { de: string }) => sentences.de)).toEqual([
      'shoes: 50\u00a0% von 20,00\u00a0$ = 10,00\u00a0$',
      'Satz des Produkts: 15\u00a0% von 30,00\u00a0$ = 4,50\u00a0$',
      'Satz der Kategorie: 2,50\u00a0$ je Produkt = 2,50\u00a0$',
    ]);
  });

  it('can be simulated over recorded orders; the active set gives back what was recorded', async () => {
    const rules = [
      percent('shoes', 50, { priority: 9, ...only('A') }),
      {
        key: 'piece',
        event: 'sale',
        reward: { kind: 'per_item', value: '0.333' },
        priority: 8,
        ...only('B'),
      },
      percent('large', 12.5, { priority: 2, when: { fact: 'order.total', op: 'gte', value: 100 } }),
      percent('capped', 7, {
        priority: 1,
        reward: { kind: 'percent', value: 7, cap: { order: 4, month: 9 } },
      }),
    ];
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    const set = await draft(t, rules);
    const sold = (input: ConversionInput) => amountOf(t, { ...input, affiliate: id });
    expect(await sold(order('50'))).toBe(10); // before there were rules
    t.clock.advance(DAY);
    await activate(t, set).expect(200);
    const mixed = [item('A', '10.01'), item('B', '3.33', { quantity: 3 }), item('C', '20')];
    const shipped = { order: { subtotal: '33.34', shipping: '5', tax: '2' }, items: mixed };
    const given = [order('0', shipped), order('120'), order('70'), order('99'), order('60'), order('10')];
    for (const each of given) await sold(each);
    await t.service.conversions.refund('shop', given[0]?.reference as string, {
      refund_id: 'r',
      items: [{ id: 'C', subtotal: '20' }],
    });
    const set_by_person = (await t.service.conversions.find('shop', given[1]?.reference as string))!;
    await t.admin.patch(`/referrals/${set_by_person.id}`).send({ amount: 1 }).expect(200);

    const run = async (of: number, from = '2026-01-01') => {
      await t.admin.post(`/reward-rules/${of}/simulate`).send({ from, to: '2026-01-31' }).expect(200);
      await t.app.operations.settled();
      return (await t.admin.get(`/reward-rules/${of}/simulation`).expect(200)).body.simulation;
    };
    const same = await run(set, '2026-01-16');
    expect(same).toMatchObject({ state: 'done', result: { unknown: [{ why: 'corrected', count: 1 }] } });
    expect(same.result.differences).toEqual([]);
    expect(same.result.totals).toMatchObject([{ before: 9, after: 9 }]); // the cap of the month

    const next = await draft(t, [percent('half', 50)]);
    const simulated = await run(next);
    expect(simulated.result).toMatchObject({
      totals: [{ currency: 'USD', orders: 6 }],
      months: [{ month: '2026-01', orders: 6 }],
      winners: [{ affiliate_id: id }],
      losers: [],
    });
    expect(simulated.result.differences).toHaveLength(6);
    expect(simulated.result.differences[0]).toMatchObject({
      after: 49.5,
      said_before: [{ en: 'capped: 7% of $99.00 = $4.00 (at most $4.00)' }],
    });
    const mixedRow = simulated.result.differences.find(
      (row: { said_before: object[] }) => row.said_before.length === 3,
    );
    expect(mixedRow).toMatchObject({
      said_before: [
        { en: 'shoes: 50% of $10.01 = $5.01' },
        { en: 'piece: $0.333 per item = $1.00' },
        {
          en: 'capped: 7% of $20.00 = $1.40',
          ar: expect.stringContaining('\u2068\u206620.00\u00a0US$\u2069\u2069'),
        },
      ],
      said_after: [{ en: 'half: 50% of $33.34 = $16.67' }],
    });
    expect(simulated.result.totals[0].after).toBe(151.17); // 25 + 6.67 + 35 + 49.5 + 30 + 5
    expect((await run(next)).hash).toBe(simulated.hash);
    await activate(t, next, { simulation: 'no' }).expect(422);
    await t.admin
      .patch(`/reward-rules/${next}`)
      .send({ rules: [percent('half', 51)] })
      .expect(200);
    await activate(t, next, { simulation: simulated.hash }).expect(422);
    const { hash } = await run(next);
    await activate(t, next, { simulation: hash }).expect(200);
  });

  it('are simulated with what earlier orders count, although no rule asked for it when they were recorded', async () => {
    const rules = [
      percent('new', 40, { priority: 3, when: { fact: 'customer.is_new', op: 'eq', value: true } }),
      percent('third', 30, { priority: 2, reward: { kind: 'percent', value: 30, every: 3 } }),
      percent('tier', 15, { priority: 1, when: { fact: 'affiliate.sales_month', op: 'gte', value: 2 } }),
      percent('start', 10),
      percent('paying', 60, { event: 'activation' }),
    ];
    /** The same orders, and what the affiliate earned for each by the rules of that time. */
    async function month(isActive: boolean): Promise<{ t: TestApp; set: number; earned: number[] }> {
      const t = await startApp();
      const { id } = await t.records.affiliate({ user_id: 2 });
      const set = await draft(t, rules);
      if (isActive) await activate(t, set).expect(200);
      const earned: number[] = [];
      const sell = async (more: Partial<ConversionInput> = {}): Promise<void> => {
        earned.push(Number(await amountOf(t, order('100', { affiliate: id, ...more }))));
      };
      const kim = { customer: { email: 'kim@x.test' } };
      await sell();
      await sell(kim);
      await sell(kim);
      await sell(kim); // at the same instant as the others
      await t.service.conversions.lead(null, {
        provider: 'crm',
        kind: 'signup',
        reference: 'L1',
        affiliate: id,
        customer: { email: 'lea@x.test' },
      });
      t.clock.advance(DAY);
      await sell({ customer: { email: 'lea@x.test' } });
      await sell({ customer: { email: 'lea@x.test' } });
      t.clock.advance(20 * DAY); // another month
      await sell();
      return { t, set, earned };
    }
    const lived = await month(true);
    expect(lived.earned).toEqual([10, 40, 30, 15, 60, 30, 10]);

    const { t, set, earned } = await month(false);
    expect(earned).toEqual([20, 20, 20, 20, 20, 20, 20]);
    await t.admin
      .post(`/reward-rules/${set}/simulate`)
      .send({ from: '2026-01-01', to: '2026-02-28' })
      .expect(200);
    await t.app.operations.settled();
    const { result } = (await t.admin.get(`/reward-rules/${set}/simulation`).expect(200)).body.simulation;
    const differences = result.differences as { referral_id: number; after: number; said_after: object[] }[];
    expect(differences.toSorted((a, b) => a.referral_id - b.referral_id).map(({ after }) => after)).toEqual(
      lived.earned,
    );
    expect(result).toMatchObject({ totals: [{ orders: 8, before: 140, after: 195 }], unknown: [] });
    expect(differences.find(({ after }) => after === 15)?.said_after).toMatchObject([
      { en: 'tier: 15% of $100.00 = $15.00' },
    ]);
  });

  it('show partners what they earn, in five languages, once the terms are public', async () => {
    const { t, id } = await start([
      percent('large', 15, {
        when: {
          all: [
            { fact: 'order.total', op: 'gte', value: 100 },
            { not: { fact: 'each_item.category', op: 'in', value: ['sale', 'gift'] } },
          ],
        },
      }),
      percent('own', 30, { scope: 'affiliate', scope_ids: [1] }),
    ]);
    await t.anonymous.get('/program/terms').expect(404);
    await t.admin.post('/reward-rules/terms').send({ public: 'yes' }).expect(200);
    const { terms } = (await t.anonymous.get('/program/terms').expect(200)).body;
    expect(terms).toMatchObject({ version: 1, base: { type: 'percentage', rate: 20 } });
    expect(terms.rules).toHaveLength(1);
    expect(terms.rules[0].sentences).toMatchObject({
      en: 'Sale: 15% if order total is at least $100.00 and (not (item: category is one of sale, gift))',
      de: 'Verkauf: 15\u00a0% wenn Bestellwert ist mindestens 100,00\u00a0$ und (nicht (Artikel: Kategorie ist eines von sale, gift))',
    });
    expect((await t.service.rewards.terms(id)).rules.map(({ key }) => key)).toEqual(['large', 'own']);
  });

  it('for campaigns, short links and sub IDs are in the terms of whom they concern, with their limits', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    const { id: other } = await t.records.affiliate({ user_id: 3 });
    const link = async (affiliate_id: number, slug: string): Promise<number> =>
      (await t.admin.post('/settings/links').send({ affiliate_id, slug }).expect(200)).body.link.id;
    const own = await link(id, 'alices-deal');
    const others = await link(other, 'bobs-deal');
    const rules = [
      percent('deal', 25, {
        scope: 'link',
        scope_ids: ['summer', own, others],
        reward: { kind: 'percent', value: 25, cap: { order: 40, month: 100 }, hold_days: 14 },
      }),
      percent('bobs', 30, { scope: 'link', scope_ids: [others], priority: 1 }),
      percent('source', 12, {
        when: {
          all: [
            { fact: 'order.sub2', op: 'eq', value: 'podcast' },
            { fact: 'order.campaign', op: 'ne', value: '' },
          ],
        },
      }),
      percent('shoes', 5, { ...only('A'), stop: true, priority: 9 }),
      { key: 'form', event: 'lead', reward: { kind: 'flat', value: 3 } },
    ];
    await activate(t, await draft(t, rules)).expect(200);
    const { terms } = (await t.as(2).get('/portal/rewards').expect(200)).body;
    expect(
      terms.rules.map((rule: { key: string; links: string[]; sentences: { en: string } }) => [
        rule.key,
        rule.links,
        rule.sentences.en,
      ]),
    ).toEqual([
      [
        'deal',
        ['summer', '/go/alices-deal'],
        'Sale: 25% with the campaign summer or through the short link /go/alices-deal; at most $40.00 per order; at most $100.00 a month; payable after 14 days',
      ],
      ['source', [], 'Sale: 12% if Sub-ID 2 is podcast and campaign is not –'],
      ['shoes', [], 'Sale: 5% if item: product is A; the rest of the order earns nothing'],
      ['form', [], 'Lead: $3.00 per lead'],
    ]);
    expect(terms.rules[0].sentences.de).toBe(
      'Verkauf: 25\u00a0% mit der Kampagne summer oder über den Kurzlink /go/alices-deal; höchstens 40,00\u00a0$ je Bestellung; höchstens 100,00\u00a0$ im Monat; zahlbar nach 14 Tagen',
    );
    expect((await t.service.rewards.terms()).rules.map(({ key }) => key)).toEqual([
      'source',
      'shoes',
      'form',
    ]);
  });

  it('are listed with the rates that apply where no rule fits: for sales, renewals and leads', async () => {
    const t = await startApp();
    const ratesOf = async (id?: number) =>
      (await t.service.rewards.terms(id)).rates.map(({ event, sentences }) => [event, sentences['en']]);
    expect(await ratesOf()).toEqual([['sale', 'Rate of the program: 20%']]);
    await configure(t, {
      enable_subscription_renewal: 'yes',
      renewal_rate_type: 'percentage',
      renewal_rate: 10,
      max_renewal_count: 12,
      enable_lifetime_commission: 'yes',
      lifetime_rate_type: 'fixed',
      lifetime_rate: 3,
      lead_amount: 2.5,
    });
    expect(await ratesOf()).toEqual([
      ['sale', 'Rate of the program: 20%'],
      ['sale', 'Rate for customers who come back: $3.00 per order'],
      ['renewal', 'Rate for renewals: 10% for 12 payments'],
      ['lead', 'Reward for leads: $2.50 per lead'],
    ]);
    const group = await t.records.group({
      enable_subscription_renewal: 'yes',
      renewal_rate_type: 'percentage',
      renewal_rate: 6,
      max_renewal_count: 0,
      renewal_max_months: 24,
    });
    const { id } = await t.records.affiliate({ user_id: 2, group_id: group.id });
    expect((await ratesOf(id))[2]).toEqual(['renewal', 'Rate for renewals: 6% for 24 months']);
    expect((await ratesOf(id))[0]).toEqual(['sale', 'Rate of the group: 25%']);
  });
});
