import { describe, expect, it } from '@jest/globals';
import { configure, payOut, startShop, type Shop } from '../support/shop.js';

// An order that was credited to the wrong affiliate is given to the right one (docs/money.md). Rates are 10 %.

interface Program extends Shop {
  readonly other: number;
  readonly sell: (reference: string, more?: object) => Promise<number>;
  readonly give: (id: number, to?: number, reason?: string) => ReturnType<Shop['admin']['post']>;
  readonly view: (id: number) => Promise<Record<string, never> & { [key: string]: unknown }>;
  readonly earned: (affiliateId: number) => Promise<[total: number, unpaid: number]>;
}

async function program(): Promise<Program> {
  const t = await startShop();
  await configure(t, { rate: 10 });
  const { id: other } = await t.records.affiliate({ user_id: 3, rate: 20, rate_type: 'percentage' });
  return Object.assign(t, {
    other,
    sell: async (reference: string, more: object = {}) => {
      const { referral } = await t.service.conversions.record(null, {
        provider: 'shop',
        reference,
        affiliate: t.affiliate.id,
        status: 'unpaid',
        order: { subtotal: '100' },
        customer: { email: 'jo@buyer.test' },
        ...more,
      });
      return referral!.id;
    },
    give: (id: number, to = other, reason = 'Sent by mail') =>
      t.admin.post(`/referrals/${id}/give`).send({ affiliate_id: to, reason }),
    view: async (id: number) => (await t.admin.get(`/referrals/${id}`).expect(200)).body.referral,
    earned: async (id: number): Promise<[number, number]> => {
      const { affiliate } = (await t.admin.get(`/affiliates/${id}`).expect(200)).body;
      return [affiliate.total_earnings, affiliate.unpaid_earnings];
    },
  });
}

/** Pays everything; the answer takes the one payment back. */
async function paid(t: Shop): Promise<() => Promise<void>> {
  await payOut(t);
  const [payout] = (await t.admin.get('/payouts').expect(200)).body.payouts.data;
  const path = `/payouts/${payout.id}/transactions`;
  const [payment] = (await t.admin.get(path).expect(200)).body.transactions.data;
  return async () => void (await t.admin.delete(`${path}/${payment.id}`).expect(200));
}

