import { createHmac } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import type { ConversionInput, RateRule } from '../../src/attribution/conversions/types.js';
import { startApp, type TestApp } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import { startMoney, type Door, type MoneyShop } from '../support/ways-in.js';
import { invoice, stripeEvent, wooHeaders, wooOrder } from '../support/shop-payloads.js';
import { configure } from '../support/shop.js';

// An order lives: it is edited, paid in parts, refunded, disputed and paid after all (docs/money.md).
// Amounts are worked out by hand: 10 % of what the buyer has paid and not got back, unless a test says otherwise.

jest.setTimeout(300_000);

interface Life {
  readonly shop: MoneyShop;
  readonly code: MoneyShop['service']['conversions'];
  readonly door: Door;
  readonly provider: Door;
  readonly record: (reference: string, subtotal: string, more?: Partial<ConversionInput>) => Promise<unknown>;
  /** Reports an order as the shop that sends events sees it now. */
  readonly tell: (type: string, reference: string, goods: string, more?: object) => Promise<void>;
}

async function life(options: Parameters<typeof startMoney>[0] = {}): Promise<Life> {
  const shop = await startMoney({ rate: 10, ...options });
  const token = await shop.token();
  return {
    shop,
    code: shop.service.conversions,
    door: shop.doors.code,
    provider: shop.doors.provider,
    record: (reference, subtotal, more = {}) =>
      shop.service.conversions.record(null, {
        provider: 'shop',
        reference,
        status: 'pending',
        order: { subtotal, currency: 'USD' },
        customer: { email: 'jo@buyer.test' },
        affiliate: shop.affiliate.id,
        ...more,
      }),
    tell: async (type, reference, goods, more = {}) => {
      shop.clock.advance(1000);
      const { totals = {}, ...rest } = more as { totals?: object };
      const order = {
        id: reference,
        currency: 'USD',
        totals: { goods, grand_total: goods, ...totals },
        items: [],
        customer: { email: 'jo@buyer.test' },
        attribution: { token },
        ...rest,
      };
      await shop.send({ type, order }).expect(200);
    },
  };
}

const state = async (door: Door, reference = 'A-1'): Promise<unknown[]> => {
  const row = await door.row(reference);
  return [row?.['status'], row?.['amount']];
};
const idOf = async (door: Door, reference = 'A-1'): Promise<number> =>
  Number((await door.row(reference))?.['id']);
const reasonsOf = async ({ shop }: Life, door: Door, reference = 'A-1'): Promise<unknown> =>
  (await shop.explain(await idOf(door, reference)))['reasons'];

describe('1: the content that was paid for counts', () => {
  it('75.00 becomes 2175.00 before it is paid', async () => {
    const { code, door, record } = await life();
    await record('A-1', '75.00');
    await code.update('shop', 'A-1', { order: { subtotal: '2175.00' } });
    expect(await state(door)).toEqual(['pending', 217.5]);
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 217.5]);
  });

  it('2175.00 becomes 75.00, and 75.00 are paid', async () => {
    const { code, door, record } = await life();
    await record('A-1', '2175.00');
    await code.update('shop', 'A-1', { order: { subtotal: '75.00' } });
    await code.complete('shop', 'A-1', { paid: '75.00' });
    expect(await state(door)).toEqual(['unpaid', 7.5]);
  });

  it('no commission rests on more than was paid, also when the edit is never reported', async () => {
    const { code, door, record } = await life();
    await record('A-1', '2175.00');
    await code.complete('shop', 'A-1', { paid: '75.00' });
    expect(await state(door)).toEqual(['unpaid', 7.5]);
  });

  it.each([
    ['75.00', '2175.00', 217.5],
    ['2175.00', '75.00', 7.5],
  ])('a shop says %s, then %s', async (first, then, due) => {
    const { provider, tell } = await life();
    await tell('order.created', 'A-1', first);
    await tell('order.created', 'A-1', then);
    expect(await state(provider)).toEqual(['pending', due]);
    await tell('order.paid', 'A-1', then);
    expect(await state(provider)).toEqual(['unpaid', due]);
  });

  it.each([
    ['75.00', '2175.00', 217.5],
    ['2175.00', '75.00', 7.5],
  ])('a shop says %s, and %s with the payment', async (first, then, due) => {
    const { provider, tell } = await life();
    await tell('order.created', 'A-1', first);
    await tell('order.paid', 'A-1', then);
    expect(await state(provider)).toEqual(['unpaid', due]);
  });

  it('what is added after the payment earns once it is paid too', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00');
    await code.complete('shop', 'A-1');
    await code.update('shop', 'A-1', { order: { subtotal: '150.00' } });
    expect(await state(door)).toEqual(['unpaid', 10]);
    await code.complete('shop', 'A-1', { paid: '150.00' });
    expect(await state(door)).toEqual(['unpaid', 15]);
  });

  it('and a part of it in part', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00', { status: 'unpaid' });
    await code.update('shop', 'A-1', { order: { subtotal: '200.00' } });
    await code.complete('shop', 'A-1', { paid: '150.00' });
    expect(await state(door)).toEqual(['unpaid', 15]);
  });

  it('a content with less after the payment changes nothing, and the refund of what was removed counts once', async () => {
    const { code, door, record } = await life();
    const items = [
      { id: 'a', subtotal: '60.00' },
      { id: 'b', subtotal: '40.00' },
    ];
    await record('A-1', '100.00', { status: 'unpaid', items });
    await code.update('shop', 'A-1', { order: { subtotal: '60.00' }, items: items.slice(0, 1) });
    expect(await state(door)).toEqual(['unpaid', 10]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'b', subtotal: '40.00' }] });
    expect(await state(door)).toEqual(['unpaid', 6]);
  });

  it('an item that is removed before the payment earns nothing', async () => {
    const { code, door, record } = await life();
    const rules: RateRule[] = [
      { object_type: 'product', object_ids: ['b'], rate_e4: 500_000, rate_type: 'percentage' },
    ];
    const items = [
      { id: 'a', subtotal: '60.00' },
      { id: 'b', subtotal: '40.00' },
    ];
    await record('A-1', '100.00', { items, rules });
    expect(await state(door)).toEqual(['pending', 26]);
    await code.update('shop', 'A-1', { order: { subtotal: '60.00' }, items: items.slice(0, 1) });
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 6]);
  });

  it('goods that are added to a content that earned nothing earn', async () => {
    const { code, door, record } = await life();
    const rules: RateRule[] = [
      { object_type: 'product', object_ids: ['a'], rate_e4: 0, rate_type: 'percentage' },
    ];
    const a = { id: 'a', subtotal: '60.00' };
    await record('A-1', '60.00', { items: [a], rules });
    const items = [a, { id: 'b', subtotal: '40.00' }];
    await code.update('shop', 'A-1', { order: { subtotal: '100.00' }, items });
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 4]);
  });

  it('an approval is no payment: what is edited afterwards counts', async () => {
    const { shop, code, door, record } = await life();
    await record('A-1', '2175.00');
    await shop.edit(await idOf(door), { status: 'unpaid' });
    await code.update('shop', 'A-1', { order: { subtotal: '75.00' } });
    expect(await state(door)).toEqual(['unpaid', 7.5]);
    await code.complete('shop', 'A-1', { paid: '75.00' });
    expect(await state(door)).toEqual(['unpaid', 7.5]);
  });

  it('the terms stay those of the first report', async () => {
    const { shop, code, door, record } = await life();
    await record('A-1', '100.00');
    await configure(shop, { rate: 50 });
    await code.update('shop', 'A-1', { order: { subtotal: '200.00' } });
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 20]);
  });

  it('an order that is recorded again with other data says how to change it', async () => {
    const { record } = await life();
    await record('A-1', '100.00');
    await expect(record('A-1', '150.00')).rejects.toMatchObject({
      code: 'conversion_conflict',
      message: expect.stringContaining('update'),
    });
  });

  it('an order that nobody reported has no content to change', async () => {
    const { code } = await life();
    expect(await code.update('shop', 'none', { order: { subtotal: '1.00' } })).toEqual({
      referral: null,
      changed: false,
      reason: 'unknown_order',
    });
  });
});

