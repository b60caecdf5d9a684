import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TABLES } from '../adapters/database/tables.js';
import { allRoutes } from '../src/app/routes.js';
import { addressOf, hasId, smallestBody } from './support/route-cases.js';
import { startApp, type TestApp } from './support/app.js';

// Promises that no single module keeps: who changes rows, what costs a query,
// which fields a request can reach, what text becomes.

/** Counted or timed by every request, whoever sent it. */
const COUNTERS = new Set(['rate_limits', 'job_leases']);
const routes = allRoutes();

let t: TestApp;
let queries: string[];
const tally = ({ sql }: { sql: string }): void => {
  queries.push(sql);
};
beforeEach(async () => {
  t = await startApp();
  queries = [];
  t.app.db.knex.on('query', tally);
});
afterEach(() => {
  t.app.db.knex.removeListener('query', tally);
});

async function rows(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of TABLES) {
    if (!COUNTERS.has(table))
      found[table] = ((await t.app.db(table).select()) as object[])
        .map((row) => JSON.stringify(row))
        .toSorted();
  }
  return found;
}

async function furnished(): Promise<void> {
  const group = await t.records.group();
  const affiliate = await t.records.affiliate({ user_id: 2, group_id: group.id });
  await t.records.visit({ affiliate_id: affiliate.id });
  await t.records.referral({ affiliate_id: affiliate.id });
  await t.records.payout();
  await t.records.referral({ affiliate_id: affiliate.id });
}

describe('rows stay as they are', () => {
  it('under every GET of an administrator and of an affiliate', async () => {
    await furnished();
    const before = await rows();
    for (const route of routes.filter(({ method, access }) => method === 'get' && access.kind !== 'public')) {
      for (const user of [1, 2]) await t.as(user).get(addressOf(route.paths[0], 1));
    }
    expect(await rows()).toEqual(before);
  });

  it('under every write that is refused', async () => {
    await furnished();
    const before = await rows();
    const writes = routes.filter(
      ({ method, access }) => method !== 'get' && ['section', 'admin', 'settings'].includes(access.kind),
    );
    expect(writes.length).toBeGreaterThan(40);
    for (const route of writes) {
      const body = route.body ? smallestBody(route.body) : {};
      expect([401, 403]).toContain(
        (await t.anonymous[route.method](addressOf(route.paths[0], 1)).send(body)).status,
      );
      expect((await t.as(5)[route.method](addressOf(route.paths[0], 1)).send(body)).status).toBe(403);
      t.clock.advance(11_000); // thirty wrong nonces in five minutes are the limit
      expect(
        (await t.as(1)[route.method](addressOf(route.paths[0], 1)).set('X-WP-Nonce', 'wrong').send(body))
          .status,
      ).toBe(403);
    }
    expect(await rows()).toEqual(before);
  });
});

describe('what is not there costs no query', () => {
  it('an id that is none', async () => {
    await t.admin.get('/settings/features');
    for (const route of routes.filter((each) => hasId(each) && each.access.kind !== 'site')) {
      for (const id of ['0', '9007199254740993', 'abc']) {
        queries.length = 0;
        await t.admin[route.method](addressOf(route.paths[0], id)).expect(404);
        expect([route.id, id, queries.filter((sql) => !sql.includes('rate_limits'))]).toEqual([
          route.id,
          id,
          [],
        ]);
      }
    }
  });

  it.each([
    ['/affiliates', 'affiliates'],
    ['/referrals', 'referrals'],
    ['/visits', 'visits'],
    ['/payouts', 'payouts'],
    ['/payouts/1/transactions', 'payout_transactions'],
    ['/payouts/1/referrals', 'referrals'],
    ['/affiliates/1/referrals', 'referrals'],
    ['/affiliates/1/visits', 'visits'],
    ['/affiliates/1/transactions', 'payout_transactions'],
    ['/affiliates/1/customers', 'customers'],
  ])('a page of %s behind the last one', async (path, table) => {
    await furnished();
    queries.length = 0;
    const { body } = await t.admin.get(`${path}?page=2147483647&per_page=200`).expect(200);
    expect(Object.values(body as Record<string, { data?: unknown }>)[0]).toMatchObject({
      data: [],
      current_page: 2_147_483_647,
      from: null,
      to: null,
    });
    expect(queries.filter((sql) => sql.includes(`fa_${table}`) && sql.includes('offset'))).toEqual([]);
  });
});

