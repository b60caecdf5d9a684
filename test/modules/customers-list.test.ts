import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';

async function withCustomers() {
  const t = await startApp();
  const affiliate = await t.records.affiliate({ user_id: 2 });
  for (const [reference, email] of [
    ['1', 'jo@buyer.test'],
    ['2', 'jo@buyer.test'],
    ['3', 'kim@buyer.test'],
  ] as const)
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference,
      type: 'sale',
      status: 'unpaid',
      affiliate: affiliate.id,
      order: { subtotal: '50.00' },
      customer: { email, first_name: email.slice(0, 2), last_name: 'Doe' },
    });
  return { t, affiliate };
}

describe('customers of all affiliates', () => {
  it('lists, searches and sorts them with what they bought', async () => {
    const { t } = await withCustomers();
    const { customers } = (await t.admin.get('/customers?order_by=email&order_type=ASC').expect(200))
      .body as {
      customers: { total: number; data: { email: string; referrals_count: number }[] };
    };
    expect(customers.total).toBe(2);
    expect(customers.data.map(({ email, referrals_count }) => [email, referrals_count])).toEqual([
      ['jo@buyer.test', 2],
      ['kim@buyer.test', 1],
    ]);
    const found = await t.admin.get('/customers?search=KIM').expect(200);
    expect(found.body.customers.total).toBe(1);
  });

  it('shows one with its referrals, and forgets it on request', async () => {
    const { t, affiliate } = await withCustomers();
    const list = await t.admin.get('/customers?search=jo@').expect(200);
    const { id } = list.body.customers.data[0] as { id: number };
    const view = await t.admin.get(`/customers/${id}`).expect(200);
    expect(view.body).toMatchObject({
      customer: { email: 'jo@buyer.test' },
      affiliate: { id: affiliate.id },
    });
    expect(view.body.referrals).toHaveLength(2);
    await t.admin.delete(`/customers/${id}`).expect(200);
    expect((await t.admin.get(`/customers/${id}`).expect(200)).body.customer).toMatchObject({
      email: null,
      full_name: '',
    });
    expect((await t.admin.get('/customers?search=jo@').expect(200)).body.customers.total).toBe(0);
    const referrals = await t.admin.get('/referrals').expect(200);
    expect(referrals.body.referrals.total).toBe(3);
    await t.admin.delete('/customers/999').expect(404);
  });

  it('asks for both rights, and for writing to forget', async () => {
    const { t } = await withCustomers();
    await t.service.permissions.setPermissions(3, ['read_all_affiliates']);
    await t.as(3).get('/customers').expect(403);
    await t.service.permissions.setPermissions(3, ['read_all_affiliates', 'read_all_referrals']);
    await t.as(3).get('/customers').expect(200);
    await t.as(3).delete('/customers/1').expect(403);
  });
});