describe('an order that is given to another affiliate', () => {
  it('ends the first commission and earns at the rate of the other affiliate', async () => {
    const t = await program();
    const first = await t.sell('A');
    const preview = (await t.admin.get(`/referrals/${first}/give/${t.other}`).expect(200)).body.give;
    expect(preview).toEqual({
      from_affiliate_id: t.affiliate.id,
      to_affiliate_id: t.other,
      currency: 'USD',
      takes_back: 10,
      gives: 20,
      was_paid: false,
      keeps_amount: false,
    });

    const { referral } = (await t.give(first).expect(200)).body;

    expect(referral).toMatchObject({ affiliate_id: t.other, amount: 20, status: 'unpaid' });
    expect(await t.view(first)).toMatchObject({
      affiliate_id: t.affiliate.id,
      status: 'rejected',
      counted_amount: 0,
      would_have_been: 10,
      order: null,
      settings: { given_to: { affiliate_id: t.other, referral_id: referral.id } },
    });
    expect(await t.view(referral.id)).toMatchObject({
      settings: {
        // each window shows the rate of the other affiliate
        commission: { rate: '20%', source: 'affiliate', lines: [{ rate: '20%', amount_minor: 2000 }] },
        given_from: { affiliate_id: t.affiliate.id, referral_id: first },
      },
      order: {
        timeline: expect.arrayContaining([
          expect.objectContaining({
            kind: 'moved',
            actor_id: 1,
            actor: 'Admin',
            values: expect.objectContaining({ reason: 'Sent by mail', to_affiliate: String(t.other) }),
          }),
        ]),
      },
    });
    expect(await t.earned(t.affiliate.id)).toEqual([0, 0]);
    expect(await t.earned(t.other)).toEqual([20, 20]);
    const { entries } = (await t.admin.get('/audit?action=referral.given').expect(200)).body;
    expect(entries.data[0]).toMatchObject({
      object_id: String(first),
      after: { affiliate_id: t.other, referral_id: referral.id, reason: 'Sent by mail' },
    });
    expect(await t.service.verify()).toEqual([]);
  });

  it('takes a paid commission back with the next payout', async () => {
    const t = await program();
    const first = await t.sell('A');
    await payOut(t);
    const { referral } = (await t.give(first).expect(200)).body;
    expect(referral).toMatchObject({ affiliate_id: t.other, amount: 20, status: 'unpaid' });
    expect(await t.view(first)).toMatchObject({ status: 'paid', amount: 10, order: null });
    expect(await t.earned(t.affiliate.id)).toEqual([0, -10]);
    expect(await t.earned(t.other)).toEqual([20, 20]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('ends the first commission when its payment is taken back', async () => {
    const t = await program();
    const first = await t.sell('A');
    const takeBack = await paid(t);
    await t.give(first).expect(200);

    await takeBack();
    expect(await t.view(first)).toMatchObject({ status: 'rejected', counted_amount: 0 });
    expect(await t.earned(t.affiliate.id)).toEqual([0, 0]);
    expect(await t.app.db('referrals').where({ type: 'adjustment' })).toEqual([]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('gives back what the next payout took for a payment that is taken back', async () => {
    const t = await program();
    const first = await t.sell('A');
    const takeBack = await paid(t);
    await t.give(first).expect(200);
    await t.sell('B');
    await t.sell('C');
    await payOut(t); // 10 for B, 10 for C, -10 for A
    expect(await t.earned(t.affiliate.id)).toEqual([20, 0]);

    await takeBack();
    expect(await t.view(first)).toMatchObject({ status: 'rejected', counted_amount: 0 });
    expect(await t.earned(t.affiliate.id)).toEqual([20, 10]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('reduces the new commission after a refund, and not the first one', async () => {
    const t = await program();
    const first = await t.sell('A');
    const { referral } = (await t.give(first).expect(200)).body;
    await t.service.conversions.refund('shop', 'A', { refunded_total: '50' });
    expect(await t.view(referral.id)).toMatchObject({ amount: 10, status: 'unpaid' });
    expect(await t.view(first)).toMatchObject({ status: 'rejected', amount: 10 });
    expect(await t.service.verify()).toEqual([]);
  });

  it('is recorded once, and stays where a person put it', async () => {
    const t = await program();
    const first = await t.sell('A', { status: 'pending' });
    await t.service.conversions.bindCoupon('shop', 'SAVE', t.affiliate.id);
    const { referral } = (await t.give(first).expect(200)).body;
    expect(referral).toMatchObject({ status: 'pending' });
    const again = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'A',
      affiliate: t.affiliate.id,
      status: 'pending',
      order: { subtotal: '100' },
      customer: { email: 'jo@buyer.test' },
    });
    expect(again).toMatchObject({ reason: 'duplicate', referral: { id: referral.id } });
    await t.service.conversions.update('shop', 'A', { order: { subtotal: '100' }, coupon: 'SAVE' });
    await t.service.conversions.complete('shop', 'A');
    expect(await t.view(referral.id)).toMatchObject({ affiliate_id: t.other, status: 'unpaid' });
    expect(await t.earned(t.affiliate.id)).toEqual([0, 0]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('of a held commission is decided with it; a correction keeps its amount', async () => {
    const t = await program();
    const held = await t.sell('A');
    await t.admin.patch(`/referrals/${held}`).send({ status: 'rejected', reason: 'Wrong one' }).expect(200);
    const { referral } = (await t.give(held).expect(200)).body;
    expect(referral).toMatchObject({ status: 'unpaid', amount: 20 });

    const corrected = await t.sell('B');
    await t.admin.patch(`/referrals/${corrected}`).send({ amount: 7 }).expect(200);
    expect((await t.admin.get(`/referrals/${corrected}/give/${t.other}`)).body.give).toMatchObject({
      gives: 7,
      keeps_amount: true,
    });
    expect((await t.give(corrected).expect(200)).body.referral).toMatchObject({ amount: 7 });
    expect(await t.service.verify()).toEqual([]);
  });

  it('lets later payments of its subscription go to the other affiliate', async () => {
    const t = await program();
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    const subscription = { id: 'sub_1' };
    const first = await t.sell('S1', { subscription });
    const { referral } = (await t.give(first).expect(200)).body;
    const renewal = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'S2',
      status: 'unpaid',
      order: { subtotal: '100' },
      subscription: { id: 'sub_1', phase: 'renewal' },
    });
    expect(renewal.referral).toMatchObject({ affiliate_id: t.other, parent_id: referral.id });
    expect(await t.service.verify()).toEqual([]);
  });

  it('is a later payment alone: it stands by itself, and the next ones follow the first', async () => {
    const t = await program();
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
    const renew = (reference: string) =>
      t.sell(reference, { affiliate: null, subscription: { id: 'sub_1', phase: 'renewal' } });
    const first = await t.sell('S1', { subscription: { id: 'sub_1' } });
    const { referral: alone } = (await t.give(await renew('S2')).expect(200)).body;
    const { referral: begun } = (await t.give(first).expect(200)).body;
    await t.give(begun.id, t.affiliate.id).expect(200);

    expect(await t.view(await renew('S3'))).toMatchObject({ affiliate_id: t.affiliate.id });
    await t.service.conversions.dispute('shop', 'S1', 'lost', 'd');
    expect(await t.view(alone.id)).toMatchObject({ affiliate_id: t.other, status: 'unpaid', amount: 10 });
    expect(await t.service.verify()).toEqual([]);
  });

  it('counts for the goals of the other affiliate only, also when its commission was paid', async () => {
    const t = await program();
    const goal = { metric: 'sales', at_least: 2, window: 'month' };
    const rule = { key: 'two', title: 'Two', event: 'bonus', reward: { kind: 'flat', value: 50 }, goal };
    const { body } = await t.admin.post('/reward-rules').send({ rules: [rule] });
    const activation = t.admin.post(`/reward-rules/${body.reward_rules.id}/activate`);
    await activation.send({ without_simulation: true }).expect(200);
    const first = await t.sell('A');
    await t.sell('B');
    const jobs = async (): Promise<void> => {
      t.clock.advance(3_600_000);
      await t.service.jobs.runDue();
    };
    await jobs();
    expect(await t.earned(t.affiliate.id)).toEqual([70, 70]);
    await payOut(t);
    const { referral } = (await t.give(first).expect(200)).body;
    await jobs();
    expect(await t.earned(t.affiliate.id)).toEqual([10, -60]);
    await t.give(referral.id, t.affiliate.id).expect(200);
    await jobs();
    expect(await t.earned(t.affiliate.id)).toEqual([70, 0]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('is no sale of the first affiliate any more for rules that count sales', async () => {
    const t = await program();
    const when = { fact: 'affiliate.sales_all_time', op: 'gte', value: 1 };
    const rule = {
      key: 'again',
      title: 'Again',
      event: 'sale',
      when,
      reward: { kind: 'flat', value: 33 },
    };
    const { body } = await t.admin.post('/reward-rules').send({ rules: [rule] });
    expect(body).toMatchObject({ reward_rules: { state: 'draft' } });
    const activation = t.admin.post(`/reward-rules/${body.reward_rules.id}/activate`);
    await activation.send({ without_simulation: true }).expect(200);
    const first = await t.sell('A');
    await payOut(t);
    await t.give(first).expect(200);
    expect(await t.view(await t.sell('B', { customer: { email: 'k@buyer.test' } }))).toMatchObject({
      amount: 10,
    });
    expect(await t.view(await t.sell('C', { customer: { email: 'l@buyer.test' } }))).toMatchObject({
      amount: 33,
    });
    expect(await t.service.verify()).toEqual([]);
  });

  it('can be given back', async () => {
    const t = await program();
    const first = await t.sell('A');
    const { referral } = (await t.give(first).expect(200)).body;
    const back = (await t.give(referral.id, t.affiliate.id).expect(200)).body.referral;
    expect(back).toMatchObject({ affiliate_id: t.affiliate.id, amount: 10, status: 'unpaid' });
    expect(await t.earned(t.affiliate.id)).toEqual([10, 10]);
    expect(await t.earned(t.other)).toEqual([0, 0]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('is refused with the reason', async () => {
    const t = await program();
    const first = await t.sell('A');
    const code = async (work: ReturnType<Program['give']>): Promise<unknown> => {
      const { status, body } = await work;
      return [status, body.code, Object.keys(body.errors ?? {})];
    };
    expect(await code(t.give(first, t.affiliate.id))).toEqual([422, 'validation_failed', ['affiliate_id']]);
    expect(await code(t.give(first, 999))).toEqual([422, 'validation_failed', ['affiliate_id']]);
    expect(await code(t.give(first, t.other, ''))).toEqual([422, 'validation_failed', ['reason']]);
    expect(await code(t.give(999))).toEqual([404, 'referral_not_found', []]);
    const loose = await t.records.referral({ affiliate_id: t.affiliate.id, amount: 5 });
    expect(await code(t.give(loose.id))).toEqual([422, 'referral_without_order', []]);
    await t.service.conversions.refund('shop', 'A', { refunded_total: '100' });
    expect(await code(t.give(first))).toEqual([422, 'order_ended', []]);
    const next = await t.sell('B');
    await t.give(next).expect(200);
    expect(await code(t.admin.patch(`/referrals/${next}`).send({ status: 'unpaid' }))).toEqual([
      422,
      'referral_given_away',
      [],
    ]);
    await t.admin.patch(`/affiliates/${t.other}/status`).send({ status: 'inactive' }).expect(200);
    expect(await code(t.give(await t.sell('C')))).toEqual([422, 'affiliate_inactive', []]);
    expect(await t.service.verify()).toEqual([]);
  });
});
