import { describe, expect, it } from '@jest/globals';
import { configure } from '../support/shop.js';
import { order, startCommerce, type CommerceShop } from '../support/commerce.js';
import { deliveryResults } from '../support/lists.js';
import { rowsIn, storedText } from '../support/rows.js';

const paid = (t: CommerceShop, more: object = {}): Promise<unknown> =>
  t
    .token()
    .then((token) =>
      t.send({ type: 'order.paid', order: order({ attribution: { token }, ...more }) }).expect(200),
    );
const refund = (more: object): object => ({
  type: 'order.refunded',
  refund: { order_ref: 'A-1', currency: 'USD', state: 'done', ...more },
});
const amounts = async (t: CommerceShop): Promise<unknown[]> =>
  (await t.referrals()).map((row) => [row['status'], row['amount']]);

describe('orders of a provider', () => {
  it('become one commission of the affiliate in the signed token', async () => {
    const t = await startCommerce();
    await paid(t);
    const [row] = await t.referrals();
    expect(row).toMatchObject({
      affiliate_id: t.affiliate.id,
      amount: 18,
      order_total: 90,
      status: 'unpaid',
      provider: 'demo',
      provider_id: 'A-1',
      description: 'Mug',
      visit_id: 1,
      type: 'sale',
    });
  });

  it.each([
    ['defaults', {}, 18],
    ['tax counted', { exclude_tax: 'no' }, 21.6],
    ['tax and shipping counted', { exclude_tax: 'no', exclude_shipping: 'no' }, 22.8],
    ['shipping counted', { exclude_shipping: 'no' }, 19],
    ['before discount', { exclude_discount: 'no' }, 20],
  ])('are worth what the settings count: %s', async (_, config, amount) => {
    const t = await startCommerce();
    await configure(t, config);
    await paid(t);
    expect(await amounts(t)).toEqual([['unpaid', amount]]);
  });

  it('earn on money received only', async () => {
    const t = await startCommerce();
    await paid(t, { totals: { goods: '100.00', grand_total: '100.00', paid: '60.00' }, items: [] });
    expect(await amounts(t)).toEqual([['unpaid', 12]]);
  });

  it.each([
    ['ISK', '1500', 300],
    ['KWD', '10.000', 2],
    ['JPY', '1005', 201],
  ])('keep the decimals of %s', async (currency, goods, amount) => {
    const t = await startCommerce();
    await paid(t, { currency, totals: { goods }, items: [] });
    expect(await amounts(t)).toEqual([['unpaid', amount]]);
  });

  it('leave gift cards out, and use the rates of the settings', async () => {
    const t = await startCommerce();
    await t.admin
      .post('/settings/integration/config')
      .send({
        integration: 'demo',
        config: {
          custom_affiliate_rate: 'yes',
          custom_affiliate_rates: [
            { object_type: 'product', object_ids: ['p1'], rate: 50 },
            { object_type: 'category', object_ids: ['c9'], rate: 0 },
          ],
        },
      })
      .expect(200);
    const item = (id: string, net: string, more: object = {}): object => ({
      id,
      product_id: id,
      title: id,
      net,
      ...more,
    });
    await paid(t, {
      totals: { goods: '130.00' },
      items: [
        item('p1', '10.00'),
        item('p2', '20.00', { category_ids: ['c9'] }),
        item('p3', '40.00'),
        item('gift', '60.00', { commissionable: false }),
      ],
    });
    expect(await amounts(t)).toEqual([['unpaid', 13]]);
  });

  it('count once, however often and in any order they arrive', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const event = (type: string): object => ({ type, order: order({ attribution: { token } }) });
    await t.send(event('order.paid'), { id: 'same' }).expect(200);
    await t.send(event('order.paid'), { id: 'same' }).expect(200);
    await t.send(event('order.created')).expect(200);
    await t.send(event('order.paid')).expect(200);
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
  });

  it('are pending until they are paid', async () => {
    const t = await startCommerce();
    const token = await t.token();
    await t.send({ type: 'order.created', order: order({ attribution: { token } }) }).expect(200);
    expect(await amounts(t)).toEqual([['pending', 18]]);
    await t
      .send({ type: 'order.paid', order: order({ attribution: { token }, number: '#1001' }) })
      .expect(200);
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
  });

  it('delivered twenty times at once are one referral', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        t.send(
          { type: at % 2 ? 'order.paid' : 'order.created', order: order({ attribution: { token } }) },
          { id: `m${at % 5}-${at % 2}` },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    await t.app.commerce.inbox.workDue();
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
  });

  it('without an affiliate store nothing about the buyer', async () => {
    const t = await startCommerce();
    await t.send({ type: 'order.paid', order: order() }).expect(200);
    expect(await t.referrals()).toEqual([]);
    expect(await rowsIn(t, 'orders', 'customers', 'referrals')).toEqual([0, 0, 0]);
    expect(await deliveryResults(t)).toEqual([{ status: 'ignored', reason: 'no_affiliate' }]);
    expect(await storedText(t, 'provider_deliveries')).not.toMatch(/jo@buyer|Buyer/);
    expect(JSON.stringify(t.log)).not.toContain('jo@buyer.test');
  });

  it.each([
    [
      'half with items',
      [refund({ refund_id: 'r1', gross: '54.00', items: [{ item_id: 'l1', net: '45.00', tax: '9.00' }] })],
      [['unpaid', 9]],
    ],
    ['half without detail', [refund({ refund_id: 'r1', gross: '54.00' })], [['unpaid', 9.47]]],
    [
      'the same twice',
      [refund({ refund_id: 'r1', gross: '54.00' }), refund({ refund_id: 'r1', gross: '54.00' })],
      [['unpaid', 9.47]],
    ],
    [
      'two parts',
      [refund({ refund_id: 'r1', gross: '54.00' }), refund({ refund_id: 'r2', gross: '60.00' })],
      [['rejected', 18]],
    ],
    [
      'cumulative',
      [refund({ gross: '10.00' }), refund({ gross: '57.00' }), refund({ gross: '10.00' })],
      [['unpaid', 9]],
    ],
    [
      'undone',
      [
        refund({ refund_id: 'r1', gross: '54.00' }),
        refund({ refund_id: 'r1', gross: '54.00', state: 'undone' }),
      ],
      [['unpaid', 18]],
    ],
    ['more than all', [refund({ refund_id: 'r1', gross: '999.00' })], [['rejected', 18]]],
  ])('shrink with refunds, before or after the order: %s', async (_, events, expected) => {
    for (const late of [false, true]) {
      const t = await startCommerce();
      if (!late) await paid(t);
      for (const event of events) await t.send(event).expect(200);
      if (late) await paid(t);
      const seen = await amounts(t);
      expect([late, seen.map((row) => (row as unknown[])[0])]).toEqual([
        late,
        expected.map(([status]) => status),
      ]);
      if (expected[0]?.[0] === 'unpaid') expect(seen).toEqual(expected);
    }
  });

  it('are canceled, and revived by a later payment unless a person rejected them', async () => {
    const t = await startCommerce();
    await paid(t);
    const token = await t.token();
    const again = (): Promise<unknown> =>
      t.send({ type: 'order.paid', order: order({ attribution: { token } }) }).expect(200);
    t.clock.advance(1000);
    await t.send({ type: 'order.canceled', order_ref: 'A-1', reason: 'failed' }).expect(200);
    expect(await amounts(t)).toEqual([['rejected', 18]]);
    t.clock.advance(1000);
    await again();
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
    await t.send({ type: 'order.canceled', order_ref: 'A-1', at: t.clock.time - 1500 }).expect(200);
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
    await t.admin.patch('/referrals/1').send({ status: 'rejected' }).expect(200);
    t.clock.advance(1000);
    await again();
    expect(await amounts(t)).toEqual([['rejected', 18]]);
  });

  it('are held by a dispute until it is decided', async () => {
    const t = await startCommerce();
    await paid(t);
    const dispute = (word: string, id = 'd1'): Promise<unknown> =>
      t.send({ type: `dispute.${word}`, order_ref: 'A-1', dispute_id: id }).expect(200);
    await dispute('opened');
    await dispute('opened', 'd2');
    expect(await amounts(t)).toEqual([['pending', 18]]);
    await dispute('won');
    expect(await amounts(t)).toEqual([['pending', 18]]);
    await dispute('won', 'd2');
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
    await dispute('opened', 'd3');
    await dispute('lost', 'd3');
    expect(await amounts(t)).toEqual([['rejected', 18]]);
  });

  it('are found by their other names', async () => {
    const t = await startCommerce();
    await t.send(refund({ order_ref: 'ch_1', refund_id: 'r1', gross: '57.00' })).expect(200);
    await paid(t, { refs: ['pi_1'] });
    expect(await amounts(t)).toEqual([['unpaid', 18]]);
    await t.send({ type: 'order.linked', order_ref: 'pi_1', refs: ['ch_1'] }).expect(200);
    expect(await amounts(t)).toEqual([['unpaid', 9]]);
  });

  it('that never arrive release the deliveries that waited for them', async () => {
    const t = await startCommerce();
    await t.send(refund({ refund_id: 'r1', gross: '1.00' })).expect(200);
    t.clock.advance(7 * 86_400_000 + 1);
    await t.app.commerce.inbox.workDue();
    expect(await deliveryResults(t)).toEqual([{ status: 'ignored', reason: 'order_unknown' }]);
  });
});
