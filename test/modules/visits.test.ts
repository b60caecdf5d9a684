import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO_SUB_IDS } from '../../src/core/sub-ids.js';
import { visits } from '../../src/accounting/visits/record.js';
import { orderOf, readAll } from '../../src/records/list.js';
import { startApp, type TestApp } from '../support/app.js';
import { statementsOf } from '../support/statements.js';
import { earn } from '../support/payouts.js';

let t: TestApp;
let alice: { id: number };
let bob: { id: number };

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
  bob = await t.records.affiliate({ user_id: 3 });
});

const list = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await t.admin.get(`/visits?${query}`).expect(200)).body.visits.data;
const ids = async (query = ''): Promise<unknown[]> => (await list(query)).map((row) => row['id']);
const sale = (visit: { id: number }, status: 'unpaid' | 'rejected'): Promise<{ id: number }> =>
  earn(t, alice.id, 1250, { visit_id: visit.id, status, provider: 'manual', description: 'x' });

describe('GET /visits', () => {
  it('answers with the record, its affiliate and its referrals', async () => {
    const visit = await t.records.visit({
      affiliate_id: alice.id,
      url: 'https://shop.test/a',
      referrer: 'https://blog.test/',
      utm_campaign: 'summer',
      ip: '203.0.113.0',
    });

    const { body } = await t.admin.get('/visits').expect(200);

    expect(body.visits).toMatchObject({
      current_page: 1,
      total: 1,
      from: 1,
      to: 1,
      per_page: 10,
      last_page: 1,
    });
    expect(body.visits.data).toEqual([
      {
        id: visit.id,
        affiliate_id: alice.id,
        user_id: null,
        referral_id: null,
        url: 'https://shop.test/a',
        referrer: 'https://blog.test/',
        utm_campaign: 'summer',
        utm_medium: null,
        utm_source: null,
        ...NO_SUB_IDS,
        ip: '203.0.113.0',
        created_at: '2026-01-15T15:00:00+00:00',
        updated_at: '2026-01-15T15:00:00+00:00',
        affiliate: expect.objectContaining({
          id: alice.id,
          user_details: expect.objectContaining({ full_name: expect.any(String) as unknown }) as unknown,
        }),
        referrals: [],
      },
    ]);
  });

  it('shows every referral of a visit, whatever its status', async () => {
    const visit = await t.records.visit({ affiliate_id: alice.id });
    const referral = await sale(visit, 'rejected');

    expect((await list())[0]?.['referrals']).toEqual([
      { id: referral.id, visit_id: visit.id, status: 'rejected', amount: 12.5, currency: 'USD' },
    ]);
  });

  it('filters on conversion, also by a rejected referral', async () => {
    const [first, second] = [
      await t.records.visit({ affiliate_id: alice.id }),
      await t.records.visit({ affiliate_id: alice.id }),
    ];
    await sale(first, 'rejected');

    expect(await ids('convert_status=converted')).toEqual([first.id]);
    expect(await ids('convert_status=not_converted')).toEqual([second.id]);
    for (const all of ['all', '', 'anything'])
      expect(await ids(`convert_status=${all}`)).toEqual([second.id, first.id]);
  });

  it.each([
    ['search=SUMMER', ['summer']],
    ['search=blog.test', ['summer']],
    ['search=alice', ['summer', 'winter']],
    ['search=bob', ['spring']],
    ['search=w%25r', []],
    ['search=utm_campaign%3Aint', ['winter']],
    ['search=utm_campaign%3Dwinter', ['winter']],
    ['search=utm_campaign%3Dwint', []],
    ['search=affiliate_id%3DALICE', ['summer', 'winter']],
    ['search=affiliate_id%3Dx', []],
    ['search=url%3Ahttps%3A%2F%2Fshop.test%2Fb', ['winter']],
    ['search=status%3Dwinter', []],
    ['search=ip%3D203.0.113.0', ['spring']],
    ['search=user_id%3A1', []],
  ])('?%s finds %j', async (query, campaigns) => {
    await t.records.visit({
      affiliate_id: alice.id,
      url: 'https://shop.test/a',
      referrer: 'https://blog.test/',
      utm_campaign: 'summer',
    });
    await t.records.visit({ affiliate_id: alice.id, url: 'https://shop.test/b', utm_campaign: 'winter' });
    await t.records.visit({
      affiliate_id: bob.id,
      url: 'https://shop.test/c',
      utm_campaign: 'spring',
      ip: '203.0.113.0',
    });

    const found = await list(`order_type=ASC&${query.replace('ALICE', String(alice.id))}`);

    expect(found.map((row) => row['utm_campaign'])).toEqual(campaigns);
  });

  it('finds ids by part, but not by equality', async () => {
    const visit = await t.records.visit({ affiliate_id: alice.id });

    expect(await ids(`search=id%3A${visit.id}`)).toEqual([visit.id]);
    expect(await ids(`search=id%3D${visit.id}`)).toEqual([]);
  });

  it('sorts by the columns it knows, and by id for any other', async () => {
    const one = await t.records.visit({ affiliate_id: bob.id, utm_source: 'b' });
    const two = await t.records.visit({ affiliate_id: alice.id, utm_source: 'a' });
    const three = await t.records.visit({ affiliate_id: alice.id });

    expect(await ids('order_by=utm_source&order_type=asc')).toEqual([two.id, one.id, three.id]);
    expect(await ids('order_by=affiliate_id&order_type=ASC')).toEqual([two.id, three.id, one.id]);
    expect(await ids('order_by=ip%20--&order_type=sideways')).toEqual([three.id, two.id, one.id]);
    expect(await ids('page=2&per_page=2')).toEqual([one.id]);
    expect(await ids('page=9')).toEqual([]);
  });

  it('asks a fixed number of queries, however many rows a page has', async () => {
    const count = async (rows: number): Promise<number> => {
      for (let at = 0; at < rows; at++)
        await t.records.visit({ affiliate_id: at % 2 === 0 ? alice.id : bob.id });
      return (await statementsOf(t, () => t.admin.get('/visits?per_page=100').expect(200))).length;
    };

    const baseline = await count(2);
    expect(await count(40)).toBe(baseline);
  });
});

