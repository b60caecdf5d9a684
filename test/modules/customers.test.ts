import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { auditOf } from '../support/lists.js';

type Started = Awaited<ReturnType<typeof startApp>>;

async function shop(): Promise<
  Started & { ids: number[]; buy(affiliate: number, customer: object): Promise<number | null> }
> {
  const t = await startApp();
  const ids = [];
  for (const userId of [2, 3])
    ids.push(((await t.records.affiliate({ user_id: userId, status: 'active' })) as { id: number }).id);
  let order = 0;
  const buy = async (affiliate: number, customer: object): Promise<number | null> => {
    order += 1;
    return (
      (
        await t.service.conversions.record(null, {
          provider: 'shop',
          reference: order,
          status: 'unpaid',
          order: { subtotal: 10 },
          affiliate,
          customer,
        })
      ).referral?.customer_id ?? null
    );
  };
  return { ...t, ids, buy };
}

const customersOf = async (t: Started, id: number, query = ''): Promise<Record<string, unknown>[]> =>
  (await t.admin.get(`/affiliates/${id}/customers${query}`).expect(200)).body.customers.data;

describe('customers', () => {
  it('are one row per mailbox, kept by the affiliate who brought them first', async () => {
    const t = await shop();
    const [first = 0, second = 0] = t.ids;

    const id = await t.buy(first, { email: 'Jo@Shop.test', first_name: 'Jo' });
    expect(await t.buy(second, { email: ' jo@shop.test', last_name: 'Doe' })).toBe(id);

    expect(await customersOf(t, first)).toMatchObject([
      { id, email: 'jo@shop.test', full_name: 'Jo Doe', by_affiliate_id: first, referrals_count: 2 },
    ]);
    expect(await customersOf(t, second)).toEqual([]);
  });

  it('are found by user id when the address is new, and strangers are never merged', async () => {
    const t = await shop();
    const [first = 0] = t.ids;

    const id = await t.buy(first, { email: 'jo@shop.test', user_id: 5 });
    expect(await t.buy(first, { email: 'jo@new.test', user_id: 5 })).toBe(id);
    expect(await t.buy(first, { first_name: 'Guest' })).toBeNull();
    expect(await t.buy(first, { email: '' })).toBeNull();
  });

  it('are stored once by many orders at the same moment', async () => {
    const t = await shop();
    const [first = 0, second = 0] = t.ids;
    const found = await Promise.all(
      Array.from({ length: 10 }, (_, at) => t.buy(at % 2 ? first : second, { email: 'jo@shop.test' })),
    );
    expect(new Set(found).size).toBe(1);
  });

  it('can be searched and sorted', async () => {
    const t = await shop();
    const [first = 0] = t.ids;
    for (const email of ['b@shop.test', 'a@shop.test', 'c_d@shop.test']) await t.buy(first, { email });
    const emails = async (query: string): Promise<unknown[]> =>
      (await customersOf(t, first, query)).map((customer) => customer['email']);

    expect(await emails('?order_by=email&order_type=ASC')).toEqual([
      'a@shop.test',
      'b@shop.test',
      'c_d@shop.test',
    ]);
    expect(await emails('?search=C_')).toEqual(['c_d@shop.test']);
    expect(await emails('?per_page=1&page=2')).toEqual(['a@shop.test']);
  });

  it('are filtered by whether their lifetime term still runs', async () => {
    const t = await shop();
    const [first = 0] = t.ids;
    await t.app.settings.saveReferralConfig({ lifetime_expiry_days: 30 });
    await t.buy(first, { email: 'old@shop.test' });
    t.clock.advance(31 * 86_400_000);
    await t.buy(first, { email: 'new@shop.test' });
    const emails = async (query: string): Promise<unknown[]> =>
      (await customersOf(t, first, query)).map((customer) => customer['email']);

    expect(await emails('?filter=active')).toEqual(['new@shop.test']);
    expect(await emails('?filter=expired')).toEqual(['old@shop.test']);
    expect(await emails('?filter=other&order_by=created_at&order_type=ASC')).toEqual([
      'old@shop.test',
      'new@shop.test',
    ]);
    expect(await emails('?order_by=ip')).toEqual(['new@shop.test', 'old@shop.test']);
  });

  it('stay when their affiliate goes', async () => {
    const t = await shop();
    const [first = 0, second = 0] = t.ids;
    const id = await t.buy(first, { email: 'jo@shop.test' });
    await t.admin.delete(`/affiliates/${first}`).expect(200);

    expect(await t.service.customers.find(id!)).toMatchObject({ by_affiliate_id: null });
    expect(await t.buy(second, { email: 'jo@shop.test' })).toBe(id);
    expect(await t.service.customers.find(id!)).toMatchObject({ by_affiliate_id: second });
  });

  it('can be linked, moved and unlinked by hand; earlier commissions stay', async () => {
    const t = await shop();
    const [first = 0, second = 0] = t.ids;
    const id = await t.buy(first, { email: 'jo@shop.test', first_name: 'Jo' });
    const calls: unknown[] = [];
    t.service.hooks.addAction('customer_linked', (customer, affiliate, previous) => {
      calls.push(['linked', customer.id, affiliate.id, previous]);
    });
    t.service.hooks.addAction('customer_unlinked', (customer, affiliate, previous) => {
      calls.push(['unlinked', customer.by_affiliate_id, affiliate?.id, previous]);
    });
    const link = (body: object) =>
      t.admin.post(`/affiliates/${second}/customers/link`).send({ customer_id: id, ...body });

    expect(
      (await t.admin.get(`/affiliates/${second}/customers/search?search=JO@`).expect(200)).body.customers,
    ).toMatchObject([{ id, by_affiliate_id: first }]);
    expect((await link({}).expect(422)).body.code).toBe('customer_linked');
    expect((await link({ transfer: true }).expect(200)).body.customer).toMatchObject({
      id,
      by_affiliate_id: second,
    });
    await link({}).expect(200);
    await t.admin.delete(`/affiliates/${first}/customers/${id}`).expect(404);
    await t.admin.delete(`/affiliates/${second}/customers/${id}`).expect(200);
    await link({ customer_id: 999 }).expect(404);
    expect(calls).toEqual([
      ['linked', id, second, first],
      ['unlinked', null, second, second],
    ]);
    expect((await t.admin.get(`/affiliates/${first}/referrals`).expect(200)).body.referrals.total).toBe(1);
    expect(await customersOf(t, second)).toEqual([]);
    expect((await auditOf(t, 'object_type=customer')).map(({ action }) => action)).toEqual([
      'customer.linked',
      'customer.unlinked',
    ]);
  });

  it('are never the affiliate, by user or by mailbox', async () => {
    const t = await shop();
    const [first = 0, second = 0] = t.ids;
    const { body } = await t.admin.get(`/affiliates/${second}`).expect(200);
    const own: string = body.affiliate.user.user_email;
    const id = await t.buy(first, { email: own.replace('@', '+shop@').toUpperCase() });
    const answer = await t.admin
      .post(`/affiliates/${second}/customers/link`)
      .send({ customer_id: id, transfer: true })
      .expect(422);
    expect(answer.body.code).toBe('own_customer');
    const found = await t.admin.get(`/affiliates/${second}/customers/search`).expect(200);
    expect(found.body.affiliate).toMatchObject({ id: second });
    const list = await t.admin.get(`/affiliates/${second}/customers`).expect(200);
    expect(list.body.affiliate).toMatchObject({ id: second, user: { user_email: own } });
  });

  it('are listed with the days they last', async () => {
    const t = await shop();
    const days = async (): Promise<unknown> =>
      (await t.admin.get(`/affiliates/${t.ids[0]}/customers`).expect(200)).body.lifetime_expiry_days;
    expect(await days()).toBe('');
    await t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { lifetime_expiry_days: 90 } })
      .expect(200);
    expect(await days()).toBe(90);
  });

  it('are one for all spellings of a mailbox', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    const spellings = ['jo.doe@gmail.com', 'JoDoe+shop@googlemail.com', '(home) jodoe@GMAIL.com.'];
    for (const [at, email] of spellings.entries())
      await t.service.conversions.record(null, {
        provider: 'shop',
        reference: `S-${at}`,
        affiliate: id,
        order: { subtotal: '10.00' },
        customer: { email },
      });
    expect((await t.admin.get('/customers').expect(200)).body.customers.total).toBe(1);
    expect(await t.service.customers.forget('j.o.doe@gmail.com')).toBe(true);
  });
});
