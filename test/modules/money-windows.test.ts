import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { earn } from '../support/payouts.js';
import type { Wire } from '../support/records.js';

// What test/model/money-windows.test.ts compares over random programs, one story at a time.

const get = async (t: TestApp, path: string, user = 1): Promise<Wire> =>
  (await t.as(user).get(path).expect(200)).body;

/** An order of 50.00 or 100.00 that earns a fifth. */
const order = (
  t: TestApp,
  affiliate: number,
  reference: string,
  { status = 'unpaid', subtotal = '50.00' }: { status?: 'unpaid' | 'pending'; subtotal?: string } = {},
): Promise<unknown> =>
  t.service.conversions.record(null, {
    provider: 'woo',
    reference,
    status,
    type: 'sale',
    affiliate,
    order: { subtotal },
  });
const refund = (t: TestApp, reference: string, total: string): Promise<unknown> =>
  t.service.conversions.refund('woo', reference, { refunded_total: total });

describe('one word, one meaning', () => {
  it('calls money paid only once the payment is confirmed, in every window', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await t.records.referral({ affiliate_id: id, amount: 10 });
    const payout = await t.records.payout();
    const paid = async (): Promise<unknown[]> => [
      (await get(t, `/affiliates/${id}/stats`)).stats.total_paid.amount,
      (await get(t, '/portal/stats', 2)).stats.total_paid.amount,
      (await get(t, '/portal/overview', 2)).outlook.paid,
      (await get(t, '/reports/dashboard-stats')).stats.total_paid.amount,
      (await get(t, '/reports/commerce-reports/fla')).report.widgets.paid.value,
      (await get(t, '/reports/balances')).balances[0].paid,
    ];

    expect(await paid()).toEqual([0, 0, 0, 0, 0, 0]);
    expect((await get(t, `/affiliates/${id}`)).affiliate.balances).toMatchObject([
      { on_its_way: 10, paid: 0 },
    ]);
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
    expect(await paid()).toEqual([10, 10, 10, 10, 10, 10]);
  });

  it('shows the affiliate the balances in other currencies, and their statement', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await earn(t, id, 1000);
    await earn(t, id, 250, { currency: 'EUR' });

    const { outlook } = await get(t, '/portal/overview', 2);
    expect(outlook.balances).toMatchObject([
      { currency: 'USD', payable: 10 },
      { currency: 'EUR', payable: 2.5 },
    ]);
    const { statement, balance } = await get(t, '/portal/statement?currency=eur', 2);
    expect(statement.data).toMatchObject([{ kind: 'earned', amount: 2.5, balance: 2.5 }]);
    expect(balance).toMatchObject({ currency: 'EUR', closing: 2.5 });
    const { body } = await t.as(2).get('/portal/statement?currency=XXZ').expect(422);
    expect(Object.keys(body.errors)).toEqual(['currency']);
  });

  it('shows a canceled commission as 0.00 with what it would have been', async () => {
    const t = await startApp({ rate: 20 });
    const { id } = await t.records.affiliate();
    await order(t, id, 'A-1');
    await order(t, id, 'A-2');
    await refund(t, 'A-1', '50.00');
    const rejected = (await get(t, '/referrals?search=A-2')).referrals.data[0];
    await t.admin.patch(`/referrals/${rejected.id}`).send({ status: 'rejected' }).expect(200);

    const canceled = { counted_amount: 0, would_have_been: 10 };
    const rows = (await get(t, '/referrals')).referrals.data;
    expect(rows).toMatchObject([canceled, canceled].map((each) => ({ state: 'canceled', ...each })));
    expect((await get(t, `/referrals/${rejected.id}`)).referral).toMatchObject(canceled);
    const { earnings, totals } = await get(t, '/portal/earnings', 2);
    expect(earnings.data).toMatchObject([
      { state: 'rejected', reason: 'manual', ...canceled },
      { state: 'rejected', reason: 'refunded', ...canceled },
    ]);
    expect(totals).toEqual([{ currency: 'USD', count: 2, amount: 0, would_have_been: 20 }]);
    expect((await get(t, `/affiliates/${id}`)).affiliate.balances).toMatchObject([
      { canceled: 20, canceled_reasons: { manual: 10, refunded: 10 } },
    ]);
  });

  it('takes what a refunded order would have been from the order as it was paid, not as it was first reported', async () => {
    const t = await startApp({ rate: 20 });
    const { id } = await t.records.affiliate();
    await order(t, id, 'A-1', { status: 'pending', subtotal: '500.00' });
    await t.service.conversions.update('woo', 'A-1', { order: { subtotal: '120.00' } });
    await t.service.conversions.complete('woo', 'A-1');
    await refund(t, 'A-1', '120.00');

    expect((await get(t, '/referrals')).referrals.data).toMatchObject([{ would_have_been: 24 }]);
    expect((await get(t, `/affiliates/${id}`)).affiliate.balances).toMatchObject([{ canceled: 24 }]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('counts an order once, however often it was adjusted', async () => {
    const t = await startApp({ rate: 20 });
    const { id } = await t.records.affiliate();
    await order(t, id, 'A-1', { subtotal: '100.00' });
    await t.records.payout();
    await refund(t, 'A-1', '20.00');
    await t.records.referral({ affiliate_id: id, amount: 30 });
    await t.records.payout();
    await refund(t, 'A-1', '40.00');
    expect((await get(t, `/affiliates/${id}/referrals`)).referrals.total).toBe(4);

    const days = 'start_date=2026-01-01&end_date=2026-02-01';
    expect((await get(t, '/portal/overview', 2)).figures.now.orders).toBe(2);
    expect((await get(t, '/portal/stats', 2)).stats.total_referrals.amount).toBe(2);
    expect((await get(t, '/reports/commerce-reports/woo')).report.widgets.total_orders.value).toBe(1);
    expect((await get(t, `/reports/breakdown?by=affiliates&${days}`)).rows).toMatchObject([{ orders: 2 }]);
    expect((await get(t, '/reports/dashboard-stats')).stats.total_referrals.amount).toBe(2);
    expect((await get(t, `/affiliates/${id}`)).affiliate.referrals).toBe(2);
  });

  it('counts value and earnings of the same orders', async () => {
    const t = await startApp({ rate: 20 });
    const { id } = await t.records.affiliate();
    await order(t, id, 'A-1');
    await order(t, id, 'A-2', { status: 'pending', subtotal: '100.00' });

    const { rows } = await get(t, '/reports/breakdown?by=shops&start_date=2026-01-01&end_date=2026-02-01');
    expect(rows).toMatchObject([{ key: 'woo', orders: 2, earnings: 10, order_total: 50 }]);
    expect((await get(t, `/affiliates/${id}/stats`)).stats.total_order_value.amount).toBe(50);
    expect((await get(t, '/reports/dashboard-stats')).stats.total_order_value.amount).toBe(50);
  });

  it('keeps every line of a statement with its kind after a merge', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate();
    const bob = await t.records.affiliate({ user_id: 3 });
    await t.records.referral({ affiliate_id: alice.id, amount: 10, description: 'First' });
    await t.records.referral({ affiliate_id: bob.id, amount: 20, description: 'Second' });
    const payout = await t.records.payout();
    for (const transaction of [1, 2])
      await t.admin
        .patch(`/payouts/${payout.id}/transactions/${transaction}`)
        .send({ status: 'paid' })
        .expect(200);
    await t.records.referral({ affiliate_id: bob.id, amount: 5, description: 'Third' });
    await t.admin.post(`/affiliates/${alice.id}/merge`).send({ other_id: bob.id }).expect(200);

    const { statement, balance } = await get(t, '/portal/statement', 2);
    expect(statement.data.map((row: Wire) => [row.kind, row.description, row.amount, row.balance])).toEqual([
      ['earned', 'Third', 5, 5],
      ['paid', 'January', -30, 0],
      ['earned', 'Second', 20, 30],
      ['earned', 'First', 10, 10],
    ]);
    expect(balance.closing).toBe(5);
    expect((await get(t, '/portal/payments', 2)).payments.data).toMatchObject([
      { amount: 30, commissions: 2 },
    ]);
  });

  it('says of money in another currency that it waits, as for the own one', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await earn(t, id, 250, { currency: 'EUR', payable_at: t.clock.time + 1000 });
    const { body } = await t.admin
      .post('/payouts/validate-payout-config')
      .send({ config: { title: 'x', description: 'x' } })
      .expect(200);

    expect(body.unpaid).toMatchObject([{ reason: 'until', currency: 'EUR', amount: 2.5 }]);
    expect(body.balances).toMatchObject([{ currency: 'USD' }, { currency: 'EUR', waiting: 2.5, payable: 0 }]);
  });
});
