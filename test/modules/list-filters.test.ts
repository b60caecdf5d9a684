import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate } from '../support/payouts.js';

// Days of creation on the site's calendar, an affiliate, and what a search finds:
// on every list of records and its export.

const DAY = 86_400_000;
/** New York: the day begins at 05:00 UTC. */
const NOON = Date.UTC(2026, 0, 15, 17);
const LATE = Date.UTC(2026, 0, 16, 4, 59, 59);
const NEXT = Date.UTC(2026, 0, 16, 5);

let t: TestApp;
let alice: number;
let bob: number;

beforeAll(async () => {
  t = await startApp({ timeZone: 'America/New_York', shared: true });
  t.clock.time = NOON;
  alice = (await affiliate(t, 2)).id;
  t.clock.time = NEXT;
  bob = (await affiliate(t, 3)).id;
  const sales = [
    { at: NOON, affiliate: alice, reference: 'A-71', email: 'zoe@mail.test' },
    { at: LATE, affiliate: bob, reference: 'B-72', email: 'yan@mail.test' },
    { at: NEXT, affiliate: bob, reference: 'B-73', email: 'xia@mail.test' },
  ];
  for (const { at, affiliate: owner, reference, email } of sales) {
    t.clock.time = at;
    const visit = await t.records.visit({ affiliate_id: owner });
    const order = { provider: 'shop', reference, order: { subtotal: 100 }, customer: { email } };
    const from = owner === alice ? { visit_id: visit.id } : { affiliate: owner };
    await t.service.conversions.record(null, { ...order, status: 'unpaid', ...from });
  }
  t.clock.time = NEXT + DAY;
  await t.records.payout();
});

afterAll(() => t.close());

const idsOf = async (path: string, key: string): Promise<number[]> => {
  const { body } = await t.admin.get(path).expect(200);
  const rows: { id: number; affiliate_id: number }[] = Array.isArray(body[key]) ? body[key] : body[key].data;
  return rows.map((row) => row.id ?? row.affiliate_id).toSorted((a, b) => a - b);
};

it.each([
  ['/visits', 'visits'],
  ['/visits/export?format=json', 'visits'],
  ['/referrals', 'referrals'],
  ['/referrals/export?format=json', 'referrals'],
])('%s has the days of the site, the last one included', async (path, key) => {
  const of = (query: string): Promise<number[]> =>
    idsOf(`${path}${path.includes('?') ? '&' : '?'}${query}`, key);

  expect(await of('date_from=2026-01-15&date_to=2026-01-15')).toEqual([1, 2]);
  expect(await of('date_from=2026-01-16')).toEqual([3]);
  expect(await of('date_to=2026-01-14')).toEqual([]);
  expect(await of('date_from=&date_to=')).toEqual([1, 2, 3]);
  expect(await of(`affiliate_id=${bob}`)).toEqual([2, 3]);
  expect(await of(`affiliate_id=${bob}&date_to=2026-01-15`)).toEqual([2]);
});

it('narrows affiliates, customers, payouts and transactions the same way', async () => {
  const day = 'date_from=2026-01-15&date_to=2026-01-15';
  expect(await idsOf(`/affiliates?${day}`, 'affiliates')).toEqual([alice]);
  expect(await idsOf(`/affiliates/export?format=json&${day}`, 'affiliates')).toEqual([alice]);
  expect(await idsOf(`/affiliates?affiliate_id=${bob}`, 'affiliates')).toEqual([bob]);
  expect(await idsOf(`/customers?${day}`, 'customers')).toEqual([1, 2]);
  expect(await idsOf(`/customers?affiliate_id=${bob}`, 'customers')).toEqual([2, 3]);
  expect(await idsOf('/payouts?date_from=2026-01-17', 'payouts')).toEqual([1]);
  expect(await idsOf(`/payouts?${day}`, 'payouts')).toEqual([]);
  expect(await idsOf(`/payouts?affiliate_id=${alice}`, 'payouts')).toEqual([1]);
  expect(await idsOf('/payouts?affiliate_id=99', 'payouts')).toEqual([]);
  expect(await idsOf(`/payouts/1/transactions?affiliate_id=${bob}`, 'transactions')).toHaveLength(1);
  expect(await idsOf('/payouts/1/transactions?date_to=2026-01-16', 'transactions')).toEqual([]);
  expect(
    await idsOf(`/payouts/1/transactions-export?format=json&affiliate_id=${bob}`, 'transactions'),
  ).toEqual([bob]);
  expect(await idsOf(`/affiliates/${bob}/referrals?date_to=2026-01-15`, 'referrals')).toEqual([2]);
  expect(await idsOf(`/affiliates/${bob}/visits?date_from=2026-01-16`, 'visits')).toEqual([3]);
});

