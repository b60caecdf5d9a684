import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';

// Days of creation and an affiliate on the lists beside the records of list-filters.test.ts.

const DAY = 86_400_000;
/** New York: the day begins at 05:00 UTC. */
const LATE = Date.UTC(2026, 0, 16, 4, 59, 59);
const NEXT = Date.UTC(2026, 0, 16, 5);

let t: TestApp;
const owners: number[] = [];
let hook: number;

beforeAll(async () => {
  t = await startApp({
    shared: true,
    timeZone: 'America/New_York',
    stalePendingDays: 1,
    fraud: { selfReferral: 'flag' },
  });
  const { body } = await t.admin
    .post('/settings/webhooks')
    .send({ url: 'https://tools.example/hook', events: ['affiliate.merged'] })
    .expect(200);
  hook = body.webhook.id;
  for (const [at, userId] of [
    [LATE, 2],
    [NEXT, 3],
  ] as const) {
    t.clock.time = at;
    const { id } = await t.records.affiliate({ user_id: userId });
    owners.push(id);
    await t.admin
      .post('/groups/groups')
      .send({ meta_key: `Group ${id}`, rate_type: 'default' })
      .expect(200);
    await t.admin
      .post('/creatives/creatives')
      .send({ name: `Text ${id}`, type: 'text', text: 'Look', url: 'https://shop.test/mugs' })
      .expect(200);
    await t.admin
      .post('/settings/links')
      .send({ affiliate_id: id, slug: `to-${id}` })
      .expect(200);
    await t.records.visit({ affiliate_id: owners[0]! });
    await t.records.referral({
      affiliate_id: owners[0]!,
      amount: 10,
      status: 'unpaid',
      description: `Mug ${id}`,
    });
    await t.records.referral({ affiliate_id: id, amount: 1, status: 'pending', provider_id: `P-${id}` });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: `S-${id}`,
      affiliate: id,
      order: { subtotal: 100 },
      customer: { user_id: userId },
    });
    const times = { created_at: at, updated_at: at, next_attempt_at: at };
    for (const channel of ['mail', `webhook:${hook}`])
      await t.app.db('outbox').insert({
        channel,
        event: `${channel} ${at}`,
        recipient: 'x',
        kind: 'test',
        status: 'sent',
        ...times,
      });
    // sent and handled already, without the receiver and the shop of the entries
    await t.app.db('provider_deliveries').insert({
      provider: 'woo',
      delivery_key: String(at),
      status: 'done',
      received_at: at,
      updated_at: at,
    });
  }
  t.clock.time = NEXT + 3 * DAY;
});

afterAll(() => t.close());

const list = async (path: string, key: string, user = 1): Promise<Wire[]> => {
  const { body } = await t.as(user).get(path).expect(200);
  return body[key].data;
};
const FIRST = 'date_from=2026-01-15&date_to=2026-01-15';

it.each([
  ['/groups/groups', 'groups', 1],
  ['/creatives/creatives', 'creatives', 1],
  ['/settings/links', 'links', 1],
  ['/settings/tracking/fraud', 'events', 1],
  ['/settings/integration/deliveries', 'deliveries', 1],
  ['/settings/webhooks/:hook/deliveries', 'deliveries', 1],
  ['/portal/redirect-links', 'links', 2],
  ['/portal/visits', 'visits', 2],
  ['/portal/clicks', 'clicks', 2],
  ['/portal/referrals', 'referrals', 2],
  ['/portal/creatives', 'creatives', 2],
  ['/portal/material', 'material', 2],
])('%s has the days of the site, the last one included', async (route, key, user) => {
  const path = route.replace(':hook', String(hook));
  const count = async (query: string): Promise<number> => (await list(`${path}?${query}`, key, user)).length;
  const all = await count('per_page=200');
  const first = await count(FIRST);
  const later = await count('date_from=2026-01-16');

  expect(first).toBe(1);
  expect(first + later).toBe(all);
  expect(await count('date_to=2026-01-14')).toBe(0);
  await t.as(user).get(`${path}?date_from=2026-02-30`).expect(422);
});

it.each([
  ['/groups/groups', 'groups'],
  ['/creatives/creatives', 'creatives'],
  ['/settings/links', 'links'],
])('the export of %s has the same days', async (path, key) => {
  const exported = async (query: string): Promise<unknown[]> => {
    const { body } = await t.admin.get(`${path}/export?format=json&${query}`).expect(200);
    return body[key].map(({ id }: { id: number }) => id);
  };
  const [first, next] = (await list(path, key)).map(({ id }) => Number(id)).toSorted((a, b) => a - b);

  expect(await exported(FIRST)).toEqual([first]);
  expect(await exported('date_from=2026-01-16')).toEqual([next]);
  expect(await exported('date_to=2026-01-14')).toEqual([]);
});

it('narrows mails, changes, waiting commissions and the lines of a payout', async () => {
  const [alice = 0, bob = 0] = owners;
  const mails = await list(`/system/outbox?${FIRST}&status=sent`, 'entries');
  expect(new Set(mails.map(({ channel }) => channel))).toEqual(new Set(['mail', `webhook:${hook}`]));

  const changes = await list(`/audit?affiliate_id=${bob}`, 'entries');
  expect(new Set(changes.map((row) => [row.object_type, row.object_id].join()))).toEqual(
    new Set([`affiliate,${bob}`]),
  );
  const total = async (query: string): Promise<number> =>
    (await list(`/audit?per_page=200&${query}`, 'entries')).length;
  expect((await total(FIRST)) + (await total('date_from=2026-01-16'))).toBe(await total(''));
  expect(await total('day=2026-01-15&date_from=2026-01-16')).toBe(0);

  const waiting = async (query: string): Promise<unknown[]> =>
    (await list(`/referrals/stale?${query}`, 'referrals')).map((row) => row.affiliate_id);
  expect(await waiting(`affiliate_id=${bob}`)).toContain(bob);
  expect(await waiting(`affiliate_id=${bob}`)).not.toContain(alice);
  expect(await waiting(FIRST)).not.toContain(bob);
  expect(await waiting('search=nobody')).toEqual([]);

  const payout = await t.records.payout();
  const lines = async (query: string): Promise<unknown[]> =>
    (await list(`/payouts/${payout.id}/items?${query}`, 'items')).map((row) => row.amount);
  expect(await lines('')).toEqual([10, 10]);
  expect(await lines(`search=Mug+${bob}`)).toEqual([10]);
  expect(await lines('search=alice')).toEqual([10, 10]);
  expect(await lines(`affiliate_id=${bob}&search=alice`)).toEqual([]);
  expect(await lines('search=100%25')).toEqual([]);

  t.clock.time += DAY;
  expect(await list('/portal/payments?date_from=2026-01-19', 'payments', 2)).toHaveLength(1);
  expect(await list('/portal/payments?date_to=2026-01-18', 'payments', 2)).toEqual([]);
  expect(await list('/portal/earnings?date_to=2026-01-14', 'earnings', 2)).toEqual([]);
  expect((await list(`/portal/earnings?${FIRST}`, 'earnings', 2)).length).toBeGreaterThan(0);
  expect(await list('/portal/transactions?date_to=2026-01-18', 'transactions', 2)).toEqual([]);
});
