import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import type { Wire } from '../support/records.js';
import { medusaShop, post, VENDORS, type VendorEvent } from '../support/vendors.js';

// Every provider, every way its deliveries can arrive: one referral or a refusal,
// and never a failure of ours (docs/reliability.md §5).

const ORDERS_OF_THREE: readonly (readonly VendorEvent[])[] = [
  ['created', 'paid', 'refunded'],
  ['created', 'refunded', 'paid'],
  ['paid', 'created', 'refunded'],
  ['paid', 'refunded', 'created'],
  ['refunded', 'created', 'paid'],
  ['refunded', 'paid', 'created'],
];
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

let t: TestApp;
let token: string;
const DELIVERIES = '/settings/integration/deliveries';
const start = async (provider: (typeof VENDORS)[number]['provider']): Promise<void> => {
  t = await startApp({ providers: [provider], shared: true });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  await t.admin
    .post('/settings/integration/update-status')
    .send({ integration: provider.key, is_enabled: 'yes' })
    .expect(200);
  token = await tokenOf(t, affiliate.id);
};
const finish = async (): Promise<void> => {
  expect(await t.service.verify()).toEqual([]);
  for (const status of ['failed', 'dead', 'processing'])
    expect((await t.admin.get(`${DELIVERIES}?status=${status}`).expect(200)).body.deliveries.data).toEqual(
      [],
    );
  await t.close();
};
const referrals = async (id: string): Promise<unknown[]> =>
  (
    await t.admin.get(`/referrals?search=${id}&order_by=id&order_type=ASC&per_page=100`).expect(200)
  ).body.referrals.data
    .filter((row: Wire) => String(row.provider_id) === id)
    .map((row: Wire) => [row.status, Math.round(row.amount * 100)]);

describe.each(VENDORS.map((vendor) => [vendor.key, vendor] as const))('deliveries of %s', (key, vendor) => {
  beforeAll(() => start(vendor.provider));
  afterAll(finish);
  let n = 100;
  let ids = 0;
  const order = (): { n: number; token: string } => ({ n: ++n, token });
  const send = (
    event: VendorEvent,
    of: { n: number; token: string },
    more: { id?: string; secret?: string; at?: number; change?: boolean } = {},
  ): Promise<number> => {
    const message = vendor.message(event, of, {
      at: more.at ?? t.clock.time,
      id: more.id ?? `d${++ids}`,
      ...(more.secret && { secret: more.secret }),
    });
    return post(
      t,
      key,
      more.change ? { ...message, body: message.body.replace('"currency":"', '"currency" :"') } : message,
    );
  };

  it.each(ORDERS_OF_THREE.map((event) => [event.join(', '), event] as const))(
    'each twice, as %s: one referral',
    async (_, steps) => {
      const of = order();
      for (const event of steps) {
        const id = `d${++ids}`;
        expect([await send(event, of, { id }), await send(event, of, { id })]).toEqual([200, 200]);
      }
      expect(await referrals(vendor.id(of.n))).toEqual([['unpaid', 900]]);
    },
  );

  it('twenty at once, the same and others: one referral', async () => {
    const of = order();
    const steps: readonly VendorEvent[] = ['created', 'paid', 'refunded', 'paid'];
    const answers = await Promise.all([
      ...times(10, () => send('paid', of, { id: 'same' })),
      ...times(10, (at) => send(steps[at % 4]!, of, { id: `at-once-${at % 7}-${at % 4}` })),
    ]);
    expect(answers).toEqual(times(20, () => 200));
    // Those that lost a race for the order are tried again later.
    t.clock.advance(3_600_000);
    await t.app.commerce.inbox.workDue();
    expect(await referrals(vendor.id(of.n))).toEqual([['unpaid', 900]]);
  });

  it.each([
    ['a wrong signature', { secret: vendor.wrong }],
    ['a changed byte', { change: true }],
    ...(vendor.timed
      ? ([
          ['an old time', { at: Date.UTC(2026, 0, 15, 14, 54, 59) }],
          ['a time to come', { at: Date.UTC(2026, 0, 15, 15, 5, 1) }],
        ] as const)
      : []),
  ] as const)('%s: refused, nothing stored', async (_, wrong) => {
    const of = order();
    const stored = async (): Promise<number> =>
      (await t.admin.get(DELIVERIES).expect(200)).body.deliveries.total;
    const before = await stored();
    expect([400, 401]).toContain(await send('paid', of, wrong));
    expect(await referrals(vendor.id(of.n))).toEqual([]);
    expect(await stored()).toBe(before);
  });
});

describe('events of medusa', () => {
  const shop = medusaShop();
  beforeAll(() => start(shop.provider));
  afterAll(finish);
  let n = 0;

  it.each(ORDERS_OF_THREE.map((event) => [event.join(', '), event] as const))(
    'each twice, as %s: one referral',
    async (_, steps) => {
      const of = { n: ++n, token };
      for (const event of [...steps, ...steps]) await shop.tell(event, of);
      expect(await referrals(`order_${of.n}`)).toEqual([['unpaid', 900]]);
    },
  );

  it('twenty at once: one referral', async () => {
    const of = { n: ++n, token };
    await Promise.all(times(20, (at) => shop.tell((['created', 'paid', 'refunded'] as const)[at % 3]!, of)));
    await t.app.commerce.inbox.workDue();
    expect(await referrals(`order_${of.n}`)).toEqual([['unpaid', 900]]);
  });
});