it('adds up what is filtered', async () => {
  const totals = async (path: string): Promise<unknown> => (await t.admin.get(path).expect(200)).body.totals;
  const day = 'date_from=2026-01-15&date_to=2026-01-15';
  const [first] = (await t.admin.get('/referrals?search=A-71').expect(200)).body.referrals.data;

  expect(await totals('/referrals/totals?search=A-71')).toEqual([
    {
      currency: first.currency,
      count: 1,
      amount: first.amount,
      counted_amount: first.amount,
      order_total: first.order_total,
    },
  ]);
  expect(await totals(`/referrals/totals?${day}`)).toMatchObject([{ count: 2, amount: 2 * first.amount }]);
  expect(await totals('/referrals/totals?search=nobody')).toEqual([]);
  expect(await totals(`/affiliates/totals?affiliate_id=${bob}`)).toEqual({
    count: 1,
    total_earnings: 2 * first.amount,
    unpaid_earnings: 0,
    balances: [expect.objectContaining({ currency: 'USD', on_its_way: 2 * first.amount, paid: 0 })],
  });
  expect(await totals('/affiliates/totals?search=carol')).toMatchObject({ count: 0, total_earnings: 0 });

  const { currency } = first;
  expect(await totals('/visits/totals')).toEqual({ count: 3, converted_count: 1 });
  expect(await totals(`/visits/totals?affiliate_id=${bob}`)).toEqual({ count: 2, converted_count: 0 });
  expect(await totals('/visits/totals?convert_status=not_converted')).toEqual({
    count: 2,
    converted_count: 0,
  });
  expect(await totals('/payouts/totals')).toEqual([
    { currency, count: 1, amount: 3 * first.amount, open_amount: 3 * first.amount },
  ]);
  expect(await totals('/payouts/totals?search=nobody')).toEqual([]);
  expect(await totals(`/customers/totals?affiliate_id=${bob}`)).toEqual({
    count: 2,
    bought: [{ currency, amount: 2 * first.amount, order_total: 2 * first.order_total }],
  });
  expect(await totals('/customers/totals?search=nobody')).toEqual({ count: 0, bought: [] });
});