describe('a repeated POST with its Idempotency-Key', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      '/affiliates',
      { user_id: 3, status: 'active', rate_type: 'default', payment_email: 'a@b.test' },
      'affiliates',
    ],
    ['/referrals', { affiliate_id: 1, amount: '12.50', type: 'sale', status: 'unpaid' }, 'referrals'],
    ['/payouts/process-payout', { config: { title: 'January', description: 'Run' } }, 'payouts'],
    ['/groups/groups', { meta_key: 'Once', rate_type: 'percentage', rate: 5 }, 'meta'],
    [
      '/creatives/creatives',
      {
        name: 'Text',
        type: 'text',
        text: 'x',
        url: 'https://shop.test/',
        privacy: 'public',
        status: 'active',
      },
      'creatives',
    ],
  ])('has one effect and one answer: %s', async (path, body, table) => {
    await furnished();
    const count = async (): Promise<number> =>
      Number(
        (
          await t.app
            .db(table as 'affiliates')
            .count({ n: '*' })
            .first()
        )?.['n'],
      );
    const before = await count();

    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        t.admin.post(path).set('Idempotency-Key', 'double click').send(body).expect(200),
      ),
    );

    expect(await count()).toBe(before + 1);
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    expect(
      (
        await t.admin
          .post(path)
          .set('Idempotency-Key', 'double click')
          .send({ ...body, other: 1 })
          .expect(422)
      ).body.code,
    ).toBe('idempotency_key_reused');
  });
});

describe("columns that are nobody's to send", () => {
  const SENT = {
    id: 999,
    user_id: 4,
    contact_id: 9,
    parent_id: 1,
    customer_id: 1,
    visit_id: 1,
    payout_id: 1,
    payout_transaction_id: 1,
    paid_elsewhere: 1,
    site_id: 'x',
    dedup_key: 'x',
    source_key: 'x',
    total_earnings: 9,
    total_earnings_minor: 900,
    unpaid_earnings: 9,
    unpaid_earnings_minor: 900,
    referrals: 9,
    visits: 9,
    visits_purged: 9,
    lead_counts: 9,
    settings: { disable_new_ref_email: 'yes', bank_details: 'x' },
    rate_e4: 1,
    amount_minor: 9,
    order_total: 9,
    order_total_minor: 9,
    currency: 'EUR',
    products: [{ a: 1 }],
    utm_campaign: 'x',
    provider_sub_id: 'x',
    payable_at: 1,
    reject_reason: 'x',
    total_amount: 9,
    total_amount_minor: 9,
    payout_method: 'x',
    created_by: 9,
    object_id: 9,
    object_type: 'x',
    name_key: 'x',
    affiliates_count: 9,
    created_at: 1,
    updated_at: 1,
  };
  it.each<['post' | 'patch', string, Record<string, unknown>, string]>([
    [
      'post',
      '/affiliates',
      { user_id: 3, status: 'active', rate_type: 'default', payment_email: 'a@b.test' },
      'affiliates',
    ],
    ['patch', '/affiliates/1', { note: 'x' }, 'affiliates'],
    ['post', '/referrals', { affiliate_id: 1, amount: '12.50', type: 'sale', status: 'unpaid' }, 'referrals'],
    ['patch', '/referrals/2', { description: 'x' }, 'referrals'],
    ['patch', '/payouts/1', { title: 'Another' }, 'payouts'],
    ['patch', '/payouts/1/transactions/1', { status: 'paid' }, 'payout_transactions'],
  ])('%s %s stores what it stores without them', async (verb, path, body, table) => {
    const stored = async (more: object): Promise<Record<string, unknown>[]> => {
      t = await startApp();
      await furnished();
      await t.admin[verb](path)
        .send({ ...more, ...body })
        .expect(200);
      return t.app
        .db(table as 'affiliates')
        .select()
        .orderBy('id');
    };
    expect(await stored(SENT)).toEqual(await stored({}));
  });
});