describe('2: the buyer and the coupon count as they are when the order is paid', () => {
  const OWN = { email: 'alice@shop.test' };

  it("a typo becomes the affiliate's own address", async () => {
    const { shop, code, record } = await life();
    await record('A-1', '100.00');
    await code.update('shop', 'A-1', { customer: OWN });
    await code.complete('shop', 'A-1');
    expect(await shop.earnings()).toEqual([0, 0]);
  });

  it("the affiliate's own address becomes a buyer's", async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00', { customer: OWN });
    await code.update('shop', 'A-1', { customer: { email: 'jo@buyer.test' } });
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 10]);
  });

  it('the same, reported by a shop with the payment', async () => {
    const { shop, tell } = await life();
    await tell('order.created', 'A-1', '100.00');
    await tell('order.paid', 'A-1', '100.00', { customer: OWN });
    expect(await shop.earnings()).toEqual([0, 0]);
  });

  it('the same, reported by a shop with the payment', async () => {
    const { provider, tell } = await life();
    await tell('order.created', 'A-1', '100.00', { customer: OWN });
    await tell('order.paid', 'A-1', '100.00');
    expect(await state(provider)).toEqual(['unpaid', 10]);
  });

  it.each([['no address'], ['a typo']])('%s at first: the customer is the one who paid', async (how) => {
    const { shop, code, door, record } = await life();
    await record('A-1', '100.00', { customer: how === 'a typo' ? { email: 'jo@byuer.test' } : null });
    await code.update('shop', 'A-1', { customer: { email: 'jo@buyer.test' } });
    await code.complete('shop', 'A-1');
    const { body } = await shop.admin.get(`/referrals/${await idOf(door)}`).expect(200);
    expect(body.referral.customer).toMatchObject({ email: 'jo@buyer.test' });
  });

  it('a coupon that comes before the payment credits its owner', async () => {
    const { shop, tell } = await life();
    const bob = await shop.records.affiliate({ user_id: 3, status: 'active' });
    await shop.configureShop({ affiliate_on_discount_product: 'yes' });
    await shop.service.conversions.bindCoupon('demo', 'BOB10', Number(bob.id));
    await tell('order.created', 'A-1', '100.00');
    await tell('order.paid', 'A-1', '90.00', {
      totals: { goods_before_discount: '100.00' },
      coupons: [{ code: 'BOB10', discount: '10.00' }],
    });
    expect([await shop.earnings(), await shop.earnings(Number(bob.id))]).toEqual([
      [0, 0],
      [9, 9],
    ]);
  });

  it('after the payment nothing is checked again', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00', { status: 'unpaid' });
    await code.update('shop', 'A-1', { customer: OWN });
    expect(await state(door)).toEqual(['unpaid', 10]);
  });
});

describe('3: a returned item takes exactly what it earned', () => {
  const percent = (id: string, rate: number): RateRule => ({
    object_type: 'product',
    object_ids: [id],
    rate_e4: rate * 10_000,
    rate_type: 'percentage',
  });
  const two = [
    { id: 'a', subtotal: '50.00' },
    { id: 'b', subtotal: '50.00' },
  ];

  it.each([
    ['at 50 %', 50, 35, 10],
    ['at 0 %', 0, 10, 10],
    ['at the rate of the rest', 20, 20, 10],
  ])('an item %s', async (_name, rate, whole, left) => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { status: 'unpaid', items: two, rules: [percent('a', rate)] });
    expect(await state(door)).toEqual(['unpaid', whole]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'a', subtotal: '50.00' }] });
    expect(await state(door)).toEqual(['unpaid', left]);
  });

  it.each([
    ['at 50 %', { custom_affiliate_rates: [{ object_type: 'product', object_ids: ['a'], rate: 50 }] }, 35],
    ['at 0 %', { custom_affiliate_rates: [{ object_type: 'product', object_ids: ['a'], rate: 0 }] }, 10],
  ])('an item of a shop %s', async (_name, config, whole) => {
    const { shop, provider, tell } = await life({ rate: 20 });
    await shop.configureShop({ custom_affiliate_rate: 'yes', ...config });
    await tell('order.paid', 'A-1', '100.00', {
      items: [
        { id: 'l1', product_id: 'a', quantity: 1, net: '50.00' },
        { id: 'l2', product_id: 'b', quantity: 1, net: '50.00' },
      ],
    });
    expect(await state(provider)).toEqual(['unpaid', whole]);
    const items = [{ item_id: 'l1', net: '50.00', tax: '0' }];
    await provider.refundOne?.('A-1', 'r1', '50.00', { items });
    expect(await state(provider)).toEqual(['unpaid', 10]);
  });

  it('an item of an excluded product', async () => {
    const { shop, code, door, record } = await life({ rate: 20 });
    await configure(shop, { excluded_products: ['a'] });
    await record('A-1', '100.00', { status: 'unpaid', items: two });
    expect(await state(door)).toEqual(['unpaid', 10]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'a', subtotal: '50.00' }] });
    expect(await state(door)).toEqual(['unpaid', 10]);
  });

  it('an item that earns nothing, beside one that does', async () => {
    const { code, door, record } = await life({ rate: 20 });
    const items = [
      { id: 'a', subtotal: '90.00', commissionable: false },
      { id: 'b', subtotal: '10.00' },
    ];
    await record('A-1', '100.00', { status: 'unpaid', items });
    expect(await state(door)).toEqual(['unpaid', 2]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'a', subtotal: '90.00' }] });
    expect(await state(door)).toEqual(['unpaid', 2]);
  });

  it('an amount without items is taken from all lines', async () => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { status: 'unpaid', items: two, rules: [percent('a', 50)] });
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '50.00' });
    expect(await state(door)).toEqual(['unpaid', 17.5]);
  });

  it('an amount after a return is taken from what the buyer still has', async () => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { status: 'unpaid', items: two, rules: [percent('a', 50)] });
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'a', subtotal: '50.00' }] });
    await code.refund('shop', 'A-1', { refund_id: 'r2', amount: '25.00' });
    expect(await state(door)).toEqual(['unpaid', 5]);
  });
});