it('hands out customers, groups, payouts, creatives and links as files', async () => {
  const csv = async (path: string): Promise<string[]> =>
    (await t.admin.get(path).expect(200)).text.trim().split('\n');

  const customers = await csv(`/customers/export?affiliate_id=${bob}`);
  expect(customers[0]).toBe('id,first_name,last_name,email,affiliate_id,affiliate_name,referrals,created_at');
  const mails = customers.slice(1).map((line) => line.split(',')[3] ?? '');
  expect(mails.toSorted()).toEqual(['xia@mail.test', 'yan@mail.test']);
  await t.admin
    .post('/groups/groups')
    .send({ meta_key: 'Gold', rate_type: 'percentage', rate: 20 })
    .expect(200);
  const { headers, text } = await t.admin.get('/groups/groups/export').expect(200);
  expect(headers['x-export-total']).toBe('1');
  expect(text).toMatch(
    /^id,name,status,rate_type,rate,affiliates,clicks,earned,notes\n\d+,Gold,active,percentage,20,0,0,0,/,
  );

  const [, payout, ...others] = await csv('/payouts/export');
  expect(payout).toMatch(/^1,.*,processing,.*,USD,\d+(?:\.\d+)?,2,2,3,"?2026-/);
  expect(others).toEqual([]);
  expect(await csv('/payouts/export?search=nobody')).toHaveLength(1);

  const creative = { type: 'text', text: 'Look', url: 'https://shop.test/mugs' };
  for (const name of ['Mugs', '=SUM(A1)'])
    await t.admin
      .post('/creatives/creatives')
      .send({ ...creative, name })
      .expect(200);
  const creatives = await csv('/creatives/creatives/export');
  expect(creatives[0]).toBe('id,name,type,status,privacy,url,description,starts_at,ends_at,created_at');
  expect(creatives[1]).toMatch(
    /^2,'=SUM\(A1\),text,active,public,https:\/\/shop\.test\/mugs,,,,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  );
  expect(await csv('/settings/creatives/export?search=mugs')).toHaveLength(3);
  expect(await csv('/settings/creatives/export?status=inactive')).toHaveLength(1);

  for (const id of [alice, bob])
    await t.admin
      .post('/settings/links')
      .send({ affiliate_id: id, slug: `to-${id}` })
      .expect(200);
  const links = await csv(`/settings/links/export?affiliate_id=${bob}`);
  expect(links[0]).toBe(
    'id,slug,link,target,affiliate_id,affiliate_name,creative_id,utm_campaign,status,created_at',
  );
  expect(links.slice(1).map((line) => line.split(',').slice(1, 6))).toEqual([
    [
      `to-${bob}`,
      `https://shop.test/go/to-${bob}`,
      expect.stringContaining('https://shop.test'),
      String(bob),
      expect.stringMatching(/^Bob/),
    ],
  ]);
  expect(await csv('/settings/links/export')).toHaveLength(3);
  await t.admin
    .post('/settings/links')
    .send({ affiliate_id: alice, slug: 'mugs', creative_id: 2 })
    .expect(200);
  const ofCreative = await t.admin.get('/settings/links?creative_id=2').expect(200);
  expect(ofCreative.body.links).toMatchObject({ total: 1, data: [{ slug: 'mugs' }] });
  expect(await csv('/settings/links/export?creative_id=2')).toHaveLength(2);
});

it('counts a list rightly on its first, its last and on no page', async () => {
  const page = async (query: string): Promise<unknown> => {
    const {
      total,
      last_page: last,
      data,
    } = (await t.admin.get(`/referrals?${query}`).expect(200)).body.referrals;
    return [total, last, data.length];
  };
  expect(await page('per_page=2')).toEqual([3, 2, 2]);
  expect(await page('per_page=2&page=2')).toEqual([3, 2, 1]);
  expect(await page('per_page=3')).toEqual([3, 1, 3]);
  expect(await page('per_page=2&page=9')).toEqual([3, 2, 0]);
  expect(await page('search=nobody')).toEqual([0, 1, 0]);
});

it('finds orders by number, buyers by e-mail address and affiliates by name', async () => {
  expect(await idsOf('/referrals?search=B-73', 'referrals')).toEqual([3]);
  expect(await idsOf('/referrals?search=YAN@mail', 'referrals')).toEqual([2]);
  expect(await idsOf('/referrals?search=bob', 'referrals')).toEqual([2, 3]);
  expect(await idsOf('/referrals/export?format=json&search=bob', 'referrals')).toEqual([2, 3]);
  expect(await idsOf('/visits?search=bob', 'visits')).toEqual([2, 3]);
  expect(await idsOf('/customers?search=B-73', 'customers')).toEqual([3]);
  expect(await idsOf('/customers?search=alice', 'customers')).toEqual([1]);
  expect(await idsOf('/payouts?search=bob', 'payouts')).toEqual([1]);
  expect(await idsOf('/payouts/1/transactions?search=bob', 'transactions')).toHaveLength(1);
  expect(await idsOf('/payouts?search=carol', 'payouts')).toEqual([]);
});

it('says what is wrong with a day or an id', async () => {
  const { body } = await t.admin.get('/visits?date_from=2026-02-30&affiliate_id=x').expect(422);
  expect(body.code).toBe('validation_failed');
  expect(Object.keys(body.errors)).toEqual(['date_from', 'affiliate_id']);
});
