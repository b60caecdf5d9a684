import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';

const INITIALS = /^data:image\/svg\+xml,.*%3E[\p{L}\d]{1,2}%3C%2Ftext/u;
const lettersOf = (avatar: string): string =>
  decodeURIComponent(avatar).match(/>([^<>]*)<\/text>/)?.[1] ?? '';

async function buyer(t: TestApp, affiliate: number, customer: object, reference = 'A-1'): Promise<void> {
  await t.service.conversions.record(null, {
    provider: 'shop',
    reference,
    status: 'unpaid',
    order: { subtotal: 10 },
    affiliate,
    customer,
  });
}

describe('who an affiliate is', () => {
  it('leads to where the host edits its users', async () => {
    const t = await startApp();
    const find = t.host.users.find.bind(t.host.users);
    const edit_url = 'https://shop.test/admin/users/2';
    t.host.users.find = async (ids) => (await find(ids)).map((user) => ({ ...user, edit_url }));
    const { id } = await t.records.affiliate({ user_id: 2 });
    const { body } = await t.admin.get(`/affiliates/${id}`).expect(200);
    expect(body.affiliate.user_details.edit_url).toBe('https://shop.test/admin/users/2');
  });

  it('has the host’s picture, else its initials, wherever a person is shown', async () => {
    const t = await startApp();
    t.host.addUser({
      id: 20,
      login: 'zoe',
      email: 'z@shop.test',
      display_name: 'Zoe',
      avatar: 'https://a.test/z.png',
    });
    const alice = await t.records.affiliate({ user_id: 2 });
    await t.records.affiliate({ user_id: 20 });
    await t.records.referral({ affiliate_id: alice.id });
    const payout = await t.records.payout();
    await t.admin
      .post('/settings/managers')
      .send({ user_id: 3, permissions: ['read_all_visits'] })
      .expect(200);

    const rows: Wire[] = (await t.admin.get('/affiliates').expect(200)).body.affiliates.data;
    expect(rows[0].user.photo).toBe('https://a.test/z.png');
    expect(rows[1].user.photo).toMatch(INITIALS);
    expect(lettersOf(rows[1].user.photo as string)).toBe('AD');
    expect(rows[1].user_details.avatar).toBe(rows[1].user.photo);
    const { managers } = (await t.admin.get('/settings/managers').expect(200)).body;
    expect(lettersOf(managers[0].avatar as string)).toBe('BR');
    const { creator } = (await t.admin.get(`/payouts/${payout.id}`).expect(200)).body.payout;
    expect(lettersOf(creator.photo as string)).toBe('A');
  });

  it('is called by its payment address, else by its number, without a user', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2, payment_email: 'alice@pay.test' });
    const bob = await t.records.affiliate({ user_id: 3 });
    await t.records.referral({ affiliate_id: alice.id });
    await t.records.referral({ affiliate_id: bob.id });
    await t.app.db('affiliates').where({ id: bob.id }).update({ payment_email: null });
    t.host.removeUser(2);
    t.host.removeUser(3);

    const rows: Wire[] = (await t.admin.get('/affiliates?order_type=ASC').expect(200)).body.affiliates.data;
    const names = rows.map(({ user }) => user.full_name as string);
    expect(names).toEqual(['alice@pay.test', `Affiliate #${bob.id}`]);
    expect(rows.map(({ user_details }) => user_details.full_name as string)).toEqual(names);
    expect(rows[1].user.photo).toMatch(INITIALS);
    const referrals: Wire[] = (await t.admin.get('/referrals?order_by=id&order_type=ASC')).body.referrals
      .data;
    expect(referrals.map(({ affiliate }) => affiliate.user_details.full_name as string)).toEqual(names);
    const { recent_referrals } = (await t.admin.get('/reports/dashboard-stats').expect(200)).body;
    expect(recent_referrals.map((row: Wire) => row.affiliate.user.full_name as string)).toEqual(
      names.toReversed(),
    );
  });
});

describe('choosing a customer for an affiliate', () => {
  it('tells who each is, whose it is, and which is closed', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const bob = await t.records.affiliate({ user_id: 3 });
    await buyer(t, alice.id, { email: 'jo@buyer.test', first_name: 'Jo', last_name: 'Doe' }, 'A-1');
    await buyer(t, bob.id, { email: 'max@buyer.test' }, 'A-2');
    await buyer(t, bob.id, { email: 'free@buyer.test', first_name: 'Free' }, 'A-3');
    await t.admin.delete(`/affiliates/${bob.id}/customers/3`).expect(200);

    const { customers } = (
      await t.admin.get(`/affiliates/${alice.id}/customers/search?search=buyer`).expect(200)
    ).body;
    expect(customers).toMatchObject([
      {
        value: 3,
        label: 'Free (free@buyer.test)',
        disabled: false,
        linked_affiliate_id: null,
        linked_affiliate_name: '',
        affiliate: null,
      },
      {
        value: 2,
        label: 'max@buyer.test',
        disabled: false,
        linked_affiliate_id: bob.id,
        linked_affiliate_name: 'Bob Ray',
        affiliate: { id: bob.id, user: { full_name: 'Bob Ray', user_email: 'bob@shop.test' } },
      },
      {
        id: 1,
        value: 1,
        label: 'Jo Doe (jo@buyer.test)',
        disabled: true,
        linked_affiliate_id: alice.id,
        linked_affiliate_name: 'Alice Doe',
      },
    ]);
  });

  it('begins with the newest 20', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    for (let at = 1; at <= 22; at += 1) await buyer(t, id, { email: `b${at}@buyer.test` }, `A-${at}`);
    for (const query of ['', '?search=', '?search=%20']) {
      const { customers } = (await t.admin.get(`/affiliates/${id}/customers/search${query}`).expect(200))
        .body;
      expect(customers.map(({ value }: Wire) => value as number)).toEqual(
        Array.from({ length: 20 }, (_, at) => 22 - at),
      );
    }
  });
});

describe('options of select inputs', () => {
  it('are affiliates by name', async () => {
    const t = await startApp();
    for (const user_id of [4, 2, 5, 3]) await t.records.affiliate({ user_id });
    const { affiliates } = (await t.admin.get('/settings/options/affiliates').expect(200)).body;
    expect(affiliates.map(({ full_name }: Wire) => full_name as string)).toEqual([
      'Alice Doe',
      'Bob Ray',
      'Carol',
      'Dave',
    ]);
  });

  it('find users who are no affiliates behind hundreds who are', async () => {
    const t = await startApp();
    for (let id = 100; id < 330; id += 1)
      t.host.addUser({ id, login: `u${id}`, email: `u${id}@shop.test`, display_name: `U ${id}` });
    const now = t.clock.now();
    const empty = {
      status: 'active',
      rate_type: 'default',
      settings: '{}',
      custom_fields: '{}',
      created_at: now,
      updated_at: now,
    };
    await t.app.db('affiliates').insert(
      [...Array.from({ length: 230 }, (_, at) => at + 100), 1, 2, 3].map((user_id) => ({
        ...empty,
        user_id,
      })),
    );
    const search = t.host.users.search.bind(t.host.users);
    const asked: number[] = [];
    t.host.users.search = async (text, limit) => {
      asked.push(limit);
      // As a host that lists the newest users first.
      return (await search(text, 10_000)).toSorted((a, b) => b.id - a.id).slice(0, limit);
    };
    const { users } = (await t.admin.get('/settings/options/users?exclude_affiliates=1').expect(200)).body;
    expect(users.map(({ ID }: Wire) => ID as number)).toEqual([5, 4]);
    expect(asked).toEqual([200, 800]);
  });
});
