import { expect, it } from '@jest/globals';
import { configure, payOut, startShop, type Shop } from '../support/shop.js';

// Which products brought what: an order's commission is shared by the value of its products (docs/interface.md §12).

const DAYS = 'start_date=2026-01-15&end_date=2026-01-15';
const item = (id: string, title: string, net: string): object => ({ id, title, quantity: 1, subtotal: net });

async function sell(t: Shop, reference: string, items: object[], more: object = {}): Promise<void> {
  const subtotal = String(
    items.reduce((sum, each) => sum + Number((each as { subtotal: string }).subtotal), 0),
  );
  await t.service.conversions.record(null, {
    provider: 'shop',
    reference,
    affiliate: t.affiliate.id,
    status: 'unpaid',
    order: { subtotal },
    items: items as never,
    ...more,
  });
}
const rows = async (t: Shop, query = ''): Promise<Record<string, unknown>> =>
  (await t.admin.get(`/reports/breakdown?by=products&${DAYS}${query}`).expect(200)).body;

it('reports list products with orders, value and earnings, which add up to those of the orders', async () => {
  const t = await startShop();
  await configure(t, { rate: 10 });
  await sell(t, 'A', [item('11', 'Atlas', '75'), item('b-2', 'Band', '25')]);
  await sell(t, 'B', [item('11', 'Atlas', '100')]);
  await sell(t, 'C', [item('11', 'Atlas', '10')], { provider: 'other' });
  await sell(t, 'D', [item('f', 'Free', '30')], { status: 'pending' });
  expect(await rows(t)).toEqual({
    currency: 'USD',
    rows: [
      { key: 'shop:11', name: 'Atlas', clicks: null, orders: 2, order_total: 175, earnings: 17.5 },
      { key: 'shop:b-2', name: 'Band', clicks: null, orders: 1, order_total: 25, earnings: 2.5 },
      { key: 'other:11', name: 'Atlas', clicks: null, orders: 1, order_total: 10, earnings: 1 },
      { key: 'shop:f', name: 'Free', clicks: null, orders: 1, order_total: 0, earnings: 0 },
    ],
    course: null,
  });
  expect((await rows(t, '&of=shop:11'))['course']).toEqual({
    labels: ['2026-01-15'],
    earnings: [17.5],
    orders: [2],
    clicks: null,
  });
});

it('reports of products follow refunds, before and after a payout', async () => {
  const t = await startShop();
  await configure(t, { rate: 10 });
  await sell(t, 'A', [item('1', 'One', '60'), item('2', 'Two', '40')]);
  await t.service.conversions.refund('shop', 'A', { refunded_total: '50' });
  expect((await rows(t))['rows']).toMatchObject([
    { key: 'shop:1', orders: 1, order_total: 30, earnings: 3 },
    { key: 'shop:2', orders: 1, order_total: 20, earnings: 2 },
  ]);
  await payOut(t);
  await t.service.conversions.refund('shop', 'A', { refunded_total: '100' });
  expect((await rows(t))['rows']).toMatchObject([
    { key: 'shop:1', orders: 1, order_total: 0, earnings: 0 },
    { key: 'shop:2', orders: 1, order_total: 0, earnings: 0 },
  ]);
});

it('reports of products are a file, and nothing for who may not read commissions', async () => {
  const t = await startShop();
  await sell(t, 'A', [item('1', 'One', '50')]);
  await t.records.referral({ affiliate_id: t.affiliate.id, amount: 5 });
  const { text } = await t.admin.get(`/reports/breakdown?by=products&${DAYS}&format=csv`).expect(200);
  expect(text).toBe('name,clicks,orders,order_total,earnings,currency\nOne,,1,50,10,USD\n');
  expect((await t.as(3).get(`/reports/breakdown?by=products&${DAYS}`).expect(200)).body.rows).toEqual([]);
});