describe('4: a refund is compared with what the buyer paid', () => {
  const PARTLY = { subtotal: '100.00', paid: '60.00', currency: 'USD' };

  it('60 of 100 by money, the rest by gift card: all of the 60 back', async () => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { status: 'unpaid', order: PARTLY });
    expect(await state(door)).toEqual(['unpaid', 12]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '30.00' });
    expect(await state(door)).toEqual(['unpaid', 6]);
    await code.refund('shop', 'A-1', { refund_id: 'r2', amount: '30.00' });
    expect(await state(door)).toEqual(['rejected', 0]);
  });

  it('the same when the shop reports the order before it is paid', async () => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { order: PARTLY });
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 12]);
  });

  it('the same as a total', async () => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { status: 'unpaid', order: PARTLY });
    await code.refund('shop', 'A-1', { refunded_total: '60.00' });
    expect(await state(door)).toEqual(['rejected', 0]);
  });

  it('the same from a shop', async () => {
    const { provider, tell } = await life({ rate: 20 });
    await tell('order.paid', 'A-1', '100.00', { totals: { paid: '60.00' } });
    expect(await state(provider)).toEqual(['unpaid', 12]);
    await provider.refundOne?.('A-1', 'r1', '60.00');
    expect(await state(provider)).toEqual(['rejected', 0]);
  });

  it('an item returned of an order of which 40 of 100 were paid is cut by the same share', async () => {
    const { code, door, record } = await life({ rate: 20 });
    const items = [
      { id: 'a', subtotal: '50.00' },
      { id: 'b', subtotal: '50.00' },
    ];
    await record('A-1', '100.00', { status: 'unpaid', order: { ...PARTLY, paid: '40.00' }, items });
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'a', subtotal: '50.00' }] });
    expect(await state(door)).toEqual(['unpaid', 4]);
  });

  it('an invoice of 20.00 with a balance of 5.00: all of the 15.00 back', async () => {
    const { code, door, record } = await life();
    await record('A-1', '20.00', { status: 'unpaid', order: { subtotal: '20.00', paid: '15.00' } });
    expect(await state(door)).toEqual(['unpaid', 1.5]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '15.00' });
    expect(await state(door)).toEqual(['rejected', 0]);
  });
});

describe('5: one rounding', () => {
  it.each([['amount'], ['total']])('half of 227.07 back, reported as %s', async (how) => {
    const { code, door, record } = await life();
    await record('A-1', '227.07', { status: 'unpaid', order: { subtotal: '227.07', total: '454.14' } });
    await code.refund(
      'shop',
      'A-1',
      how === 'amount' ? { refund_id: 'r1', amount: '227.07' } : { refunded_total: '227.07' },
    );
    expect(await state(door)).toEqual(['unpaid', 11.35]); // 113.535 × 10 % = 11.3535
  });
});

describe('6: what an approval cleared stays cleared', () => {
  it('unpaid_order, after a hold', async () => {
    const { shop, door, record } = await life();
    await record('A-1', '100.00');
    const id = await idOf(door);
    for (const status of ['unpaid', 'pending', 'unpaid']) await shop.edit(id, { status });
    expect(await state(door)).toEqual(['unpaid', 10]);
  });

  it('failed, after a rejection', async () => {
    const { shop, door, record } = await life();
    await record('A-1', '100.00');
    await door.fail?.('A-1');
    const id = await idOf(door);
    for (const status of ['unpaid', 'rejected', 'unpaid']) await shop.edit(id, { status });
    expect(await state(door)).toEqual(['unpaid', 10]);
  });

  it.each([['unpaid_order'], ['failed']])('%s, when an approval that saw a dispute follows', async (what) => {
    const { shop, door, record } = await life();
    await record('A-1', '100.00');
    if (what === 'failed') await door.fail?.('A-1');
    const id = await idOf(door);
    await shop.edit(id, { status: 'unpaid' });
    await door.dispute?.('A-1', 'opened');
    await shop.edit(id, { status: 'unpaid' });
    await door.dispute?.('A-1', 'won');
    expect(await state(door)).toEqual(['unpaid', 10]);
  });
});

