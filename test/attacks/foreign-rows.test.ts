import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { TABLES } from '../../adapters/database/tables.js';
import type { Route } from '../../src/platform/http/define-route.js';
import type { Schema } from '../../src/platform/http/normalize.js';
import { allRoutes } from '../../src/app/routes.js';
import { inMatchingOrder } from '../../src/platform/http/route-table.js';
import { startApp, type TestApp } from '../support/app.js';
import { smallestBody } from '../support/route-cases.js';
import { NAVIGATION } from '../support/tracker.js';

// Own rows only (docs/reliability.md §1, §5): every record of Bob's holds a mark,
// and nobody but the administrator ever reads it, whichever of his ids are sent, wherever they are put.

const MARK = 'zq7f3a';
/** What a row may be named by in a request. */
const NAMES = [
  'id',
  'ids[]',
  'affiliate_id',
  'affiliate_ids[]',
  'affiliate',
  'user_id',
  'user',
  'customer_id',
  'referral_id',
  'visit_id',
  'payout_id',
  'transaction_id',
  'group_id',
  'creative_id',
  'link_id',
  'site_id',
  'author',
  'owner_id',
  'filters[affiliate_id]',
  'where[affiliate_id]',
  'with',
  'include',
  'scope',
  'view_as',
];
/** Alice, another affiliate; Carol, whose affiliation waits; Dave, who has none; nobody. */
const CALLERS = [2, 4, 5, 0];
const COUNTERS = new Set(['rate_limits', 'job_leases', 'idempotency_keys']);

let t: TestApp;
let bob: { id: number };
/** Ids of Bob's rows. */
let foreign: number[];
const mounted = inMatchingOrder(allRoutes());

beforeAll(async () => {
  t = await startApp({ shared: true });
  await t.host.users.create?.({
    login: `bob-${MARK}`,
    email: `${MARK}@bob.test`,
    password: 'x',
    first_name: MARK,
    last_name: MARK,
    display_name: MARK,
  } as never);
  const [user] = await t.host.users.search(MARK, 1);
  const group = await t.records.group({ meta_key: `Group ${MARK}`, notes: MARK });
  bob = await t.records.affiliate({
    user_id: user?.id,
    group_id: group.id,
    payment_email: `pay-${MARK}@bob.test`,
    note: MARK,
    bank_details: MARK,
    custom_param: `p${MARK}`,
  });
  await t.app
    .db('affiliates')
    .where({ id: bob.id })
    .update({
      settings: JSON.stringify({ disable_new_ref_email: 'no', bank_details: MARK }),
      custom_fields: JSON.stringify({ url: MARK }),
    });
  const visit = await t.records.visit({
    affiliate_id: bob.id,
    url: `https://shop.test/${MARK}`,
    referrer: `https://${MARK}.test/`,
    utm_campaign: MARK,
    utm_source: MARK,
    utm_medium: MARK,
  });
  const order = (reference: string): Promise<unknown> =>
    t.service.conversions.record(null, {
      provider: 'shop',
      reference: `${reference}-${MARK}`,
      status: 'unpaid',
      description: MARK,
      affiliate: bob.id,
      order: { subtotal: 100 },
      customer: { email: `${MARK}@buyer.test`, first_name: MARK, last_name: MARK },
      items: [{ id: 1, title: MARK, subtotal: 100 }],
    });
  await order('A');
  const payout = await t.records.payout({ title: MARK, description: MARK });
  await order('B');
  const creative = (
    await t.admin
      .post('/creatives/creatives')
      .send({
        name: MARK,
        type: 'text',
        text: MARK,
        description: MARK,
        url: `https://shop.test/${MARK}`,
        privacy: 'private',
        status: 'active',
        affiliate_ids: [bob.id],
      })
      .expect(200)
  ).body.creative;
  const link = (
    await t.admin
      .post('/settings/links')
      .send({ slug: MARK, affiliate_id: bob.id, url: `https://shop.test/${MARK}`, utm_campaign: MARK })
      .expect(200)
  ).body.link;
  for (const [user_id, status] of [
    [2, 'active'],
    [4, 'pending'],
  ] as const) {
    const own = await t.records.affiliate({ user_id });
    await t.records.visit({ affiliate_id: own.id });
    await t.records.referral({ affiliate_id: own.id });
    if (status !== 'active') await t.admin.patch(`/affiliates/${own.id}/status`).send({ status }).expect(200);
  }
  const ids = async (table: 'referrals' | 'payout_transactions' | 'customers'): Promise<number[]> =>
    ((await t.app.db(table).select('id').orderBy('id')) as { id: number | string }[]).map((row) =>
      Number(row.id),
    );
  const rows = [
    ...(await ids('payout_transactions')),
    ...(await ids('customers')),
    ...(await ids('referrals')).slice(0, 2),
  ];
  foreign = [...new Set([bob.id, user!.id, group.id, visit.id, payout.id, creative.id, link.id, ...rows])];
});
afterAll(() => t.close());

