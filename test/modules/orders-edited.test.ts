import { describe, expect, it } from '@jest/globals';
import { configure, startShop, type Shop } from '../support/shop.js';
import { listed } from '../support/lists.js';

// An order lives: it is edited, paid in part, returned (docs/money.md). Rates are 10 % unless a test sets another.

async function shop(config: Record<string, unknown> = {}): Promise<
  Shop & {
    readonly sell: (reference: string, more?: object) => Promise<unknown>;
    readonly due: (reference: string, sub?: string) => Promise<[string, number]>;
  }
> {
  const t = await startShop();
  await configure(t, { rate: 10, ...config });
  const { id } = t.affiliate;
  const { conversions } = t.service;
  return Object.assign(t, {
    sell: (reference: string, more: object = {}) =>
      conversions.record(null, {
        provider: 'shop',
        reference,
        affiliate: id,
        status: 'pending',
        order: { subtotal: '100' },
        customer: { email: 'jo@buyer.test' },
        ...more,
      }),
    due: async (reference: string, sub?: string): Promise<[string, number]> => {
      const found = await conversions.find('shop', sub ? { reference, sub_reference: sub } : reference);
      expect(await t.service.verify()).toEqual([]);
      return [found?.status ?? '', found?.amount ?? NaN];
    },
  });
}

describe('an order that is edited', () => {
  it('earns from what was paid for, up and down', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('UP', { order: { subtotal: '75' } });
    await conversions.update('shop', 'UP', { order: { subtotal: '2175' } });
    expect(await t.due('UP')).toEqual(['pending', 217.5]);
    await conversions.complete('shop', 'UP');
    expect(await t.due('UP')).toEqual(['unpaid', 217.5]);

    await t.sell('DOWN', { order: { subtotal: '2175' } });
    await conversions.update('shop', 'DOWN', { order: { subtotal: '75' } });
    await conversions.complete('shop', 'DOWN');
    expect(await t.due('DOWN')).toEqual(['unpaid', 7.5]);
  });

  it('changes nothing once it is paid, until more is paid', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('A', { status: 'unpaid' });
    await conversions.update('shop', 'A', { order: { subtotal: '40' } });
    expect(await t.due('A')).toEqual(['unpaid', 10]);
    await conversions.update('shop', 'A', { order: { subtotal: '150' } });
    expect(await t.due('A')).toEqual(['unpaid', 10]);
    await conversions.complete('shop', 'A', { paid: '150' });
    expect(await t.due('A')).toEqual(['unpaid', 15]);
    expect(await conversions.update('shop', 'A', { order: { subtotal: '150' } })).toMatchObject({
      changed: false,
      reason: 'unchanged',
    });
  });

  it('goes to the buyer of the payment, and a self-referral is held', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('A');
    await conversions.update('shop', 'A', { customer: { user_id: 2 } });
    await conversions.complete('shop', 'A');
    expect(await t.due('A')).toEqual(['pending', 10]);
  });

  it('names what is wrong', async () => {
    const t = await shop();
    await t.sell('A');
    const { conversions } = t.service;
    const wrong = async (work: Promise<unknown>): Promise<string[]> =>
      work.then(
        () => [],
        (error: { fields?: object }) => Object.keys(error.fields ?? {}),
      );
    expect(await wrong(conversions.update('shop', 'A', {}))).toEqual(['order']);
    expect(
      await wrong(conversions.update('shop', 'A', { order: { subtotal: '1', currency: 'EUR' } })),
    ).toEqual(['order.currency']);
    expect(
      await wrong(
        conversions.refund(
          { provider: 'shop', reference: 'A' } as never,
          undefined as never,
          undefined as never,
        ),
      ),
    ).toEqual(['provider', 'key']);
    expect(await wrong(conversions.complete('shop', undefined as never))).toEqual(['key']);
    expect(await wrong(conversions.refund('shop', 'A', '5.00' as never))).toEqual(['input']);
    expect(await t.service.conversions.update('shop', 'other', { order: { subtotal: '1' } })).toMatchObject({
      reason: 'unknown_order',
    });
  });
});