describe('7: a refund in another currency is converted once', () => {
  const abroad = { refund_id: 'r1', amount: '40.00', currency: 'EUR' };

  it.each([['unpaid'], ['paid']])('%s, reported again after the rate moved', async (status) => {
    const { shop, code, record } = await life({ rate: 20 });
    let rate = '1.25';
    Object.assign(shop.host, { exchangeRate: async () => rate });
    await record('A-1', '100.00', { status: 'unpaid' });
    if (status === 'paid') await shop.payOut();
    await code.refund('shop', 'A-1', abroad);
    expect((await shop.earnings())[0]).toBe(10);
    rate = '2';
    await code.refund('shop', 'A-1', abroad);
    expect((await shop.earnings())[0]).toBe(10);
  });

  it('is undone by its id alone', async () => {
    const { shop, code, record } = await life({ rate: 20 });
    Object.assign(shop.host, { exchangeRate: async () => '1.25' });
    await record('A-1', '100.00', { status: 'unpaid' });
    await code.refund('shop', 'A-1', abroad);
    await code.refund('shop', 'A-1', { refund_id: 'r1', undone: true });
    expect(await shop.earnings()).toEqual([20, 20]);
  });

  it('is undone by its id alone when it was held', async () => {
    const { code, door, record } = await life({ rate: 20 });
    await record('A-1', '100.00', { status: 'unpaid' });
    await code.refund('shop', 'A-1', abroad);
    expect(await state(door)).toEqual(['pending', 20]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', undone: true });
    expect(await state(door)).toEqual(['unpaid', 20]);
  });
});

describe('19: a commission entered by hand for an order is tied to it', () => {
  const byHand = (more: object = {}): object => ({
    type: 'sale',
    amount: 10,
    status: 'unpaid',
    provider: 'demo',
    provider_id: 5512,
    ...more,
  });
  const rows = async (shop: MoneyShop): Promise<unknown[]> =>
    (await shop.referrals()).map((row) => [row['status'], row['amount']]);

  it('before its order is reported: one commission, and a full refund takes it', async () => {
    const { shop, provider, tell } = await life();
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id }))
      .expect(200);
    await tell('order.paid', '5512', '100.00');
    expect(await rows(shop)).toEqual([['unpaid', 10]]);
    await provider.refundOne?.('5512', 'r1', '100.00');
    expect(await rows(shop)).toEqual([['rejected', 0]]);
  });

  it('before code reports its order: what is refunded later is compared with its total', async () => {
    const { shop, code, record } = await life();
    const body = byHand({ affiliate_id: shop.affiliate.id, provider: 'shop', provider_id: 'A-1' });
    await shop.admin.post('/referrals').send(body).expect(200);
    expect(await record('A-1', '200.00', { status: 'unpaid' })).toMatchObject({
      created: false,
      reason: 'duplicate',
      referral: { amount: 10, status: 'unpaid' },
    });
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '50.00' });
    expect(await rows(shop)).toEqual([['unpaid', 7.5]]);
    await record('A-1', '200.00', { status: 'unpaid' });
    expect(await rows(shop)).toEqual([['unpaid', 7.5]]);
  });

  it('for an order that no affiliate brought', async () => {
    const { shop, provider, tell } = await life();
    await tell('order.paid', '5512', '100.00', { attribution: {} });
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id }))
      .expect(200);
    expect(await rows(shop)).toEqual([['unpaid', 10]]);
    await provider.refundOne?.('5512', 'r1', '40.00');
    expect(await rows(shop)).toEqual([['unpaid', 6]]);
    await provider.refundOne?.('5512', 'r2', '60.00');
    expect(await rows(shop)).toEqual([['rejected', 0]]);
    const [kept] = await shop.app.db('provider_deliveries').where({ reason: 'no_affiliate' });
    expect(kept.event).not.toContain('@');
  });

  it('for an order that a gift card paid in part: all that the buyer paid is refunded', async () => {
    const { shop, provider, tell } = await life();
    await tell('order.paid', '5512', '100.00', { attribution: {}, totals: { paid: '60.00' } });
    const body = byHand({ affiliate_id: shop.affiliate.id, amount: 6 });
    await shop.admin.post('/referrals').send(body).expect(200);
    await provider.refundOne?.('5512', 'r1', '30.00');
    expect(await rows(shop)).toEqual([['unpaid', 3]]);
    await provider.refundOne?.('5512', 'r2', '30.00');
    expect(await rows(shop)).toEqual([['rejected', 0]]);
  });

  it('for an order with a deposit: a refund before the payment is compared with the deposit', async () => {
    const { shop, code, record } = await life();
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id, provider: 'shop', provider_id: 'A-1' }))
      .expect(200);
    await record('A-1', '200.00');
    await code.update('shop', 'A-1', { order: { subtotal: '200.00', currency: 'USD', paid: '50.00' } });
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '25.00' });
    await record('A-1', '200.00');
    expect(await rows(shop)).toEqual([['unpaid', 5]]);
  });

  it('for an order that was refunded before', async () => {
    const { shop, provider, tell } = await life();
    await tell('order.paid', '5512', '100.00', { attribution: {} });
    await provider.refundOne?.('5512', 'r1', '40.00');
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id }))
      .expect(200);
    await shop.service.jobs.runDue();
    expect(await rows(shop)).toEqual([['unpaid', 6]]);
  });

  it('for an order that nobody has reported: a person decides about its refund', async () => {
    const { shop, provider } = await life();
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id }))
      .expect(200);
    await provider.refundOne?.('5512', 'r1', '100.00');
    expect(await rows(shop)).toEqual([['pending', 10]]);
    const { id } = (await shop.referrals())[0]!;
    expect((await shop.explain(id))['reasons']).toEqual(['totals_mismatch']);
  });

  it('twice by hand makes one', async () => {
    const { shop } = await life();
    const body = byHand({ affiliate_id: shop.affiliate.id });
    await shop.admin.post('/referrals').send(body).expect(200);
    const { body: refused } = await shop.admin.post('/referrals').send(body).expect(409);
    expect(refused).toMatchObject({
      code: 'order_credited',
      data: { affiliate_id: shop.affiliate.id, referral_id: expect.any(Number) },
    });
    expect(await rows(shop)).toEqual([['unpaid', 10]]);
  });

  it('a second affiliate for the same order is refused', async () => {
    const { shop, tell } = await life();
    const bob = await shop.records.affiliate({ user_id: 3, status: 'active' });
    await tell('order.paid', '5512', '100.00');
    const answer = await shop.admin.post('/referrals').send(byHand({ affiliate_id: bob.id }));
    expect([answer.status, answer.body.code]).toEqual([409, 'order_credited']);
    expect(await rows(shop)).toEqual([['unpaid', 10]]);
  });

  it('without a provider: the order of a shop or of code with this number is the one', async () => {
    const { shop, tell, record } = await life();
    const enter = async (number: number): Promise<number> =>
      (
        await shop.admin
          .post('/referrals')
          .send(byHand({ affiliate_id: shop.affiliate.id, provider: 'manual', provider_id: number }))
      ).status;
    expect([await enter(5512), await enter(5513)]).toEqual([200, 200]);
    await tell('order.paid', '5512', '100.00');
    const again = (await record('5513', '100.00')) as { created: boolean; reason: string };
    expect(again).toMatchObject({ created: false, reason: 'duplicate' });
    await tell('order.paid', '5514', '100.00');
    expect([await enter(5512), await enter(5514)]).toEqual([409, 409]);
    expect(await rows(shop)).toHaveLength(3);
  });

  it('for an order that earned nothing: what it was refunded counts, also before', async () => {
    const { shop, code, door, record } = await life();
    await record('A-1', '100.00', { customer: { email: 'alice@shop.test' } });
    await code.refund('shop', 'A-1', { refund_id: 'r', amount: '50.00' });
    const body = { affiliate_id: shop.affiliate.id, amount: 8, status: 'unpaid', type: 'sale' };
    await shop.admin
      .post('/referrals')
      .send({ ...body, provider: 'shop', provider_id: 'A-1' })
      .expect(200);
    expect(await state(door)).toEqual(['unpaid', 8]);
    await code.refund('shop', 'A-1', { refund_id: 's', amount: '25.00' });
    expect(await state(door)).toEqual(['unpaid', 4]);
    await code.refund('shop', 'A-1', { refund_id: 't', amount: '25.00' });
    expect(await state(door)).toEqual(['rejected', 0]);
  });

  it.each([
    ['the affiliate as its buyer', {}],
    ["another affiliate's coupon", { coupon: 'BOB10' }],
  ])('is what the person said, though the order is reported again with %s', async (_name, more) => {
    const { shop, code, record } = await life();
    const bob = await shop.records.affiliate({ user_id: 3, status: 'active' });
    await shop.service.conversions.bindCoupon('shop', 'BOB10', Number(bob.id));
    const own = { customer: { email: 'alice@shop.test' } };
    await record('A-1', '100.00', own);
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id, provider: 'shop', provider_id: 'A-1' }))
      .expect(200);

    await code.update('shop', 'A-1', { ...own, ...more, order: { subtotal: '80.00', currency: 'USD' } });
    await code.complete('shop', 'A-1');
    expect(
      (await shop.referrals()).map((row) => [row['affiliate_id'], row['status'], row['amount']]),
    ).toEqual([[shop.affiliate.id, 'unpaid', 10]]);
  });

  it('a person who holds it is asked, though the order is paid', async () => {
    const { shop, tell } = await life();
    await shop.admin
      .post('/referrals')
      .send(byHand({ affiliate_id: shop.affiliate.id, status: 'pending' }))
      .expect(200);
    await tell('order.paid', '5512', '100.00');
    expect(await rows(shop)).toEqual([['pending', 10]]);
    const { id } = (await shop.referrals())[0]!;
    expect((await shop.explain(id))['reasons']).toEqual(['manual']);
    await shop.admin
      .patch(`/referrals/${String(id)}`)
      .send({ status: 'unpaid' })
      .expect(200);
    expect(await rows(shop)).toEqual([['unpaid', 10]]);
  });

  it('a commission that was deleted stays deleted', async () => {
    const { shop, tell } = await life();
    await tell('order.paid', '5512', '100.00');
    const { id } = (await shop.referrals())[0]!;
    await shop.admin.delete(`/referrals/${String(id)}`).expect(200);
    const answer = await shop.admin.post('/referrals').send(byHand({ affiliate_id: shop.affiliate.id }));
    expect([answer.status, answer.body.code]).toEqual([409, 'order_credited']);
  });
});