const pathOf = (path: string, id: number): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) =>
    name === 'id' || name.endsWith('_id') ? String(id) : 'shop',
  );
/** No mark of its own: what is searched for may stand in the answer. */
const queryOf = (id: number): string =>
  [...NAMES.map((name) => `${encodeURIComponent(name)}=${id}`), 'search=zq7', 'q=zq7', 'per_page=200'].join(
    '&',
  );
const bodyOf = (route: Route, id: number): Record<string, unknown> => ({
  ...Object.fromEntries(NAMES.filter((name) => !/\W/.test(name)).map((name) => [name, id])),
  ids: [id],
  affiliate_ids: [id],
  ...smallestBody(route.body),
  ...Object.fromEntries(idFields(route.body).map((name) => [name, id])),
});
const idFields = (schema: unknown): string[] =>
  Object.keys((schema as Schema | undefined)?.properties ?? {}).filter(
    (name) => name === 'id' || name.endsWith('_id'),
  );

async function everywhere(user: number): Promise<Response[]> {
  const answers: Response[] = [];
  for (const { route, path } of mounted) {
    for (const id of hasNames(path) ? foreign : [bob.id]) {
      t.clock.advance(1000); // below the limits
      const call = t
        .as(user)
        [route.method](`${pathOf(path, id)}?${queryOf(id)}`)
        .set('Accept', 'application/json')
        .ok(() => true);
      answers.push(await (route.method === 'get' ? call : call.send(bodyOf(route, id))));
    }
  }
  return answers;
}
const hasNames = (path: string): boolean => /:(?:\w+_)?id\b/.test(path);

const textOf = ({
  status,
  text,
  headers,
  req,
}: Response & { req?: { method?: string; path?: string } }): string =>
  `${req?.method ?? ''} ${req?.path ?? ''} ${status} ${JSON.stringify(headers)} ${text ?? ''}`;
const leaking = (answers: readonly Response[]): string[] =>
  answers
    .filter(({ text, headers }) => `${text ?? ''}${JSON.stringify(headers)}`.toLowerCase().includes(MARK))
    .map(textOf);

async function bobs(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of TABLES.filter((name) => !COUNTERS.has(name))) {
    found[table] = ((await t.app.db(table).select()) as object[])
      .map((row) => JSON.stringify(row))
      .filter((row) => row.includes(MARK))
      .toSorted();
  }
  return found;
}

describe("the mark in every record of Bob's", () => {
  it('is there to be found: the administrator reads it in every list and detail of his', async () => {
    const seen = [
      `/affiliates/${bob.id}`,
      '/referrals',
      '/visits',
      '/payouts',
      `/affiliates/${bob.id}/customers`,
      '/creatives/creatives',
      '/settings/links',
      '/groups/groups',
      '/affiliates/export',
      '/referrals/export',
      '/visits/export',
    ];
    for (const path of seen)
      expect([path, (await t.admin.get(path).expect(200)).text.includes(MARK)]).toEqual([path, true]);
  });

  it.each(CALLERS)(
    'is in no answer to user %i, and no request of theirs changes one of the rows',
    async (user) => {
      const before = await bobs();
      expect(Object.values(before).flat().length).toBeGreaterThan(8);
      const answers = await everywhere(user);
      expect(answers.length).toBeGreaterThan(150);
      expect([
        answers.some(({ status }) => status === 200),
        answers.filter(({ status }) => status === 429 || status >= 500).map(textOf),
      ]).toEqual([true, []]);
      expect(leaking(answers)).toEqual([]);
      expect(await bobs()).toEqual(before);
    },
  );

  it('is in nothing that pages are told: script, clicks, forms, cookies', async () => {
    const base = t.service.basePath;
    const call = (path: string) =>
      request(t.server)
        .get(path)
        .set(NAVIGATION)
        .ok(() => true);
    const answers = [
      await call(`/?ref=${bob.id}`),
      await call('/site-links.js'),
      await call(`${base}/registration/form?user_id=${bob.id}`),
      await request(t.server)
        .post(`${base}/track`)
        .set({ ...NAVIGATION, Origin: 'https://shop.test' })
        .type('form')
        .send({ __aff_id__: String(bob.id), url: 'https://shop.test/' }),
      await request(t.server).post('/?fluent_aff_count_visit=1').type('form').send({ affiliate_id: bob.id }),
    ];
    expect(leaking(answers)).toEqual([]);
  });
});