describe('what was paid', () => {
  it('is the last word: nothing at first, a deposit, everything', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('A', { order: { subtotal: '100', paid: '0.00' } });
    expect(await t.due('A')).toEqual(['pending', 10]);
    await conversions.complete('shop', 'A', { paid: '30' });
    expect(await t.due('A')).toEqual(['unpaid', 3]);
    await conversions.complete('shop', 'A', { paid: '100' });
    expect(await t.due('A')).toEqual(['unpaid', 10]);
  });

  it('is what a refund is compared with', async () => {
    const t = await shop();
    await t.sell('A', { status: 'unpaid', order: { subtotal: '100', paid: '60' } });
    await t.service.conversions.refund('shop', 'A', { refund_id: 'r', amount: '30' });
    expect(await t.due('A')).toEqual(['unpaid', 3]);
    await t.service.conversions.refund('shop', 'A', { refund_id: 's', amount: '30' });
    expect(await t.due('A')).toEqual(['rejected', 0]);
  });

  it('is rounded once', async () => {
    const t = await shop({ rate: 10 });
    await t.sell('A', { status: 'unpaid', order: { subtotal: '227.07' } });
    await t.service.conversions.refund('shop', 'A', { refund_id: 'r', amount: '113.53' });
    expect(await t.due('A')).toEqual(['unpaid', 11.35]);
  });
});

describe('returned lines', () => {
  const ITEMS = [
    { id: 'gold', subtotal: '50' },
    { id: 'plain', subtotal: '50' },
    { id: 'none', subtotal: '100' },
  ];
  const RULES = [
    { object_type: 'product', object_ids: ['gold'], rate_e4: 500_000, rate_type: 'percentage' },
    { object_type: 'product', object_ids: ['plain'], rate_e4: 200_000, rate_type: 'percentage' },
    { object_type: 'product', object_ids: ['none'], rate_e4: 0, rate_type: 'percentage' },
  ];
  const sold = async (): ReturnType<typeof shop> => {
    const t = await shop();
    await t.sell('A', { status: 'unpaid', order: { subtotal: '200' }, items: ITEMS, rules: RULES });
    return t;
  };

  it('take exactly what they earned', async () => {
    const t = await sold();
    const back = (id: string, subtotal: string): Promise<unknown> =>
      t.service.conversions.refund('shop', 'A', {
        refund_id: id,
        amount: subtotal,
        items: [{ id, subtotal }],
      });
    expect(await t.due('A')).toEqual(['unpaid', 35]);
    await back('none', '100');
    expect(await t.due('A')).toEqual(['unpaid', 35]);
    await back('gold', '50');
    expect(await t.due('A')).toEqual(['unpaid', 10]);
  });

  it('come back no more often than they were bought', async () => {
    const t = await sold();
    for (const refund_id of ['r', 's'])
      await t.service.conversions.refund('shop', 'A', { refund_id, items: [{ id: 'gold', subtotal: '50' }] });
    expect(await t.due('A')).toEqual(['pending', 10]);
  });

  it('of an order in parts are taken where they are, and other money is shared', async () => {
    const t = await shop();
    const part = (sub_reference: string, id: string, subtotal: string): Promise<unknown> =>
      t.sell('A', { sub_reference, status: 'unpaid', order: { subtotal }, items: [{ id, subtotal }] });
    await part('one', 'x', '100');
    await part('two', 'y', '300');
    await t.service.conversions.refund('shop', 'A', {
      refund_id: 'r',
      items: [{ id: 'x', subtotal: '100' }],
    });
    expect([await t.due('A', 'one'), await t.due('A', 'two')]).toEqual([
      ['rejected', 0],
      ['unpaid', 30],
    ]);
    await t.service.conversions.refund('shop', 'A', {
      refund_id: 'r',
      items: [{ id: 'x', subtotal: '100' }],
      undone: true,
    });
    await t.service.conversions.refund('shop', 'A', { refund_id: 's', amount: '40' });
    expect([await t.due('A', 'one'), await t.due('A', 'two')]).toEqual([
      ['unpaid', 9],
      ['unpaid', 27],
    ]);
  });

  it('below zero lower the order', async () => {
    const t = await shop();
    await t.sell('A', {
      status: 'unpaid',
      order: { subtotal: '60' },
      items: [
        { id: 'x', subtotal: '100' },
        { id: 'trade-in', subtotal: '-40', quantity: -1 },
      ],
    });
    expect(await t.due('A')).toEqual(['unpaid', 6]);
  });
});

