import { describe, expect, it } from '@jest/globals';
import { FORM } from '../support/payouts.js';
import { configure, earnings, payOut, startShop, type Shop } from '../support/shop.js';

describe('after the order', () => {
  it('completes a pending one once', async () => {
    const t = await startShop();
    await t.service.conversions.record(null, t.order({ status: 'pending' }));
    expect(t.fired).toEqual(['referral_recorded', 'referral_created']);
    t.fired.length = 0;

    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({
      changed: true,
      referral: { status: 'unpaid' },
    });
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({
      changed: false,
      reason: 'unchanged',
    });

    // Only an order that was paid says whose customer the buyer is.
    expect(t.fired.toSorted()).toEqual(['customer_linked', 'referral_marked_unpaid', 'referral_updated']);
    expect(await earnings(t)).toEqual([18, 18]);
  });

  it.each(['unpaid', 'pending'] as const)(
    'reduces a %s one from the original, however often it hears of it',
    async (status) => {
      const t = await startShop();
      await t.service.conversions.record(null, t.order({ status }));
      t.fired.length = 0;

      expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '25.75' })).toMatchObject({
        changed: true,
        referral: { amount: 13.5, order_total: 67.5 },
      });
      expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: 25.75 })).toMatchObject({
        changed: false,
        reason: 'unchanged',
      });
      expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '51.50' })).toMatchObject({
        referral: { amount: 9, order_total: 45 },
      });
      expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '25.75' })).toMatchObject({
        changed: false,
      });
      expect(
        await t.service.conversions.refund('shop', 'A-1', { refunded_total: '25.75', undone: true }),
      ).toMatchObject({ referral: { amount: 13.5 } });

      expect(t.fired.slice(0, 3)).toEqual([
        'referral_commission_updated',
        'referral_updated',
        'referral_refunded',
      ]);
      expect(await earnings(t)).toEqual(status === 'unpaid' ? [13.5, 13.5] : [0, 0]);
    },
  );

  it('rejects on a full refund, for good', async () => {
    const t = await startShop();
    await t.service.conversions.record(null, t.order());
    t.fired.length = 0;

    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' })).toMatchObject({
      changed: true,
      referral: { status: 'rejected', reject_reason: 'refunded' },
    });
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({
      changed: false,
      reason: 'rejected',
    });

    expect(t.fired).toEqual(['referral_marked_rejected', 'referral_updated', 'referral_refunded']);
    expect(await earnings(t)).toEqual([0, 0]);
  });

  it('revives a canceled order that is paid after all, but not one a person rejected', async () => {
    const t = await startShop();
    const { referral } = await t.service.conversions.record(null, t.order());
    await t.service.conversions.cancel('shop', 'A-1');
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({
      changed: true,
      referral: { status: 'unpaid' },
    });

    await t.admin.patch(`/referrals/${referral!.id}`).send({ status: 'rejected' }).expect(200);
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({
      changed: false,
      reason: 'rejected',
    });
  });

  it('refuses changes of an order that was never reported', async () => {
    const t = await startShop();
    for (const answer of [
      t.service.conversions.complete('shop', 1),
      t.service.conversions.cancel('shop', 1),
      t.service.conversions.refund('shop', 1, { refunded_total: 1 }),
    ]) {
      expect(await answer).toEqual({ referral: null, changed: false, reason: 'unknown_order' });
    }
  });

  it('reports a refund after the payout and leaves the referral as it is', async () => {
    const t = await startShop({ clawback: 'off' });
    await t.service.conversions.record(null, t.order());
    await payOut(t);
    t.fired.length = 0;

    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' })).toMatchObject({
      changed: false,
      reason: 'locked',
      referral: { status: 'paid', amount: 18 },
    });
    expect(await t.service.conversions.cancel('shop', 'A-1')).toMatchObject({
      changed: false,
      reason: 'locked',
    });

    expect(t.fired).toEqual(['referral_refunded', 'referral_refunded_after_payout']);
    expect(await earnings(t)).toEqual([18, 0]);
  });

  it('takes a paid commission back from the next payout', async () => {
    const t = await startShop();
    const { referral } = await t.service.conversions.record(null, t.order());
    await payOut(t);
    t.fired.length = 0;

    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '51.50' });
    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '51.50' });
    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' });

    const { body } = await t.admin.get(`/affiliates/${t.affiliate.id}/referrals?order_type=ASC`).expect(200);
    expect(body.referrals.data.map((row: { amount: number }) => row.amount)).toEqual([18, -18]);
    expect(body.referrals.data[1]).toMatchObject({
      parent_id: referral!.id,
      status: 'unpaid',
      type: 'adjustment',
    });
    expect(await earnings(t)).toEqual([0, -18]);
    expect(t.fired.filter((name) => name === 'referral_clawed_back')).toHaveLength(2);
  });
});

