import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { ConversionInput } from '../../src/attribution/conversions/types.js';
import { configure, earnings, startShop, type Shop } from '../support/shop.js';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120 Safari/537.36';

describe('the affiliate of an order', () => {
  it('credits a visit, and copies its campaign', async () => {
    const t = await startShop();
    const visit = (await t.records.visit({
      affiliate_id: t.affiliate.id,
      url: 'https://shop.test/',
      utm_campaign: 'summer',
    })) as { id: number };
    const { referral } = await t.service.conversions.record(
      null,
      t.order({ affiliate: null, visit_id: visit.id }),
    );
    expect(referral).toMatchObject({
      affiliate_id: t.affiliate.id,
      visit_id: visit.id,
      utm_campaign: 'summer',
    });
  });

  it('lets a coupon decide before the cookie, unless it took nothing off', async () => {
    const t = await startShop();
    const other = (await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    await t.service.conversions.bindCoupon('shop', 'Bob10', other.id);

    const credited = async (reference: string, more: Partial<ConversionInput>) =>
      (
        await t.service.conversions.record(
          null,
          t.order({ reference, affiliate: null, coupon: ' BOB10 ', ...more }),
        )
      ).referral?.affiliate_id ?? null;
    expect(await credited('1', {})).toBe(other.id);
    expect(await credited('2', { created_by_staff: true })).toBe(other.id);
    expect(await credited('3', { order: { subtotal: 10, discount: 0 } })).toBeNull();
    expect(await credited('4', { provider: 'fair' })).toBeNull();
    expect(await t.service.conversions.couponsOf(other.id)).toEqual([{ provider: 'shop', code: 'Bob10' }]);
    expect(await t.service.conversions.unbindCoupon('shop', 'bob10')).toBe(true);
    expect(await t.service.conversions.unbindCoupon('shop', 'bob10')).toBe(false);
    expect(await credited('5', {})).toBeNull();
    const { body } = await t.admin.get(`/audit?object_type=coupon`).expect(200);
    const actions = (body.entries.data as { action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('coupon.'))).toEqual([
      'coupon.unbound',
      'coupon.bound',
    ]);
  });

  it('keeps no full address of the buyer', async () => {
    const t = await startShop();
    const { referral } = await t.service.conversions.record(
      null,
      t.order({ customer: { email: 'jo@shop.test', ip: '203.0.113.77' } }),
    );
    expect(await t.service.customers.find(referral!.customer_id!)).toMatchObject({ ip: '203.0.113.0' });
  });

  it('takes a commission its source knows', async () => {
    const t = await startShop();
    expect(
      (await t.service.conversions.record(null, t.order({ commission: '7.77' }))).referral,
    ).toMatchObject({ amount: 7.77, order_total: 90 });
    expect((await t.service.conversions.refund('shop', 'A-1', { refunded_base: 45 })).referral).toMatchObject(
      { amount: 3.89 },
    );
  });

  it('reads the cookie of the request, also when the visitor is known only by it', async () => {
    const t = await startShop();
    const [cookie = ''] =
      (
        await request(t.server)
          .get(`/?ref=${t.affiliate.id}`)
          .set('Accept', 'text/html')
          .set('User-Agent', AGENT)
          .expect(200)
      ).get('Set-Cookie') ?? [];
    const req = {
      headers: { cookie: cookie.split(';')[0], 'user-agent': AGENT, host: 'shop.test' },
      socket: {},
    } as unknown as IncomingMessage;

    const { referral } = await t.service.conversions.record(req, t.order({ affiliate: null }));

    expect(referral).toMatchObject({
      affiliate_id: t.affiliate.id,
      visit_id: expect.any(Number),
      settings: { source: 'cookie' },
    });
    expect(
      (
        await t.service.conversions.record(
          req,
          t.order({ reference: 'A-2', affiliate: null, created_by_staff: true }),
        )
      ).reason,
    ).toBe('no_affiliate');
  });

  it('leaves a visit of another affiliate out', async () => {
    const t = await startShop();
    const other = (await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    const visit = (await t.records.visit({ affiliate_id: other.id, url: 'https://shop.test/' })) as {
      id: number;
    };
    const { referral } = await t.service.conversions.record(null, t.order({ visit_id: visit.id }));
    expect(referral).toMatchObject({ affiliate_id: t.affiliate.id, visit_id: null });
  });

  it('credits a customer for life at the lifetime rate while the program allows it', async () => {
    const t = await startShop();
    await configure(t, {
      enable_lifetime_commission: 'yes',
      lifetime_rate_type: 'percentage',
      lifetime_rate: 5,
      lifetime_expiry_days: 30,
    });
    await t.service.conversions.record(null, t.order());

    const later = await t.service.conversions.record(
      null,
      t.order({ reference: 'A-2', affiliate: null, customer: { email: 'JO@shop.test' } }),
    );
    expect(later.referral).toMatchObject({
      type: 'lifetime_sale',
      amount: 4.5,
      affiliate_id: t.affiliate.id,
    });

    t.clock.advance(31 * 86_400_000);
    expect(
      (await t.service.conversions.record(null, t.order({ reference: 'A-3', affiliate: null }))).reason,
    ).toBe('no_affiliate');
  });

  it('calls checkout_affiliate last, and uses only its id', async () => {
    const t = await startShop();
    t.service.hooks.addFilter('checkout_affiliate', (_found, customer) =>
      customer.email === 'jo@shop.test' ? ({ id: t.affiliate.id } as never) : null,
    );
    expect((await t.service.conversions.record(null, t.order({ affiliate: null }))).referral).toMatchObject({
      affiliate_id: t.affiliate.id,
    });
    expect(
      (
        await t.service.conversions.record(
          null,
          t.order({ reference: 'A-2', affiliate: null, customer: null }),
        )
      ).reason,
    ).toBe('no_affiliate');
  });
});

describe('what extensions may decide', () => {
  it.each<[string, (t: Shop) => void, object]>([
    [
      'the order',
      (t) =>
        t.service.hooks.addFilter('formatted_order_data_by_shop', (data) => ({
          ...data,
          order: { subtotal: '50' },
        })),
      { referral: { amount: 10 } },
    ],
    [
      'no order',
      (t) => t.service.hooks.addFilter('formatted_order_data_by_shop', () => null),
      { referral: null, reason: 'no_order_data' },
    ],
    [
      'refuse it',
      (t) => t.service.hooks.addFilter('should_process_referral', () => false),
      { referral: null, reason: 'refused' },
    ],
    [
      'it is a self-referral',
      (t) => t.service.hooks.addFilter('is_self_referral', () => true),
      { referral: null, reason: 'self_referral' },
    ],
    [
      'the rate',
      (t) =>
        t.service.hooks.addFilter('commission_rate', (rate) => ({
          ...rate,
          value: 100_000,
          source: 'campaign',
        })),
      { referral: { amount: 9 } },
    ],
    [
      'the amount',
      (t) => t.service.hooks.addFilter('commission', (minor) => minor * 2),
      { referral: { amount: 36 } },
    ],
    [
      'nothing for it',
      (t) => t.service.hooks.addFilter('commission', () => 0),
      { referral: null, reason: 'zero_amount' },
    ],
    [
      'keep a zero',
      (t) => {
        t.service.hooks.addFilter('commission', () => 0);
        t.service.hooks.addFilter('ignore_zero_amount_referral', () => false);
      },
      { created: true, referral: { amount: 0 } },
    ],
    [
      'the row',
      (t) =>
        t.service.hooks.addFilter('referral_data', (row) => ({
          ...row,
          status: 'pending',
          affiliate_id: 999,
          id: 1,
          description: '<b>x</b>',
        })),
      { referral: { status: 'pending', description: '<b>x</b>' } },
    ],
  ])('%s', async (_what, tap, expected) => {
    const t = await startShop();
    tap(t);
    expect(await t.service.conversions.record(null, t.order())).toMatchObject(expected);
  });

  it.each([[-1], [1.5], ['9'], [Number.NaN], [null]])('but never the amount %p', async (answer) => {
    const t = await startShop();
    t.service.hooks.addFilter('commission', () => answer as number);
    await expect(t.service.conversions.record(null, t.order())).rejects.toThrow();
    expect(await earnings(t)).toEqual([0, 0]);
  });
});