describe('20: what was paid is a fact with a time, and the last one counts', () => {
  it.each([
    ['nothing', '0.00'],
    ['a deposit of 30.00', '30.00'],
  ])('a shop reports %s, then all of it', async (_name, paid) => {
    const { provider, tell } = await life();
    await tell('order.created', 'A-1', '100.00', { totals: { paid } });
    await tell('order.paid', 'A-1', '100.00', { totals: { paid: '100.00' } });
    expect(await state(provider)).toEqual(['unpaid', 10]);
  });

  it('a deposit by code, then the balance', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00', { order: { subtotal: '100.00', paid: '30.00' } });
    await code.update('shop', 'A-1', { order: { subtotal: '100.00', paid: '100.00' } });
    await code.complete('shop', 'A-1');
    expect(await state(door)).toEqual(['unpaid', 10]);
  });

  it('nothing by code, then all of it', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00', { order: { subtotal: '100.00', paid: '0.00' } });
    await code.complete('shop', 'A-1', { paid: '100.00' });
    expect(await state(door)).toEqual(['unpaid', 10]);
  });

  it('a deposit outlasts an edit to less than it, and pays for what is added again', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00', { order: { subtotal: '100.00', currency: 'USD', paid: '60.00' } });
    await code.update('shop', { reference: 'A-1' }, { order: { subtotal: '20.00' } });
    expect(await state(door)).toEqual(['pending', 2]);
    await code.update('shop', { reference: 'A-1' }, { order: { subtotal: '80.00' } });
    expect(await state(door)).toEqual(['pending', 6]);
  });

  it('a deposit is what is left when the payment after it failed, also of an order edited in between', async () => {
    const { shop, code, door, record } = await life();
    await record('A-1', '100.00', { order: { subtotal: '100.00', paid: '30.00' } });
    await code.complete('shop', 'A-1', { paid: '100.00' });
    await code.update('shop', { reference: 'A-1' }, { order: { subtotal: '150.00' } });
    await code.cancel('shop', 'A-1', 'failed');
    expect(await state(door)).toEqual(['rejected', 3]);
    await shop.edit(await idOf(door, 'A-1'), { status: 'unpaid' });
    expect(await state(door)).toEqual(['unpaid', 3]);
  });

  it('a deposit alone, completed, earns its share', async () => {
    const { code, door, record } = await life();
    await record('A-1', '100.00');
    await code.complete('shop', 'A-1', { paid: '30.00' });
    expect(await state(door)).toEqual(['unpaid', 3]);
  });
});

describe('21: an approval clears what existed when the person looked', () => {
  it('and not a parent that is held again', async () => {
    const one = await life();
    const { shop, door } = one;
    await configure(shop, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await door.order('S-1', { net: '100.00', subscription: { id: 'sub' } });
    await door.order('S-2', { net: '100.00', subscription: { id: 'sub', phase: 'renewal' } });
    const [first, second] = [await idOf(door, 'S-1'), await idOf(door, 'S-2')];
    await shop.edit(first, { status: 'pending' });
    await shop.edit(second, { status: 'unpaid' });
    expect(await state(door, 'S-2')).toEqual(['unpaid', 10]);
    await shop.edit(first, { status: 'unpaid' });
    await shop.edit(first, { status: 'pending' });
    expect(await state(door, 'S-2')).toEqual(['pending', 10]);
    expect(await reasonsOf(one, door, 'S-2')).toEqual(['manual']);
  });

  it('and not a parent that is rejected again', async () => {
    const { shop, door } = await life();
    await configure(shop, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await door.order('S-1', { net: '100.00', subscription: { id: 'sub' } });
    await door.order('S-2', { net: '100.00', subscription: { id: 'sub', phase: 'renewal' } });
    const [first, second] = [await idOf(door, 'S-1'), await idOf(door, 'S-2')];
    await shop.edit(first, { status: 'rejected' });
    await shop.edit(second, { status: 'unpaid' });
    expect(await state(door, 'S-2')).toEqual(['unpaid', 10]);
    await shop.edit(first, { status: 'unpaid' });
    await shop.edit(first, { status: 'rejected' });
    expect((await state(door, 'S-2'))[0]).toBe('rejected');
  });

  it('and not a foreign refund that grew', async () => {
    const { shop, code, door, record } = await life();
    await record('A-1', '100.00', { status: 'unpaid' });
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '20.00', currency: 'EUR' });
    await shop.edit(await idOf(door), { status: 'unpaid' });
    expect(await state(door)).toEqual(['unpaid', 10]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '50.00', currency: 'EUR' });
    expect(await state(door)).toEqual(['pending', 10]);
  });

  it('and not a full refund after goodwill', async () => {
    const { shop, code, door, record } = await life();
    await record('A-1', '100.00', { status: 'unpaid' });
    await code.refund('shop', 'A-1', { refund_id: 'r1', amount: '100.00' });
    await shop.edit(await idOf(door), { status: 'unpaid', amount: 10 });
    expect(await state(door)).toEqual(['unpaid', 10]);
    await code.refund('shop', 'A-1', { refund_id: 'r1', undone: true });
    expect(await state(door)).toEqual(['unpaid', 10]);
    await code.refund('shop', 'A-1', { refund_id: 'r2', amount: '100.00' });
    expect((await state(door))[0]).toBe('rejected');
  });
});