describe('what people decided', () => {
  it('stays: a second approval keeps what the first one cleared', async () => {
    const t = await shop();
    await t.sell('A');
    const { id } = (await t.service.conversions.find('shop', 'A'))!;
    await t.admin.patch(`/referrals/${id}`).send({ status: 'unpaid' }).expect(200);
    await t.admin.patch(`/referrals/${id}`).send({ status: 'pending' }).expect(200);
    await t.admin.patch(`/referrals/${id}`).send({ status: 'unpaid' }).expect(200);
    expect(await t.due('A')).toEqual(['unpaid', 10]);
  });

  it('covers no refund that comes later', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('A', { status: 'unpaid' });
    await conversions.refund('shop', 'A', { refund_id: 'r', amount: '100' });
    const { id } = (await conversions.find('shop', 'A'))!;
    await t.admin.patch(`/referrals/${id}`).send({ status: 'unpaid', amount: '5.00' });
    expect(await t.due('A')).toEqual(['unpaid', 5]);
    await conversions.refund('shop', 'A', { refund_id: 'r', amount: '100', undone: true });
    await conversions.refund('shop', 'A', { refund_id: 's', amount: '100' });
    expect((await t.due('A'))[0]).toBe('rejected');
  });
});

describe('limits', () => {
  it('count what is due now, in the order of the orders', async () => {
    const t = await shop({ commission_cap_amount: 30 });
    const { conversions } = t.service;
    const sale = (reference: string): Promise<unknown> =>
      t.sell(reference, { status: 'unpaid', order: { subtotal: '200' } });
    await sale('A');
    await conversions.refund('shop', 'A', { refund_id: 'r', amount: '200' });
    await sale('B');
    expect([await t.due('A'), await t.due('B')]).toEqual([
      ['rejected', 0],
      ['unpaid', 20],
    ]);
    await conversions.refund('shop', 'A', { refund_id: 'r', amount: '200', undone: true });
    expect([await t.due('A'), await t.due('B')]).toEqual([
      ['unpaid', 20],
      ['unpaid', 10],
    ]);
  });
});

describe('a dispute', () => {
  it.each([
    [['lost', 'won', 'lost'], 'rejected'],
    [['won', 'lost', 'won'], 'unpaid'],
    [['opened', 'won', 'opened'], 'pending'],
  ] as const)('that is %s ends as it was last reported', async (states, status) => {
    const t = await shop();
    await t.sell('A', { status: 'unpaid' });
    for (const state of states) await t.service.conversions.dispute('shop', 'A', state);
    expect((await t.due('A'))[0]).toBe(status);
  });
});

describe('an order that earned nothing at first', () => {
  const OWN = { email: 'alice@shop.test' };

  it('is checked again by code: goods, buyer, and the repeat of the first report', async () => {
    const t = await shop();
    const { conversions } = t.service;
    expect(await t.sell('A', { order: { subtotal: '0' } })).toMatchObject({ reason: 'zero_amount' });
    expect(await conversions.update('shop', 'A', { order: { subtotal: '50' } })).toMatchObject({
      changed: true,
      referral: { amount: 5, status: 'pending' },
    });
    expect(await t.sell('B', { customer: OWN })).toMatchObject({ referral: null, reason: 'self_referral' });
    expect(await t.sell('B', { customer: OWN })).toMatchObject({ referral: null, reason: 'self_referral' });
    await conversions.update('shop', 'B', { order: { subtotal: '70' } });
    expect(await conversions.find('shop', 'B')).toBeNull();
    await conversions.update('shop', 'B', { customer: { email: 'kim@buyer.test' } });
    await conversions.complete('shop', 'B');
    expect([await t.due('A'), await t.due('B')]).toEqual([
      ['pending', 5],
      ['unpaid', 7],
    ]);
  });

  it('stays refused once it is paid, and with its affiliate deleted', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('A', { customer: OWN });
    await conversions.complete('shop', 'A');
    await conversions.update('shop', 'A', { customer: { email: 'kim@buyer.test' } });
    expect(await conversions.find('shop', 'A')).toBeNull();
    await t.sell('B', { order: { subtotal: '0' } });
    await t.admin.delete(`/affiliates/${t.affiliate.id}`).expect(200);
    await conversions.update('shop', 'B', { order: { subtotal: '50' } });
    expect(await conversions.find('shop', 'B')).toBeNull();
    expect(await t.service.verify()).toEqual([]);
  });

  it('a renewal that came while the first payment was rejected earns when that is approved', async () => {
    const t = await shop({ enable_subscription_renewal: 'yes', renewal_rate: 5 });
    await t.sell('S', { status: 'unpaid', subscription: { id: 'S', phase: 'first' } });
    const { id } = (await t.service.conversions.find('shop', 'S'))!;
    await t.admin.patch(`/referrals/${id}`).send({ status: 'rejected' }).expect(200);
    const renewal = { status: 'unpaid', affiliate: null, subscription: { id: 'S', phase: 'renewal' } };
    expect(await t.sell('R', renewal)).toMatchObject({ referral: null, reason: 'parent_rejected' });
    await t.admin.patch(`/referrals/${id}`).send({ status: 'unpaid' }).expect(200);
    expect(await t.due('R')).toEqual(['unpaid', 5]);
    expect(await t.service.conversions.find('shop', 'R')).toMatchObject({
      type: 'recurring_sale',
      parent_id: id,
    });
  });

  it('a free trial leaves the subscription to its first payment that earns', async () => {
    const t = await shop({ enable_subscription_renewal: 'yes', renewal_rate: 5 });
    await t.sell('S', {
      status: 'unpaid',
      order: { subtotal: '0' },
      subscription: { id: 'S', phase: 'first' },
    });
    const renewal = { status: 'unpaid', affiliate: null, subscription: { id: 'S', phase: 'renewal' } };
    await t.sell('R-1', renewal);
    await t.sell('R-2', renewal);
    expect([await t.due('R-1'), await t.due('R-2')]).toEqual([
      ['unpaid', 10],
      ['unpaid', 5],
    ]);
  });
});

