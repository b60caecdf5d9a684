import { describe, expect, it } from '@jest/globals';
import { affiliates } from '../../src/program/affiliates/record.js';
import { orderOf, readAll } from '../../src/records/list.js';
import { startApp } from '../support/app.js';

type Started = Awaited<ReturnType<typeof startApp>>;

const ids = async ({ admin }: Started, query: string): Promise<number[]> =>
  (await admin.get(`/affiliates?order_type=asc&${query}`).expect(200)).body.affiliates.data.map(
    (row: { id: number }) => row.id,
  );

/** alice (1): 100.00 unpaid, bob (2): 20.50 unpaid, carol (3): nothing. */
async function threeAffiliates(): Promise<Started> {
  const t = await startApp();
  const vip = await t.records.group({ meta_key: 'VIP', rate: 25 });
  await t.records.affiliate({
    user_id: 2,
    payment_email: 'Pay_1%@alice.test',
    status: 'active',
    rate_type: 'flat',
    rate: 3,
  });
  await t.records.affiliate({
    user_id: 3,
    payment_email: 'pay@bob.test',
    status: 'active',
    group_id: vip.id,
  });
  // as registration does: no payment e-mail yet
  await t.app.affiliates.changes.create({ user_id: 4, status: 'inactive' });
  await t.records.referral({ affiliate_id: 1, amount: '100', status: 'unpaid' });
  await t.records.referral({ affiliate_id: 2, amount: '20.50', status: 'unpaid' });
  await t.records.visit({ affiliate_id: 2 });
  return t;
}