describe('markup that comes in as text', () => {
  const PAYLOADS = [
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<svg/onload=alert(1)>',
    '<<b>script>alert(1)<</b>/script>',
    '<a href="javascript:alert(1)">x',
    '"><iframe src=//x>',
  ];
  it('is kept as text, and answered as JSON that no browser takes for a page', async () => {
    const alice = await t.records.affiliate({ user_id: 2 });
    for (const [at, evil] of PAYLOADS.entries()) {
      const text = `safe ${evil} text`;
      await t.admin.patch(`/affiliates/${alice.id}`).send({ note: text }).expect(200);
      await t.admin
        .post('/referrals')
        .send({
          affiliate_id: alice.id,
          amount: 1,
          type: 'sale',
          status: 'unpaid',
          description: text,
          provider: text,
        })
        .expect(200);
      await t.admin
        .post('/groups/groups')
        .send({ meta_key: `${at} ${text}`, notes: text, rate_type: 'percentage', rate: 5 })
        .expect(200);
      await t.admin
        .post('/payouts/process-payout')
        .send({ config: { title: text, description: text } })
        .expect(200);
      await t.service.conversions.record(null, {
        provider: 'shop',
        reference: `A-${at}`,
        status: 'unpaid',
        description: text,
        affiliate: alice.id,
        customer: { email: `c${at}@shop.test`, first_name: text, last_name: text },
        order: { subtotal: 10 },
        items: [{ id: 1, title: text, subtotal: 10 }],
      });
    }
    for (const path of [
      `/affiliates/${alice.id}`,
      '/referrals?per_page=50',
      '/groups/groups?per_page=50',
      '/payouts?per_page=50',
      '/referrals/2',
      `/affiliates/${alice.id}/customers`,
    ]) {
      const { body, headers } = await t.admin.get(path).expect(200);
      expect([headers['content-type'], headers['x-content-type-options']]).toEqual([
        'application/json; charset=UTF-8',
        'nosniff',
      ]);
      const texts = strings(body);
      const expected = path.includes('?') || path.endsWith('customers') ? PAYLOADS : PAYLOADS.slice(-1);
      if (path !== '/referrals/2')
        expect([path, expected.filter((evil) => !texts.some((one) => one.includes(evil)))]).toEqual([
          path,
          [],
        ]);
    }
  });

  it('is not echoed by a refusal', async () => {
    const alice = await t.records.affiliate({ user_id: 2 });
    const evil = PAYLOADS[0]!;
    for (const [verb, path, body] of [
      [
        'post',
        '/affiliates',
        { user_id: evil, status: evil, rate_type: evil, rate: evil, payment_email: evil, [evil]: evil },
      ],
      ['patch', `/affiliates/${alice.id}`, { status: evil, group_id: evil, rate_type: 'flat', rate: evil }],
      ['patch', `/affiliates/${alice.id}/status`, { status: evil }],
      [
        'post',
        '/referrals',
        { affiliate_id: evil, amount: evil, type: evil, status: evil, provider_id: evil },
      ],
      [
        'post',
        '/payouts/process-payout',
        { config: { title: '', min_payout: evil, start_date: evil, affiliate_ids: [evil], currency: evil } },
      ],
      ['patch', '/payouts/1/transactions/bulk-action', { status: evil }],
    ] as const) {
      const { status, text } = await t.admin[verb](path).send(body);
      expect([path, status >= 400, text.includes('onerror')]).toEqual([path, true, false]);
    }
  });
});

const strings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(strings)
      : [];