describe('a coupon that comes before the payment', () => {
  it('credits its owner at his own rate; the other commission is gone', async () => {
    const t = await shop();
    const { conversions } = t.service;
    const bob = await t.records.affiliate({
      user_id: 3,
      status: 'active',
      rate_type: 'percentage',
      rate: 20,
    });
    await conversions.bindCoupon('shop', 'BOB', Number(bob.id));
    await t.sell('A');
    const order = { subtotal: '100', discount: '10' };
    await conversions.update('shop', 'A', { order, coupon: 'bob' });
    await conversions.complete('shop', 'A');
    expect(await t.due('A')).toEqual(['unpaid', 18]);
    expect(await conversions.find('shop', 'A')).toMatchObject({ affiliate_id: bob.id });
    const { body } = await t.admin.get(`/affiliates/${t.affiliate.id}`).expect(200);
    expect(body.affiliate).toMatchObject({ total_earnings: 0, referrals: 0 });
    await conversions.bindCoupon('shop', 'ALICE', t.affiliate.id);
    await conversions.update('shop', 'A', { order, coupon: 'ALICE' });
    expect(await conversions.find('shop', 'A')).toMatchObject({ affiliate_id: bob.id });
    await expect(conversions.update('shop', 'A', { coupon: 'ALICE' })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });
});

describe('what a person does to a commission', () => {
  it('is in the audit log with both amounts and the reason', async () => {
    const t = await shop();
    await t.sell('A', { status: 'unpaid' });
    const { id } = (await t.service.conversions.find('shop', 'A'))!;
    await t.admin.post(`/referrals/${id}/refunds`).send({ refund_id: 'r', amount: '50' }).expect(200);
    await t.admin.patch(`/referrals/${id}`).send({ amount: '3.00', reason: 'agreed by phone' }).expect(200);
    const rows = await listed(t, '/audit', `object_type=referral&object_id=${id}&action=referral.updated`);
    const changes = rows.map(({ before, after }) => [
      before.amount_minor,
      after.amount_minor,
      after.why,
      after.reason,
    ]);
    expect(changes).toEqual([
      [1000, 500, 'refunded', 'r'],
      [500, 300, 'manual', 'agreed by phone'],
    ]);
  });
});

describe('verify', () => {
  it('finds a commission that rests on more than the buyer has paid', async () => {
    const t = await shop();
    const { conversions } = t.service;
    await t.sell('A', { status: 'unpaid', items: [{ id: 'a', subtotal: '100' }] });
    // Fees that the order never had: no line went back, and still the buyer has most of the money.
    await conversions.refund('shop', 'A', { refund_id: 'r', amount: '90', fees: '90' });
    expect(await t.due('A')).toEqual(['pending', 10]);
    await t.app.db('referrals').update({ status: 'unpaid' }); // as no request can leave it
    const found = (await t.service.verify()).filter(({ invariant }) => invariant === 'I18');
    expect(found).toMatchObject([{ table: 'orders', name: 'commissions and money received' }]);
    await t.app.db('referrals').update({ status: 'pending' });
    const { id } = (await conversions.find('shop', 'A'))!;
    await t.admin.patch(`/referrals/${id}`).send({ status: 'unpaid' }).expect(200);
    expect(await t.due('A')).toEqual(['unpaid', 10]);
  });
});