describe('the affiliate list', () => {
  it('has 20 rows a page, the newest first, with user, group and rate', async () => {
    const t = await threeAffiliates();
    const { body } = await t.admin.get('/affiliates').expect(200);
    expect(body.affiliates).toMatchObject({
      current_page: 1,
      per_page: 20,
      total: 3,
      from: 1,
      to: 3,
      last_page: 1,
    });
    expect(body.affiliates.data.map((row: { id: number }) => row.id)).toEqual([3, 2, 1]);
    expect(body.affiliates.data[1]).toMatchObject({
      user: { ID: 3, user_login: 'bob' },
      user_details: { affiliate_id: 2, user_name: 'bob' },
      group: { name: 'VIP', affiliates_count: 1 },
      rate_details: {
        type: 'percentage',
        rate: 25,
        is_custom: 'no',
        human_readable: '25% (VIP)',
        group: { name: 'VIP' },
      },
      total_earnings: 20.5,
      unpaid_earnings: 20.5,
      referrals: 1,
      visits: 1,
    });
  });

  it('calls a row without host user by its number', async () => {
    const t = await threeAffiliates();
    t.host.removeUser(4);
    const { body } = await t.admin.get('/affiliates?search=nobody&status=').expect(200);
    expect(body.affiliates.total).toBe(0);
    const { body: all } = await t.admin.get('/affiliates').expect(200);
    expect(all.affiliates.data[0]).toMatchObject({
      user: {
        ID: 4,
        user_login: '',
        user_email: '',
        user_url: '',
        display_name: 'Affiliate #3',
        full_name: 'Affiliate #3',
        photo: expect.stringMatching(/^data:image\/svg\+xml,/),
      },
      user_details: { user_id: 4, affiliate_id: 3, full_name: 'Affiliate #3' },
    });
    const { body: one } = await t.admin.get('/affiliates/3').expect(200);
    expect(one.affiliate.user).toBeNull();
  });

  it.each([
    ['search=3', [2, 3]],
    ['search=ALICE', [1]],
    ['search=pay', [1, 2]],
    ['search=%25', [1]],
    ['search=_', [1]],
    ['search=bob@', [2]],
    ['search=%20', [1, 2, 3]],
    ['status=active', [1, 2]],
    ['status[]=active&status[]=inactive', [1, 2, 3]],
    ['status=all', [1, 2, 3]],
    ['status=', [1, 2, 3]],
    ['status=rejected', []],
    ['filters[unpaid_earnings][operator]=gt&filters[unpaid_earnings][value]=0', [1, 2]],
    ['filters[unpaid_earnings][operator]==&filters[unpaid_earnings][value]=0', [3]],
    ['filters[total_earnings][operator]=lt&filters[total_earnings][value]=20.51', [2, 3]],
    ['filters[total_earnings][operator]=%21%3D&filters[total_earnings][value]=20.5', [1, 3]],
    [
      'filters[total_earnings][operator]=IN&filters[total_earnings][value][]=0&filters[total_earnings][value][]=100',
      [1, 3],
    ],
    ['filters[total_earnings][operator]=includes&filters[total_earnings][value]=0.5', [2]],
    ['filters[total_earnings][operator]=includes&filters[total_earnings][value]=10', [1]],
    ['filters[total_earnings][operator]=includes&filters[total_earnings][value]=x', []],
    ['filters[total_earnings][operator]=not_includes&filters[total_earnings][value]=0.5', [1, 3]],
    ['filters[visits][operator]=gt&filters[visits][value]=0', [2]],
    ['filters[visits][operator]=includes&filters[visits][value]=1', [2]],
    ['filters[visits][operator]=gt&filters[visits][value]=0.5', [2]],
    ['filters[visits][operator]=lt&filters[visits][value]=0.5', [1, 3]],
    ['filters[visits][operator]==&filters[visits][value]=0.5', []],
    ['filters[visits][operator]=!=&filters[visits][value]=x', [1, 2, 3]],
    ['filters[visits][operator]=lt&filters[visits][value]=1e300', []],
    ['filters[status][operator]==&filters[status][value]=active%00', [1, 2]],
    ['status=active%00', [1, 2]],
    ['filters[referrals][operator]==&filters[referrals][value]=many', []],
    ['filters[payment_email][operator]==&filters[payment_email][value]=PAY@bob.test', [2]],
    ['filters[payment_email][operator]=!=&filters[payment_email][value]=pay@bob.test', [1, 3]],
    ['filters[payment_email][operator]=includes&filters[payment_email][value]=BOB', [2]],
    ['filters[payment_email][operator]=not_includes&filters[payment_email][value]=bob', [1, 3]],
    ['filters[payment_email][operator]=includes&filters[payment_email][value]=%25', [1]],
    ['filters[status][operator]=IN&filters[status][value][]=inactive', [3]],
    ['filters[status][operator]=!=&filters[status][value]=active', [3]],
    ['filters[group][value]=1', [2]],
    ['filters[group][operator]=!=&filters[group][value][]=1&filters[group][value][]=7', [2]],
    ['filters[group][value]=99', []],
    ['filters[visits][operator]=gt&filters[visits][value]=', [1, 2, 3]],
    ['filters[visits][value]=1', [1, 2, 3]],
    ['filters[visits][operator]=gt&filters[visits][value][]=1', [1, 2, 3]],
    ['filters[user_id][operator]==&filters[user_id][value]=2', [1, 2, 3]],
    ['filters[__proto__][operator]==&filters[toString][value]=2', [1, 2, 3]],
    ['filters=x', [1, 2, 3]],
    ['filters[visits][operator]=gt&filters[visits][value]=0&status=inactive', []],
    ['order_by=unpaid_earnings', [3, 2, 1]],
    ['order_by=total_earnings&order_type=DESC', [1, 2, 3]],
    ['order_by=referrals&order_type=Desc', [2, 1, 3]],
    ['order_by=visits&order_type=desc', [2, 3, 1]],
    ['order_by=status', [1, 2, 3]],
    ['order_by=status&order_type=desc', [3, 2, 1]],
    ['order_by=created_at&order_type=desc', [3, 2, 1]],
    ['order_by=updated_at', [1, 2, 3]],
    ['order_by=rate&order_type=desc', [1, 3, 2]],
    ['search=Alice+Doe', [1]],
    ['search=carol@shop', [3]],
    ['search=4', [3]],
    ['search=%00bob', [2]],
    ['filters[payment_email][operator]=IN&filters[payment_email][value][]=PAY@bob.test', [2]],
    ['filters[referrals][operator]=IN&filters[referrals][value][]=1&filters[referrals][value][]=x', [1, 2]],
    ['filters[status][operator]=includes&filters[status][value]=ACT', [1, 2, 3]],
    ['filters[unpaid_earnings][operator]=like&filters[unpaid_earnings][value]=1', [1, 2, 3]],
    ['order_by=rate', [1, 2, 3]],
    ['order_by=payment_email&order_type=desc', [2, 1, 3]],
    ['order_by=note', [1, 2, 3]],
    ['page=2&per_page=2', [3]],
    ['page=9', []],
  ])('?%s', async (query, expected) => {
    const t = await threeAffiliates();
    expect(await ids(t, query)).toEqual(expected);
  });

  it('refuses too many filters and values', async () => {
    const t = await startApp();
    const many = Array.from({ length: 21 }, (_, index) => `filters[k${index}][operator]==`).join('&');
    await t.admin
      .get(`/affiliates?${many}`)
      .expect(422)
      .expect(({ body }) => expect(body.errors.filters).toHaveProperty('max'));
    await expect(
      t.app.affiliates.listing.list(
        { page: 1, per_page: 1, filters: { status: { operator: 'IN', value: Array(1001).fill('x') } } },
        { bankDetails: false },
      ),
    ).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(
      t.app.affiliates.listing.list(
        { page: 1, per_page: 1, status: Array(1001).fill('x') },
        { bankDetails: false },
      ),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('the export', () => {
  const HEADER =
    'id,full_name,email,payment_email,rate_type,rate,status,total_earnings,unpaid_earnings,referrals,visits,created_at,login,group,custom_param,payable,waiting,held,on_its_way,paid,canceled';

  it('is CSV by default', async () => {
    const t = await threeAffiliates();
    const { text, headers } = await t.admin.get('/affiliates/export?order_type=asc').expect(200);
    const lines = text.trim().split('\n');
    expect(headers['content-disposition']).toContain('affiliates_export.csv');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(HEADER);
    expect(lines[2]).toMatch(/^2,.*bob.*,pay@bob\.test,default,,active,20\.5,20\.5,1,1,2026-01-15 /);
  });

  it('is JSON rows on demand, with the same search, filters and order', async () => {
    const t = await threeAffiliates();
    const { body } = await t.admin
      .get(
        '/affiliates/export?format=json&order_by=total_earnings&filters[visits][operator]==&filters[visits][value]=0',
      )
      .expect(200);
    expect(body).toMatchObject({ limited: false, total: 2 });
    expect(Object.keys(body.affiliates[0]).join(',')).toBe(HEADER);
    expect(body.affiliates.map((row: { id: number }) => row.id)).toEqual([1, 3]);
  });

  it.each(
    ['rate', 'payment_email', 'status', 'created_at', 'id'].flatMap((column) => [
      [column, 'asc'],
      [column, 'desc'],
    ]),
  )('reads every row once over several pages by %s %s', async (column, direction) => {
    const t = await threeAffiliates();
    const order = orderOf(affiliates, { order_by: column, order_type: direction.toUpperCase() });
    const seen: number[] = [];
    // Exports read pages of many rows; pages of one row show that none is skipped or repeated.
    for await (const page of readAll(t.app.db, affiliates, () => {}, order, 1))
      seen.push(...page.map((affiliate) => affiliate.id));
    expect(seen).toEqual(
      (
        await t.admin.get(`/affiliates?order_by=${column}&order_type=${direction}`).expect(200)
      ).body.affiliates.data.map((row: { id: number }) => row.id),
    );
  });
});