describe('22: a refund takes back its own payment', () => {
  const subscribed = async (): Promise<Life> => {
    const one = await life({ rate: 20 });
    await configure(one.shop, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    for (const n of [1, 2, 3])
      await one.door.order(`S-${n}`, {
        net: '100.00',
        subscription: n === 1 ? { id: 'sub' } : { id: 'sub', phase: 'renewal' },
      });
    return one;
  };
  const month4 = { net: '100.00', subscription: { id: 'sub', phase: 'renewal' } } as const;

  it('the first month as goodwill: months 2 and 3 stay, month 4 earns', async () => {
    const { shop, door } = await subscribed();
    await door.refund('S-1', '100.00');
    expect(await shop.earnings()).toEqual([20, 20]);
    await door.order('S-4', month4);
    expect([await state(door, 'S-4'), await shop.earnings()]).toEqual([
      ['unpaid', 10],
      [30, 30],
    ]);
  });

  it.each([['a person'], ['a lost dispute']])('%s ends the renewals', async (who) => {
    const { shop, door } = await subscribed();
    if (who === 'a person') await shop.edit(await idOf(door, 'S-1'), { status: 'rejected' });
    else await door.dispute?.('S-1', 'lost');
    expect(await shop.earnings()).toEqual([0, 0]);
    await door.order('S-4', month4);
    expect(await shop.earnings()).toEqual([0, 0]);
  });
});

describe('27: a refund of an order in parts is shared by what was paid for each', () => {
  const inParts = async (): Promise<Life> => {
    const one = await life();
    for (const [sub, subtotal] of [
      ['v1', '60.00'],
      ['v2', '40.00'],
    ] as const)
      await one.record('A-1', subtotal, {
        status: 'unpaid',
        sub_reference: sub,
        items: [{ id: `of-${sub}`, subtotal }],
      });
    return one;
  };
  const amounts = async ({ shop }: Life): Promise<unknown[]> =>
    (await shop.referrals()).map((row) => [row['status'], row['amount']]);

  it('an amount', async () => {
    const one = await inParts();
    await one.code.refund('shop', 'A-1', { refund_id: 'r1', amount: '50.00' });
    expect(await amounts(one)).toEqual([
      ['unpaid', 3],
      ['unpaid', 2],
    ]);
  });

  it('everything, as a total', async () => {
    const one = await inParts();
    await one.code.refund('shop', 'A-1', { refunded_total: '100.00' });
    expect(await amounts(one)).toEqual([
      ['rejected', 0],
      ['rejected', 0],
    ]);
  });

  it('items only where they are', async () => {
    const one = await inParts();
    await one.code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'of-v2', subtotal: '20.00' }] });
    expect(await amounts(one)).toEqual([
      ['unpaid', 6],
      ['unpaid', 2],
    ]);
  });

  it('an item of a part that was paid in part goes back with the share that was paid', async () => {
    const { shop, code, record } = await life();
    for (const [sub, subtotal] of [
      ['v1', '60.00'],
      ['v2', '40.00'],
    ] as const)
      await record('A-1', subtotal, { sub_reference: sub, items: [{ id: `of-${sub}`, subtotal }] });
    await code.complete('shop', { reference: 'A-1', sub_reference: 'v1' });
    await code.complete('shop', { reference: 'A-1', sub_reference: 'v2' }, { paid: '30.00' });
    await code.refund('shop', 'A-1', { refund_id: 'r1', items: [{ id: 'of-v2', subtotal: '20.00' }] });
    expect((await shop.referrals()).map((row) => [row['status'], row['amount']])).toEqual([
      ['unpaid', 6],
      ['unpaid', 1.5],
    ]);
  });

  it.each([
    ['an amount', { gross: '50.00' }, [3, 2]],
    ['an item', { gross: '20.00', items: [{ item_id: 'of-v2', net: '20.00', tax: '0' }] }, [6, 2]],
  ])('%s, reported by a shop', async (_name, refund, left) => {
    const one = await life();
    for (const [sub, goods] of [
      ['v1', '60.00'],
      ['v2', '40.00'],
    ] as const)
      await one.tell('order.paid', 'A-1', goods, {
        sub_id: sub,
        items: [{ id: `of-${sub}`, product_id: sub, quantity: 1, net: goods }],
      });
    one.shop.clock.advance(1000);
    const report = { order_ref: 'A-1', refund_id: 'r1', currency: 'USD', state: 'done', ...refund };
    await one.shop.send({ type: 'order.refunded', refund: report }).expect(200);
    expect((await amounts(one)).map((row) => (row as unknown[])[1])).toEqual(left);
  });
});

describe('35: no item comes back more often than it was bought', () => {
  it('the same item under two refund ids', async () => {
    const one = await life({ rate: 20 });
    const items = [
      { id: 'a', subtotal: '50.00' },
      { id: 'b', subtotal: '50.00' },
    ];
    await one.record('A-1', '100.00', { status: 'unpaid', items });
    const back = [{ id: 'a', subtotal: '50.00' }];
    await one.code.refund('shop', 'A-1', { refund_id: 'r1', items: back });
    expect(await state(one.door)).toEqual(['unpaid', 10]);
    await one.code.refund('shop', 'A-1', { refund_id: 'r2', items: back });
    expect((await state(one.door))[1]).toBe(10);
    expect(await reasonsOf(one, one.door)).toEqual(['totals_mismatch']);
  });
});

describe('36: a merge moves every line with its kind', () => {
  it('payments of the other account stay payments', async () => {
    const { shop, door } = await life({ rate: 20 });
    const bob = await shop.records.affiliate({ user_id: 3, status: 'active' });
    await door.order('A-1', { net: '100.00' });
    await door.order('B-1', { net: '50.00', affiliate: Number(bob.id), email: 'kim@buyer.test' });
    const payout = await shop.payOut();
    await shop.admin.patch(`/payouts/${payout}/transactions/bulk-action`).send({ confirm: true }).expect(200);
    await shop.admin.post(`/affiliates/${shop.affiliate.id}/merge`).send({ other_id: bob.id }).expect(200);
    const { body } = await shop.admin
      .get(`/affiliates/${shop.affiliate.id}/statement?per_page=50`)
      .expect(200);
    const lines = (body.statement.data as { kind: string; amount: number }[])
      .map(({ kind, amount }) => [kind, amount])
      .toSorted((a, b) => Number(b[1]) - Number(a[1]));
    expect(lines).toEqual([
      ['earned', 20],
      ['earned', 10],
      ['paid', -30], // one payout paid both
    ]);
    expect(body.balance).toMatchObject({ closing: 0 });
  });

  it('order value counts the orders that earn, less what was refunded after the payout', async () => {
    const { shop, door } = await life();
    await door.order('A-1', { net: '100.00' });
    await door.order('A-2', { net: '70.00', paid: false, email: 'kim@buyer.test' });
    await shop.payOut();
    await door.refundOne?.('A-1', 'r1', '40.00');
    const { rows } = (await shop.admin.get('/reports/breakdown?by=shops').expect(200)).body;
    expect(rows).toMatchObject([{ earnings: 6, order_total: 60 }]);
  });

  it('also where nothing is taken back, and again when the refund is undone', async () => {
    const { shop, door } = await life();
    await shop.service.settings.saveRules({ clawback: 'off' });
    await door.order('A-1', { net: '100.00' });
    await shop.payOut();
    const rows = async (): Promise<unknown> =>
      (await shop.admin.get('/reports/breakdown?by=shops').expect(200)).body.rows;
    await door.refundOne?.('A-1', 'r1', '40.00');
    expect(await rows()).toMatchObject([{ earnings: 10, order_total: 60 }]);
    await door.refundOne?.('A-1', 'r2', '60.00');
    expect(await rows()).toMatchObject([{ earnings: 10, order_total: 0 }]);
    await door.refundOne?.('A-1', 'r2', '60.00', { undone: true });
    await door.refundOne?.('A-1', 'r1', '40.00', { undone: true });
    expect(await rows()).toMatchObject([{ earnings: 10, order_total: 100 }]);
    expect(await shop.service.verify()).toEqual([]);
  });
});

