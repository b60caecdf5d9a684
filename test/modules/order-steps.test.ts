import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { memorySource } from '../imports/memory-source.js';
import { startMoney, type MoneyShop } from '../support/ways-in.js';

// The table of docs/tracking.md §5: which step of an order runs for which way in, as the hooks of the steps see it.

const STEPS = {
  check: /^formatted_order_data_by_/,
  attribute: /^checkout_affiliate$/,
  guard: /^should_process_referral$/,
  price: /^(?:commission|referral_data)$/,
};
type Ran = Record<keyof typeof STEPS | 'settle', boolean>;

/** The rows of the table: a step that does not run begins with a dash. */
function documented(): Map<string, Ran> {
  const [, table = ''] = readFileSync('docs/tracking.md', 'utf8').split('| Order from |');
  const rows = table.split('\n\n')[0]!.split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const [name = '', ...cells] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const [check, attribute, guard, price, settle] = cells.map((cell) => cell.startsWith('yes'));
      return [name, { check, attribute, guard, price, settle } as Ran];
    }),
  );
}

const imported = memorySource({
  affiliates: [{ id: '1', user: { email: 'bob@shop.test' }, status: 'active' }],
  referrals: [
    { id: '1', affiliate_id: '1', status: 'unpaid', amount: '20.00', created_at: '2025-12-01 10:00:00' },
  ],
});

const bonus = {
  key: 'first',
  title: 'First sale',
  event: 'bonus',
  reward: { kind: 'flat', value: 5 },
  goal: { metric: 'sales', at_least: 1, window: 'month' },
};

const RENEWALS = {
  enable_subscription_renewal: 'yes',
  renewal_rate_type: 'percentage',
  renewal_rate: '10',
  max_renewal_count: 3,
};

const WAYS: Readonly<Record<string, (t: MoneyShop) => Promise<unknown>>> = {
  '`conversions.record`': (t) => t.doors.code.order('A-1', { net: '100.00' }),
  'connected site': (t) => t.doors.site.order('A-1', { net: '100.00' }),
  'shop or payment system': (t) => t.doors.provider.order('A-1', { net: '100.00' }),
  'renewal of a subscription': async (t) => {
    await t.admin.post('/settings/referral-config').send({ referral_config: RENEWALS }).expect(200);
    const subscription = { id: 'S' };
    await t.doors.code.order('A-1', { net: '100.00', subscription });
    return async () =>
      t.doors.code.order('A-2', { net: '100.00', subscription: { ...subscription, phase: 'renewal' } });
  },
  lead: (t) =>
    t.service.conversions.lead(null, {
      provider: 'site',
      reference: '7',
      kind: 'signup',
      customer: { email: 'jo@buyer.test' },
      affiliate: t.affiliate.id,
    }),
  'goal (a bonus)': async (t) => {
    const { body } = await t.admin.post('/reward-rules').send({ rules: [bonus] });
    await t.admin.post(`/reward-rules/${body.reward_rules.id}/activate`).send({ without_simulation: true });
    await t.doors.code.order('A-1', { net: '100.00' });
    return async () => {
      t.clock.advance(120_000);
      await t.service.jobs.runDue();
    };
  },
  import: async (t) => {
    await t.app.imports.start('affiliate_wp', true);
    await t.app.imports.run('affiliate_wp');
  },
  'commission by hand': (t) =>
    t.admin
      .post('/referrals')
      .send({
        affiliate_id: t.affiliate.id,
        amount: '5.00',
        status: 'unpaid',
        type: 'sale',
        description: 'By hand',
      })
      .expect(200),
};

it('are all in the table', () => {
  expect(Object.keys(WAYS)).toEqual([...documented().keys()]);
});

it.each(Object.keys(WAYS))('of an order from %s are those of the table', async (name) => {
  const t = await startMoney({ migrators: [imported] });
  await t.admin
    .post('/settings/referral-config')
    .send({ referral_config: { lead_amount: 3 } })
    .expect(200);
  const called = new Set<string>();
  const { hooks } = t.service;
  const providers = ['shop', 'demo', 'site', 'goals', `site_${t.child.site_id}`];
  for (const hook of providers.map((key) => `formatted_order_data_by_${key}`))
    hooks.addFilter(hook as 'formatted_order_data_by_{provider}', (data) => {
      called.add(hook);
      return data;
    });
  for (const hook of [
    'checkout_affiliate',
    'should_process_referral',
    'commission',
    'referral_data',
  ] as const)
    hooks.addFilter(hook, () => {
      called.add(hook);
      return undefined; // changes nothing
    });
  const more = await WAYS[name]!(t);
  if (typeof more === 'function') {
    called.clear();
    await more();
  }
  const ran = Object.entries(STEPS).map(([step, hook]) => [
    step,
    [...called].some((each) => hook.test(each)),
  ]);
  const { body } = await t.admin.get('/referrals?order_by=id&order_type=DESC&per_page=1').expect(200);
  const [{ amount }] = body.referrals.data;
  expect({ ...Object.fromEntries(ran), settle: amount > 0 }).toEqual(documented().get(name));
  expect(await t.service.verify()).toEqual([]);
});