describe('renewals', () => {
  async function subscribed(
    config: object = {},
  ): Promise<Shop & { renew(id: string): ReturnType<Shop['service']['conversions']['record']> }> {
    const t = await startShop();
    await configure(t, {
      enable_subscription_renewal: 'yes',
      renewal_rate_type: 'percentage',
      renewal_rate: '10',
      max_renewal_count: 3,
      ...config,
    });
    await t.service.conversions.record(null, t.order({ subscription: { id: 'S-1' } }));
    t.fired.length = 0;
    return {
      ...t,
      renew: (id) =>
        t.service.conversions.record(
          null,
          t.order({ reference: id, affiliate: null, subscription: { id: 'S-1', phase: 'renewal' } }),
        ),
    };
  }

  it('credit the affiliate of the first payment, up to the limit that includes it', async () => {
    const t = await subscribed();

    expect((await t.renew('R-1')).referral).toMatchObject({
      type: 'recurring_sale',
      amount: 9,
      status: 'unpaid',
      affiliate_id: t.affiliate.id,
      parent_id: expect.any(Number),
    });
    expect(t.fired).toEqual(['referral_recorded', 'referral_marked_unpaid', 'recurring_referral_created']);
    expect((await t.renew('R-2')).created).toBe(true);
    expect((await t.renew('R-3')).reason).toBe('renewal_limit');
  });

  it('cannot pass the limit at the same moment', async () => {
    const t = await subscribed();
    const results = await Promise.all(['1', '2', '3', '4', '5'].map((id) => t.renew(id)));
    expect(results.filter((result) => result.created)).toHaveLength(2);
  });

  it('go on after a refund of the first payment, and end when a person rejects it', async () => {
    const t = await subscribed();
    const { referral: renewed } = await t.renew('R-1');
    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' });
    expect(await earnings(t)).toEqual([renewed?.amount, renewed?.amount]);
    expect((await t.renew('R-2')).created).toBe(true);

    const first = await t.service.conversions.find('shop', 'A-1');
    await t.admin.patch(`/referrals/${first!.id}`).send({ status: 'unpaid' });
    await t.admin.patch(`/referrals/${first!.id}`).send({ status: 'rejected' }).expect(200);
    expect(await earnings(t)).toEqual([0, 0]);
    expect((await t.renew('R-3')).reason).toBe('parent_rejected');
  });

  it('end in steps where there are very many, and no payout takes them meanwhile', async () => {
    const t = await subscribed({ max_renewal_count: 0 });
    for (let at = 0; at < 115; at += 1) expect((await t.renew(`R-${at}`)).created).toBe(true);
    const first = await t.service.conversions.find('shop', 'A-1');
    const order = await t.app.orders.ofReferral(first!.id);
    const total = async (filter: string): Promise<number> =>
      (await t.admin.get(`/referrals?${filter}`).expect(200)).body.referrals.total;
    const notRejected = async (): Promise<number> => (await total('')) - (await total('status=rejected'));

    // as if another process did it, and was killed
    await t.app.withLease(`orders.followers:${order!.id}`, async () => {
      await t.admin.patch(`/referrals/${first!.id}`).send({ status: 'rejected' }).expect(200);
      await t.app.operations.settled();
    });

    expect(await notRejected()).toBe(15);
    expect(await t.service.verify()).toEqual([]);
    expect((await t.admin.post('/payouts/process-payout').send({ config: FORM }).expect(422)).body.code).toBe(
      'nothing_to_pay',
    );
    await t.app.operations.resume();
    expect(await notRejected()).toBe(0);
    expect(await earnings(t)).toEqual([0, 0]);
  });

  it('earn nothing unless switched on', async () => {
    const t = await subscribed({ enable_subscription_renewal: 'no' });
    expect((await t.renew('R-1')).reason).toBe('renewals_disabled');
  });

  it('let extensions see rate and count', async () => {
    const t = await subscribed();
    t.service.hooks.addFilter('recurring_commission', (value) => ({
      ...value,
      amount: value.amount + value.renewal_count + value.max_renewal_count,
    }));
    expect((await t.renew('R-1')).referral).toMatchObject({ amount: 9.03 });
  });
});