describe('the number of visits', () => {
  const totalOf = async (path: string): Promise<number> =>
    (await t.admin.get(`${path}?per_page=1`).expect(200)).body.visits.total;

  it('is that of the stored rows after deletions and merges, with visits of nobody', async () => {
    const carol = await t.records.affiliate({ user_id: 4 });
    for (const { id } of [alice, alice, bob, carol]) await t.records.visit({ affiliate_id: id });
    await t.records.visit({ affiliate_id: alice.id, created_at: Date.UTC(2024, 0, 1) });
    await t.records.visit({ affiliate_id: null });
    await t.service.ledger.reconcile();
    expect([await totalOf('/visits'), await totalOf(`/affiliates/${alice.id}/visits`)]).toEqual([6, 3]);

    await t.app.visits.purgeBefore(Date.UTC(2025, 0, 1));
    expect([await totalOf('/visits'), await totalOf(`/affiliates/${alice.id}/visits`)]).toEqual([5, 2]);

    await t.admin.post(`/affiliates/${alice.id}/merge`).send({ other_id: bob.id }).expect(200);
    await t.admin.delete(`/affiliates/${carol.id}`).expect(200);
    expect([await totalOf('/visits'), await totalOf(`/affiliates/${alice.id}/visits`)]).toEqual([4, 3]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('is counted where the list is filtered', async () => {
    for (const url of ['https://shop.test/a', 'https://shop.test/b', 'https://shop.test/b'])
      await t.records.visit({ affiliate_id: alice.id, url });

    const { body } = await t.admin.get('/visits?per_page=1&search=shop.test/b').expect(200);
    expect(body.visits.total).toBe(2);
  });
});

describe('GET /visits/export', () => {
  it('is a CSV file of every matching row, formulas and names defused', async () => {
    const visit = await t.records.visit({
      affiliate_id: alice.id,
      url: 'https://shop.test/',
      utm_campaign: '=1+1',
      utm_source: 'a,"b"',
    });
    await sale(visit, 'unpaid');

    const answer = await t.admin.get('/visits/export').expect(200);

    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="visits_export.csv"',
      'x-export-total': '1',
    });
    const [header, row] = answer.text.trim().split('\n');
    expect(header).toBe(
      'id,affiliate_name,url,referrer,utm_campaign,utm_medium,utm_source,converted,created_at,sub1,sub2,sub3,sub4,sub5',
    );
    expect(row).toMatch(
      new RegExp(`^${visit.id},.*,https://shop\\.test/,,'=1\\+1,,"a,""b""",yes,2026-01-15 15:00:00,,,,,$`),
    );
  });

  it('answers with JSON rows when asked by name, without addresses', async () => {
    await t.records.visit({ affiliate_id: alice.id, ip: '203.0.113.0' });
    const second = await t.records.visit({ affiliate_id: bob.id, utm_source: 'a,b' });

    const { body } = await t.admin
      .get('/visits/export?search=a,b')
      .set('Accept', 'application/json')
      .expect(200);

    expect(body).toEqual({
      limited: false,
      total: 1,
      visits: [
        {
          id: second.id,
          affiliate_name: expect.any(String) as unknown,
          url: expect.any(String) as unknown,
          referrer: null,
          utm_campaign: null,
          utm_medium: null,
          utm_source: '"a,b"',
          ...NO_SUB_IDS,
          converted: 'no',
          created_at: '2026-01-15 15:00:00',
        },
      ],
    });
  });

  it('has the order of the list, page by page', async () => {
    for (let at = 0; at < 7; at++)
      await t.records.visit({
        affiliate_id: at % 2 ? alice.id : bob.id,
        utm_source: at % 3 === 0 ? null : `s${at % 2}`,
        url: `https://shop.test/${at % 4}`,
      });
    for (const column of [
      'id',
      'created_at',
      'affiliate_id',
      'utm_campaign',
      'utm_medium',
      'utm_source',
      'url',
    ]) {
      for (const direction of ['asc', 'desc'] as const) {
        const listed = await ids(`order_by=${column}&order_type=${direction}&per_page=50`);
        const { body } = await t.admin
          .get(`/visits/export?format=json&order_by=${column}&order_type=${direction}`)
          .expect(200);
        expect(body.visits.map((row: { id: number }) => row.id)).toEqual(listed);
        const paged: number[] = [];
        const order = orderOf(visits, { order_by: column, order_type: direction.toUpperCase() });
        for await (const page of readAll(t.app.db, visits, () => {}, order, 2))
          paged.push(...page.map((visit) => visit.id));
        expect(paged).toEqual(listed);
      }
    }
  });

  it('reads past the size of its pages, each row once', async () => {
    await t.app.transaction((trx) =>
      t.app.visits.insertMany(
        trx,
        Array.from({ length: 2100 }, () => ({ affiliate_id: alice.id, url: 'https://shop.test/' })),
      ),
    );

    const { text } = await t.admin.get('/visits/export?order_type=asc').expect(200);

    const found = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]));
    expect(found).toHaveLength(2100);
    expect(new Set(found).size).toBe(2100);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });
});