describe('37: limits are counted over what is due now', () => {
  const capped = async (): Promise<Life> => {
    const one = await life({ rate: 20 });
    await configure(one.shop, { commission_cap_amount: 30, commission_cap_days: 0 });
    return one;
  };

  it('cap 30: the first is refunded, the second earns, the refund is undone', async () => {
    const { shop, door } = await capped();
    await door.order('A-1', { net: '150.00' });
    await door.refundOne?.('A-1', 'r1', '150.00');
    await door.order('A-2', { net: '150.00' });
    expect(await shop.earnings()).toEqual([30, 30]);
    await door.refundOne?.('A-1', 'r1', '150.00', { undone: true });
    expect(await shop.earnings()).toEqual([30, 30]);
  });

  it('cap 30: the first fails, the second earns, the first is paid after all', async () => {
    const { shop, door } = await capped();
    await door.order('A-1', { net: '100.00', paid: false });
    await door.fail?.('A-1');
    await door.order('A-2', { net: '150.00' });
    expect(await shop.earnings()).toEqual([30, 30]);
    await door.pay('A-1');
    expect(await shop.earnings()).toEqual([30, 30]);
  });

  it('cap 30: what the second could not earn, it earns when the first is refunded', async () => {
    const { shop, door } = await capped();
    await door.order('A-1', { net: '100.00' });
    await door.order('A-2', { net: '100.00' });
    expect(await shop.earnings()).toEqual([30, 30]);
    await door.refundOne?.('A-1', 'r1', '100.00');
    expect(await shop.earnings()).toEqual([20, 20]);
    await door.refundOne?.('A-1', 'r1', '100.00', { undone: true });
    expect(await shop.earnings()).toEqual([30, 30]);
  });

  it('cap 30: also one that came when nothing was left', async () => {
    const { shop, door } = await capped();
    await door.order('A-1', { net: '150.00' });
    await door.order('A-2', { net: '150.00' });
    expect(await shop.earnings()).toEqual([30, 30]);
    await door.refundOne?.('A-1', 'r1', '150.00');
    expect(await shop.earnings()).toEqual([30, 30]);
  });

  const limited = async (): Promise<Life & { readonly renew: (n: number) => Promise<unknown> }> => {
    const one = await life({ rate: 20 });
    const terms = { enable_subscription_renewal: 'yes', renewal_rate: 10, max_renewal_count: 3 };
    await configure(one.shop, terms);
    await one.door.order('S-1', { net: '100.00', subscription: { id: 'sub' } });
    const renewal = { net: '100.00', subscription: { id: 'sub', phase: 'renewal' } } as const;
    return { ...one, renew: (n) => one.door.order(`S-${n}`, renewal) };
  };

  it('two renewals: one is refunded, two more come, the refund is undone', async () => {
    const { shop, door, renew } = await limited();
    await renew(2);
    await door.refundOne?.('S-2', 'r1', '100.00');
    await renew(3);
    await renew(4);
    expect(await shop.earnings()).toEqual([40, 40]);
    await door.refundOne?.('S-2', 'r1', '100.00', { undone: true });
    expect(await shop.earnings()).toEqual([40, 40]);
  });

  it('cap 30: a renewal that found nothing left earns when the first payment is deleted', async () => {
    const { shop, door } = await capped();
    await configure(shop, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    await door.order('S-1', { net: '150.00', subscription: { id: 'sub' } });
    await door.order('S-2', { net: '100.00', subscription: { id: 'sub', phase: 'renewal' } });
    expect(await shop.earnings()).toEqual([30, 30]);
    await shop.admin.delete(`/referrals/${await idOf(door, 'S-1')}`).expect(200);
    expect(await door.row('S-2')).toMatchObject({ amount: 10, status: 'unpaid', parent_id: null });
    expect(await shop.earnings()).toEqual([10, 10]);
  });

  it('two renewals: a third one earns when one of them is refunded', async () => {
    const { shop, door, renew } = await limited();
    for (const n of [2, 3, 4]) await renew(n);
    expect(await shop.earnings()).toEqual([40, 40]);
    await door.refundOne?.('S-2', 'r1', '100.00');
    expect(await shop.earnings()).toEqual([40, 40]);
  });
});

describe('38: the last state of a dispute counts', () => {
  it.each([
    ['lost, won, lost', 'rejected'],
    ['won, lost, won', 'unpaid'],
    ['opened, lost, won, lost, won', 'unpaid'],
  ])('%s', async (event, status) => {
    const words = event.split(', ') as ('opened' | 'won' | 'lost')[];
    const then = [status, 10];
    const { shop, code, door, provider, record } = await life();
    await record('A-1', '100.00', { status: 'unpaid' });
    await provider.order('A-1', { net: '100.00', email: 'kim@buyer.test' });
    for (const word of words) {
      shop.clock.advance(1000);
      await code.dispute('shop', 'A-1', word);
      await provider.dispute?.('A-1', word);
    }
    expect([await state(door), await state(provider)]).toEqual([then, then]);
  });

  it('also when "lost" is reported as an end of the order', async () => {
    const { shop, door, record } = await life();
    await record('A-1', '100.00', { status: 'unpaid' });
    for (const word of ['lost', 'won', 'lost'] as const) {
      shop.clock.advance(1000);
      await door.dispute?.('A-1', word);
    }
    expect((await state(door))[0]).toBe('rejected');
  });
});

// ── in the vendors' own form ──

const hmac = (secret: string, body: string, encoding: 'hex' | 'base64' = 'base64'): string =>
  createHmac('sha256', secret).update(body).digest(encoding);
const seconds = (at: number): number => Math.floor(at / 1000);
const iso = (at: number): string => new Date(at).toISOString().slice(0, 19);

interface Vendor {
  readonly shop: TestApp;
  /** `age`: the event is so many milliseconds older than its delivery. */
  readonly send: (topic: string, body: (at: number, token: string) => object, age?: number) => Promise<void>;
  readonly rows: () => Promise<unknown[]>;
}

async function vendor(provider: CommerceProvider, config: object = {}): Promise<Vendor> {
  const shop = await startApp({ rate: 10, providers: [provider] });
  const affiliate = await shop.records.affiliate({ user_id: 2, status: 'active' });
  const settings = { integration: provider.key, config: { is_enabled: 'yes', ...config } };
  await shop.admin.post('/settings/integration/config').send(settings).expect(200);
  const token = await tokenOf(shop, Number(affiliate.id));
  let deliveries = 0;
  const headersOf = (topic: string, body: string): object =>
    provider.key === 'woo'
      ? {
          ...wooHeaders(topic),
          'X-WC-Webhook-Source': 'https://woo.test',
          'X-WC-Webhook-Signature': hmac('s3cret-of-woo', body),
        }
      : {
          'Stripe-Signature': `t=${seconds(shop.clock.time)},v1=${hmac('whsec_x_test', `${seconds(shop.clock.time)}.${body}`, 'hex')}`,
        };
  return {
    shop,
    send: async (topic, of, age = 0) => {
      shop.clock.advance(2000);
      deliveries += 1;
      const at = shop.clock.time - age;
      const object = of(at, token);
      const event = { id: `evt_${deliveries}`, created: seconds(at) };
      const body = JSON.stringify(provider.key === 'woo' ? object : stripeEvent(topic, object, event));
      await request(shop.server)
        .post(`${shop.service.basePath}/webhooks/${provider.key}`)
        .set({ 'Content-Type': 'application/json', ...headersOf(topic, body) })
        .send(body)
        .expect(200);
    },
    rows: async () =>
      (
        (await shop.admin.get('/referrals?order_by=id&order_type=ASC&per_page=100').expect(200)).body
          .referrals.data as Record<string, unknown>[]
      )
        .filter((row) => row['type'] !== 'adjustment')
        .map((row) => [row['status'], row['amount']]),
  };
}

describe('WooCommerce', () => {
  const start = (): Promise<Vendor> =>
    vendor(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }));
  const line = (id: number, net: string, quantity = 1): object => ({
    id,
    product_id: 90 + id,
    quantity,
    subtotal: net,
    total: net,
    total_tax: '0',
  });
  const order =
    (total: string, lines: readonly object[], more: object = {}) =>
    (at: number, token: string): object =>
      wooOrder({
        discount_total: '0',
        shipping_total: '0',
        shipping_tax: '0',
        cart_tax: '0',
        coupon_lines: [],
        total,
        line_items: lines,
        date_modified_gmt: iso(at),
        date_created_gmt: '2026-01-15T15:00:01',
        date_paid_gmt: iso(at),
        meta_data: [{ key: 'fa_ref', value: token }],
        ...more,
      });
  const PENDING = { status: 'pending', date_paid_gmt: null };

  it.each([
    ['75.00', '2175.00', 217.5],
    ['2175.00', '75.00', 7.5],
  ])('1: an order edited from %s to %s before it is paid', async (first, then, due) => {
    const { send, rows } = await start();
    await send('order.created', order(first, [line(1, first)], PENDING));
    await send('order.updated', order(then, [line(1, then)], PENDING));
    await send('order.updated', order(then, [line(1, then)]));
    expect(await rows()).toEqual([['unpaid', due]]);
  });

  it('1: an item is removed while the order is on hold', async () => {
    const { send, rows } = await start();
    const held = { status: 'on-hold', date_paid_gmt: null };
    await send('order.created', order('100.00', [line(1, '60.00'), line(2, '40.00')], held));
    await send('order.updated', order('60.00', [line(1, '60.00')], held));
    await send('order.updated', order('60.00', [line(1, '60.00')]));
    expect(await rows()).toEqual([['unpaid', 6]]);
  });

  it('31: an order comes back from the trash', async () => {
    const { send, rows } = await start();
    const full = order('100.00', [line(1, '100.00')]);
    await send('order.updated', full);
    await send('order.deleted', () => ({ id: 727 }));
    expect((await rows())[0]).toEqual(['rejected', 10]);
    await send('order.restored', full);
    expect(await rows()).toEqual([['unpaid', 10]]);
  });

  it('31: a full refund is deleted again', async () => {
    const { send, rows } = await start();
    const lines = [line(1, '100.00')];
    await send('order.updated', order('100.00', lines));
    const refunded = { status: 'refunded', refunds: [{ id: 1, total: '-100.00' }] };
    await send('order.updated', order('100.00', lines, refunded));
    expect(await rows()).toEqual([['rejected', 0]]);
    await send('order.updated', order('100.00', lines, { number: 'again', refunds: [] }));
    expect(await rows()).toEqual([['unpaid', 10]]);
  });

  it.each([
    ['a trade-in', [line(1, '100.00'), line(2, '-40.00')], '60.00', 6],
    ['a deposit', [line(1, '100.00'), line(2, '-80.00')], '20.00', 2],
    ['a quantity of -1', [line(1, '100.00'), line(2, '-40.00', -1)], '60.00', 6],
  ])('40: %s counts below 0', async (_name, lines, total, due) => {
    const { send, rows } = await start();
    await send('order.updated', order(total, lines));
    expect(await rows()).toEqual([['unpaid', due]]);
  });
});