describe('visits of one affiliate', () => {
  it('are listed without the affiliate, filtered by status', async () => {
    const visit = await t.records.visit({ affiliate_id: alice.id });
    await t.records.visit({ affiliate_id: bob.id });

    const { body } = await t.admin.get(`/affiliates/${alice.id}/visits?status=not_converted`).expect(200);

    expect(body.visits.data.map((row: { id: number }) => row.id)).toEqual([visit.id]);
    expect(body.visits.data[0]).toHaveProperty('referrals', []);
    expect(body.visits.data[0]).not.toHaveProperty('affiliate');
    expect(
      (await t.admin.get(`/affiliates/${alice.id}/visits?status=converted`).expect(200)).body.visits.data,
    ).toEqual([]);
  });

  it('go with the affiliate', async () => {
    await t.records.visit({ affiliate_id: alice.id });
    const kept = await t.records.visit({ affiliate_id: bob.id });

    await t.admin.delete(`/affiliates/${alice.id}`).expect(200);

    expect(await ids()).toEqual([kept.id]);
  });

  it('leave the counter right when old ones are purged', async () => {
    const old = await t.records.visit({ affiliate_id: alice.id, created_at: Date.UTC(2024, 0, 1) });
    await t.records.visit({ affiliate_id: alice.id });
    const referral = await sale(old, 'unpaid');

    expect(await t.app.visits.purgeBefore(Date.UTC(2025, 0, 1))).toBe(1);

    expect((await t.app.affiliates.get(alice.id)).visits).toBe(2);
    expect((await t.app.referrals.get(referral.id)).visit_id).toBeNull();
  });
});