describe('40: lines below 0 of other sources', () => {
  it('of code', async () => {
    const { door, record } = await life();
    await record('A-1', '60.00', {
      status: 'unpaid',
      items: [
        { id: 'a', subtotal: '100.00' },
        { id: 'b', subtotal: '-40.00' },
      ],
    });
    expect(await state(door)).toEqual(['unpaid', 6]);
  });

  it('of a shop', async () => {
    const { provider, tell } = await life();
    await tell('order.paid', 'A-1', '60.00', {
      items: [
        { id: 'l1', product_id: 'a', quantity: 1, net: '100.00' },
        { id: 'l2', product_id: 'b', quantity: -1, net: '-40.00' },
      ],
    });
    expect(await state(provider)).toEqual(['unpaid', 6]);
  });
});

describe('39: an uncollectible invoice that is paid later', () => {
  const start = async (): Promise<Vendor> => {
    const one = await vendor(stripe({ secrets: ['whsec_x_test'], mode: 'live' }), {
      enable_subscription_renewal: 'yes',
    });
    await configure(one.shop, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    return one;
  };
  const paid =
    (id: string, reason: string) =>
    (at: number, token: string): object =>
      invoice({
        id,
        billing_reason: reason,
        created: seconds(at),
        status_transitions: { paid_at: seconds(at) },
        parent: { subscription_details: { subscription: 'sub_1', metadata: { fa_ref: token } } },
      });
  const first = paid('in_1', 'subscription_create');

  it('earns, and so do its renewals', async () => {
    const { send, rows } = await start();
    await send('invoice.marked_uncollectible', first);
    await send('invoice.paid', first);
    await send('invoice.paid', paid('in_2', 'subscription_cycle'));
    expect(await rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 9],
    ]);
  });

  it('earns when the older mark arrives late', async () => {
    const { shop, send, rows } = await start();
    shop.clock.advance(60_000);
    await send('invoice.paid', first);
    await send('invoice.marked_uncollectible', first, 30_000);
    await send('invoice.paid', paid('in_2', 'subscription_cycle'));
    expect(await rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 9],
    ]);
  });
});
