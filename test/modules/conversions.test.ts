import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { ConversionInput } from '../../src/modules/conversions/types.js';
import { startApp } from '../support/app.js';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120 Safari/537.36';

type Started = Awaited<ReturnType<typeof startApp>>;
type Shop = Started & { affiliate: { id: number }; fired: string[]; order(more?: Partial<ConversionInput>): ConversionInput };

async function shop(options?: Parameters<typeof startApp>[0]): Promise<Shop> {
  const t = await startApp(options);
  const affiliate = await t.records.affiliate({ user_id: 2, status: 'active', payment_email: 'pay@alice.test' }) as { id: number };
  const fired: string[] = [];
  const names = [
    'referral_recorded', 'referral_created', 'referral_marked_unpaid', 'referral_marked_rejected', 'referral_updated', 'referral_commission_updated',
    'referral_refunded', 'referral_refunded_after_payout', 'referral_clawed_back', 'customer_linked', 'recurring_referral_created',
  ] as const;
  for (const name of names) t.service.hooks.addAction(name, () => { fired.push(name); });
  const order = (more: Partial<ConversionInput> = {}): ConversionInput => ({
    provider: 'shop', reference: 'A-1', status: 'unpaid', order: { subtotal: '100.00', tax: '8.00', shipping: '5.00', discount: '10.00', currency: 'USD' },
    customer: { email: 'jo@shop.test', first_name: 'Jo' }, affiliate: affiliate.id, ...more,
  });
  return { ...t, affiliate, fired, order };
}

const configure = (t: Started, config: object) => t.admin.post('/settings/referral-config').send({ referral_config: config }).expect(200);
const payOut = (t: Started) => t.admin.post('/payouts/process-payout').send({ config: { title: 'January', description: 'Run' } }).expect(200);
const earnings = async (t: Shop): Promise<number[]> => {
  const { affiliate } = (await t.admin.get(`/affiliates/${t.affiliate.id}`).expect(200)).body;
  return [affiliate.total_earnings, affiliate.unpaid_earnings];
};

describe('recording a conversion', () => {
  it('credits the affiliate with the exact commission', async () => {
    const t = await shop();

    const result = await t.service.conversions.record(null, t.order({ items: [{ id: 'sku-1', title: 'Mug', quantity: 2, subtotal: '60' }, { id: 8, title: 'Tea', subtotal: '40' }] }));

    expect(result).toMatchObject({ created: true, reason: null, referral: { status: 'unpaid', amount: 18, order_total: 90, currency: 'USD', provider: 'shop', provider_id: 'A-1' } });
    const { body } = await t.admin.get(`/referrals/${result.referral!.id}`).expect(200);
    expect(body.referral).toMatchObject({
      amount: 18, order_total: 90, description: 'Mug and 1 more item', customer: { email: 'jo@shop.test' },
      products: [{ item_id: 'sku-1', title: 'Mug', subtotal: 60, discount: 6, total: 54 }, { item_id: 8, title: 'Tea', total: 36 }],
      settings: { source: 'explicit', commission: { source: 'global', rate: '20%' } },
    });
    expect(t.fired).toEqual(['customer_linked', 'referral_recorded', 'referral_marked_unpaid']);
    expect(await earnings(t)).toEqual([18, 18]);
  });

  it('answers a repeat with the stored referral, without hooks', async () => {
    const t = await shop();
    const first = await t.service.conversions.record(null, t.order());
    t.fired.length = 0;

    const again = await t.service.conversions.record(null, t.order({ order: { subtotal: '100.00', tax: '8.00', shipping: '5.00', discount: '10.00', currency: 'USD' } }));

    expect(again).toMatchObject({ created: false, reason: 'duplicate', referral: { id: first.referral!.id } });
    expect(t.fired).toEqual([]);
  });

  it('names the fields in which a repeat differs', async () => {
    const t = await shop();
    await t.service.conversions.record(null, t.order());
    await expect(t.service.conversions.record(null, t.order({ order: { subtotal: 99 }, status: 'pending' })))
      .rejects.toMatchObject({ code: 'conversion_conflict', data: { fields: ['status', 'order'] } });
  });

  it('stores one of many at the same moment', async () => {
    const t = await shop();
    const results = await Promise.all(Array.from({ length: 12 }, () => t.service.conversions.record(null, t.order())));

    expect(results.filter((result) => result.created)).toHaveLength(1);
    expect(new Set(results.map((result) => result.referral?.id)).size).toBe(1);
    expect(t.fired.filter((name) => name === 'referral_recorded')).toHaveLength(1);
    expect(await earnings(t)).toEqual([18, 18]);
  });

  it.each<[string, (t: Shop) => Partial<ConversionInput>, string]>([
    ['nobody brought the buyer', () => ({ affiliate: null }), 'no_affiliate'],
    ['the affiliate is unknown', () => ({ affiliate: 999 }), 'no_affiliate'],
    ['the buyer is the affiliate\'s account', () => ({ customer: { email: ' ALICE+x@shop.test' } }), 'self_referral'],
    ['the buyer has the payment address', () => ({ customer: { email: 'pay@alice.test' } }), 'self_referral'],
    ['the buyer is the affiliate\'s user', () => ({ customer: { email: 'x@y.test', user_id: 2 } }), 'self_referral'],
    ['the order is worth nothing', () => ({ order: { subtotal: '0' } }), 'zero_amount'],
    ['it changes an older order', () => ({ upgrade_of: 'A-0' }), 'upgrade_order'],
    ['a renewal of nothing known', () => ({ subscription: { id: 'S', phase: 'renewal' as const } }), 'parent_unknown'],
  ])('credits nothing when %s', async (_what, more, reason) => {
    const t = await shop();
    const { users: [alice] } = { users: await t.host.users.find([2]) };
    const given = more(t);
    const input = given.customer?.email?.includes('ALICE') ? { ...given, customer: { email: alice!.email.toUpperCase().replace('@', '+x@') } } : given;

    expect(await t.service.conversions.record(null, t.order(input))).toEqual({ referral: null, created: false, reason });
    expect(t.fired).toEqual([]);
  });

  it('credits nothing to an inactive affiliate', async () => {
    const t = await shop();
    await t.admin.patch(`/affiliates/${t.affiliate.id}/status`).send({ status: 'inactive' }).expect(200);
    expect((await t.service.conversions.record(null, t.order())).reason).toBe('affiliate_inactive');
  });

  it('lets own purchases pass when the setting says so', async () => {
    const t = await shop();
    await configure(t, { self_referral_disabled: 'no' });
    expect((await t.service.conversions.record(null, t.order({ customer: { email: 'pay@alice.test' } }))).created).toBe(true);
  });

  it.each<[string, Partial<ConversionInput>, string[]]>([
    ['no order', { order: null as never }, ['order']],
    ['no reference', { reference: '' }, ['reference']],
    ['a negative part', { order: { subtotal: '-1' } }, ['order.subtotal']],
    ['text for money', { order: { subtotal: 'ten', tax: Number.NaN } }, ['order.subtotal', 'order.tax']],
    ['an unknown currency', { order: { subtotal: 1, currency: 'XYZ' } }, ['order.currency']],
    ['an unknown type', { type: 'gift' as never }, ['type']],
    ['a provider that is no name', { provider: 'a b' }, ['provider']],
  ])('refuses %s', async (_what, more, fields) => {
    const t = await shop();
    const error = await t.service.conversions.record(null, t.order(more)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'validation_failed' });
    expect(Object.keys((error as { fields: object }).fields)).toEqual(fields);
  });

  it.each<[ConversionInput['order'], number]>([
    [{ subtotal: 0.1 + 0.2 }, 0.06], [{ subtotal: { minor: 1005 } }, 2.01], [{ subtotal: '1e2' }, 20], [{ subtotal: '33.333' }, 6.67],
  ])('reads the amounts of %p', async (order, amount) => {
    const t = await shop();
    expect((await t.service.conversions.record(null, t.order({ order: order! }))).referral).toMatchObject({ amount });
  });

  it('takes an individual rate before the group\'s, and the group\'s before the program\'s', async () => {
    const t = await shop();
    const group = await t.records.group({ meta_key: 'VIP', rate_type: 'percentage', rate: 25, status: 'active' }) as { id: number };
    const amount = async (reference: string): Promise<number> => (await t.service.conversions.record(null, t.order({ reference, order: { subtotal: 80 } }))).referral!.amount;

    expect(await amount('1')).toBe(16);
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ group_id: group.id }).expect(200);
    expect(await amount('2')).toBe(20);
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ rate_type: 'percentage', rate: 5 }).expect(200);
    expect(await amount('3')).toBe(4);
  });

  it('keeps a foreign flat commission for a person to settle', async () => {
    const t = await shop();
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ rate_type: 'flat', rate: 5 }).expect(200);

    const result = await t.service.conversions.record(null, t.order({ order: { subtotal: 100, currency: 'EUR' } }));

    expect(result).toMatchObject({ created: true, reason: 'currency_mismatch', referral: { status: 'pending', amount: 0, currency: 'EUR' } });
  });

  it('does not add foreign money to the earnings', async () => {
    const t = await shop();
    await t.service.conversions.record(null, t.order({ order: { subtotal: 1005, currency: 'JPY' } }));
    expect(await earnings(t)).toEqual([0, 0]);
  });
});

describe('whose order it is', () => {
  it('credits a visit, and copies its campaign', async () => {
    const t = await shop();
    const visit = await t.records.visit({ affiliate_id: t.affiliate.id, url: 'https://shop.test/', utm_campaign: 'summer' }) as { id: number };
    const { referral } = await t.service.conversions.record(null, t.order({ affiliate: null, visit_id: visit.id }));
    expect(referral).toMatchObject({ affiliate_id: t.affiliate.id, visit_id: visit.id, utm_campaign: 'summer' });
  });

  it('lets a coupon decide before the cookie, unless it took nothing off', async () => {
    const t = await shop();
    const other = await t.records.affiliate({ user_id: 3, status: 'active' }) as { id: number };
    await t.service.conversions.bindCoupon('shop', 'Bob10', other.id);

    const credited = async (reference: string, more: Partial<ConversionInput>) =>
      (await t.service.conversions.record(null, t.order({ reference, affiliate: null, coupon: ' BOB10 ', ...more }))).referral?.affiliate_id ?? null;
    expect(await credited('1', {})).toBe(other.id);
    expect(await credited('2', { created_by_staff: true })).toBe(other.id);
    expect(await credited('3', { order: { subtotal: 10, discount: 0 } })).toBeNull();
    expect(await credited('4', { provider: 'fair' })).toBeNull();
    expect(await t.service.conversions.couponsOf(other.id)).toEqual([{ provider: 'shop', code: 'Bob10' }]);
    expect(await t.service.conversions.unbindCoupon('shop', 'bob10')).toBe(true);
    expect(await credited('5', {})).toBeNull();
  });

  it('keeps no full address of the buyer', async () => {
    const t = await shop();
    const { referral } = await t.service.conversions.record(null, t.order({ customer: { email: 'jo@shop.test', ip: '203.0.113.77' } }));
    expect(await t.service.customers.find(referral!.customer_id!)).toMatchObject({ ip: '203.0.113.0' });
  });

  it('takes a commission its source knows', async () => {
    const t = await shop();
    expect((await t.service.conversions.record(null, t.order({ commission: '7.77' }))).referral).toMatchObject({ amount: 7.77, order_total: 90 });
    expect((await t.service.conversions.refund('shop', 'A-1', { refunded_base: 45 })).referral).toMatchObject({ amount: 3.89 });
  });

  it('reads the cookie of the request, also when the visitor is known only by it', async () => {
    const t = await shop();
    const [cookie = ''] = (await request(t.server).get(`/?ref=${t.affiliate.id}`).set('Accept', 'text/html').set('User-Agent', AGENT).expect(200)).get('Set-Cookie') ?? [];
    const req = { headers: { cookie: cookie.split(';')[0], 'user-agent': AGENT, host: 'shop.test' }, socket: {} } as unknown as IncomingMessage;

    const { referral } = await t.service.conversions.record(req, t.order({ affiliate: null }));

    expect(referral).toMatchObject({ affiliate_id: t.affiliate.id, visit_id: expect.any(Number), settings: { source: 'cookie' } });
    expect((await t.service.conversions.record(req, t.order({ reference: 'A-2', affiliate: null, created_by_staff: true }))).reason).toBe('no_affiliate');
  });

  it('leaves a visit of another affiliate out', async () => {
    const t = await shop();
    const other = await t.records.affiliate({ user_id: 3, status: 'active' }) as { id: number };
    const visit = await t.records.visit({ affiliate_id: other.id, url: 'https://shop.test/' }) as { id: number };
    const { referral } = await t.service.conversions.record(null, t.order({ visit_id: visit.id }));
    expect(referral).toMatchObject({ affiliate_id: t.affiliate.id, visit_id: null });
  });

  it('keeps crediting a customer for life while the program says so, at the lifetime rate', async () => {
    const t = await shop();
    await configure(t, { enable_lifetime_commission: 'yes', lifetime_rate_type: 'percentage', lifetime_rate: 5, lifetime_expiry_days: 30 });
    await t.service.conversions.record(null, t.order());

    const later = await t.service.conversions.record(null, t.order({ reference: 'A-2', affiliate: null, customer: { email: 'JO@shop.test' } }));
    expect(later.referral).toMatchObject({ type: 'lifetime_sale', amount: 4.5, affiliate_id: t.affiliate.id });

    t.clock.advance(31 * 86_400_000);
    expect((await t.service.conversions.record(null, t.order({ reference: 'A-3', affiliate: null }))).reason).toBe('no_affiliate');
  });

  it('asks checkout_affiliate last, and trusts only its id', async () => {
    const t = await shop();
    t.service.hooks.addFilter('checkout_affiliate', (_found, customer) => (customer.email === 'jo@shop.test' ? { id: t.affiliate.id } as never : null));
    expect((await t.service.conversions.record(null, t.order({ affiliate: null }))).referral).toMatchObject({ affiliate_id: t.affiliate.id });
    expect((await t.service.conversions.record(null, t.order({ reference: 'A-2', affiliate: null, customer: null }))).reason).toBe('no_affiliate');
  });
});

describe('what extensions may say', () => {
  it.each<[string, (t: Shop) => void, object]>([
    ['the order', (t) => t.service.hooks.addFilter('formatted_order_data_by_shop', (data) => ({ ...data, order: { subtotal: '50' } })), { referral: { amount: 10 } }],
    ['no order', (t) => t.service.hooks.addFilter('formatted_order_data_by_shop', () => null), { referral: null, reason: 'no_order_data' }],
    ['refuse it', (t) => t.service.hooks.addFilter('should_process_referral', () => false), { referral: null, reason: 'refused' }],
    ['it is a self-referral', (t) => t.service.hooks.addFilter('is_self_referral', () => true), { referral: null, reason: 'self_referral' }],
    ['the rate', (t) => t.service.hooks.addFilter('commission_rate', (rate) => ({ ...rate, value: 100_000, source: 'campaign' })), { referral: { amount: 9 } }],
    ['the amount', (t) => t.service.hooks.addFilter('commission', (minor) => minor * 2), { referral: { amount: 36 } }],
    ['nothing for it', (t) => t.service.hooks.addFilter('commission', () => 0), { referral: null, reason: 'zero_amount' }],
    ['keep a zero', (t) => { t.service.hooks.addFilter('commission', () => 0); t.service.hooks.addFilter('ignore_zero_amount_referral', () => false); }, { created: true, referral: { amount: 0 } }],
    ['the row', (t) => t.service.hooks.addFilter('referral_data', (row) => ({ ...row, status: 'pending', affiliate_id: 999, id: 1, description: '<b>x</b>' })), { referral: { status: 'pending', description: 'x' } }],
  ])('%s', async (_what, tap, expected) => {
    const t = await shop();
    tap(t);
    expect(await t.service.conversions.record(null, t.order())).toMatchObject(expected);
  });

  it.each([[-1], [1.5], ['9'], [Number.NaN], [null]])('but never the amount %p', async (answer) => {
    const t = await shop();
    t.service.hooks.addFilter('commission', () => answer as number);
    await expect(t.service.conversions.record(null, t.order())).rejects.toThrow();
    expect(await earnings(t)).toEqual([0, 0]);
  });
});

describe('after the order', () => {
  it('completes a pending one once', async () => {
    const t = await shop();
    await t.service.conversions.record(null, t.order({ status: 'pending' }));
    expect(t.fired).toEqual(['customer_linked', 'referral_recorded', 'referral_created']);
    t.fired.length = 0;

    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({ changed: true, referral: { status: 'unpaid' } });
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({ changed: false, reason: 'unchanged' });

    expect(t.fired).toEqual(['referral_marked_unpaid', 'referral_updated']);
    expect(await earnings(t)).toEqual([18, 18]);
  });

  it.each(['unpaid', 'pending'] as const)('reduces a %s one from the original, however often it hears of it', async (status) => {
    const t = await shop();
    await t.service.conversions.record(null, t.order({ status }));
    t.fired.length = 0;

    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '25.75' })).toMatchObject({ changed: true, referral: { amount: 13.5, order_total: 67.5 } });
    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: 25.75 })).toMatchObject({ changed: false, reason: 'unchanged' });
    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '51.50' })).toMatchObject({ referral: { amount: 9, order_total: 45 } });
    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '25.75' })).toMatchObject({ changed: false });
    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '25.75', undone: true })).toMatchObject({ referral: { amount: 13.5 } });

    expect(t.fired.slice(0, 3)).toEqual(['referral_commission_updated', 'referral_updated', 'referral_refunded']);
    expect(await earnings(t)).toEqual(status === 'unpaid' ? [13.5, 13.5] : [0, 0]);
  });

  it('rejects on a full refund, for good', async () => {
    const t = await shop();
    await t.service.conversions.record(null, t.order());
    t.fired.length = 0;

    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' })).toMatchObject({ changed: true, referral: { status: 'rejected', reject_reason: 'refunded' } });
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({ changed: false, reason: 'rejected' });

    expect(t.fired).toEqual(['referral_marked_rejected', 'referral_updated', 'referral_refunded']);
    expect(await earnings(t)).toEqual([0, 0]);
  });

  it('revives a canceled order that is paid after all, but not one a person rejected', async () => {
    const t = await shop();
    const { referral } = await t.service.conversions.record(null, t.order());
    await t.service.conversions.cancel('shop', 'A-1');
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({ changed: true, referral: { status: 'unpaid' } });

    await t.admin.patch(`/referrals/${referral!.id}`).send({ status: 'rejected' }).expect(200);
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({ changed: false, reason: 'rejected' });
  });

  it('knows no order it was not told of', async () => {
    const t = await shop();
    for (const answer of [t.service.conversions.complete('shop', 1), t.service.conversions.cancel('shop', 1), t.service.conversions.refund('shop', 1, { refunded_total: 1 })]) {
      expect(await answer).toEqual({ referral: null, changed: false, reason: 'unknown_order' });
    }
  });

  it('tells of a refund after the payout and leaves the referral as it is', async () => {
    const t = await shop();
    await t.service.conversions.record(null, t.order());
    await payOut(t);
    t.fired.length = 0;

    expect(await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' })).toMatchObject({ changed: false, reason: 'locked', referral: { status: 'paid', amount: 18 } });
    expect(await t.service.conversions.cancel('shop', 'A-1')).toMatchObject({ changed: false, reason: 'locked' });

    expect(t.fired).toEqual(['referral_refunded', 'referral_refunded_after_payout']);
    expect(await earnings(t)).toEqual([18, 0]);
  });

  it('takes a paid commission back from the next payout when told to', async () => {
    const t = await shop({ clawback: 'adjust' });
    const { referral } = await t.service.conversions.record(null, t.order());
    await payOut(t);
    t.fired.length = 0;

    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '51.50' });
    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '51.50' });
    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' });

    const { body } = await t.admin.get(`/affiliates/${t.affiliate.id}/referrals?order_type=ASC`).expect(200);
    expect(body.referrals.data.map((row: { amount: number }) => row.amount)).toEqual([18, -9, -9]);
    expect(body.referrals.data[1]).toMatchObject({ parent_id: referral!.id, status: 'unpaid', provider_sub_id: 'refund:5150' });
    expect(await earnings(t)).toEqual([0, -18]);
    expect(t.fired.filter((name) => name === 'referral_clawed_back')).toHaveLength(2);
  });
});

describe('renewals', () => {
  async function subscribed(config: object = {}): Promise<Shop & { renew(id: string): ReturnType<Started['service']['conversions']['record']> }> {
    const t = await shop();
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate_type: 'percentage', renewal_rate: '10', max_renewal_count: 3, ...config });
    await t.service.conversions.record(null, t.order({ subscription: { id: 'S-1' } }));
    t.fired.length = 0;
    return { ...t, renew: (id) => t.service.conversions.record(null, t.order({ reference: id, affiliate: null, subscription: { id: 'S-1', phase: 'renewal' } })) };
  }

  it('credit the affiliate of the first payment, up to the limit that includes it', async () => {
    const t = await subscribed();

    expect((await t.renew('R-1')).referral).toMatchObject({ type: 'recurring_sale', amount: 9, status: 'unpaid', affiliate_id: t.affiliate.id, parent_id: expect.any(Number) });
    expect(t.fired).toEqual(['referral_recorded', 'referral_marked_unpaid', 'recurring_referral_created']);
    expect((await t.renew('R-2')).created).toBe(true);
    expect((await t.renew('R-3')).reason).toBe('renewal_limit');
  });

  it('can not pass the limit at the same moment', async () => {
    const t = await subscribed();
    const results = await Promise.all(['1', '2', '3', '4', '5'].map((id) => t.renew(id)));
    expect(results.filter((result) => result.created)).toHaveLength(2);
  });

  it('end with a refund of the first payment', async () => {
    const t = await subscribed();
    await t.renew('R-1');
    await t.service.conversions.refund('shop', 'A-1', { refunded_total: '103' });

    expect(await earnings(t)).toEqual([0, 0]);
    expect((await t.renew('R-2')).reason).toBe('parent_rejected');
  });

  it('earn nothing unless switched on', async () => {
    const t = await subscribed({ enable_subscription_renewal: 'no' });
    expect((await t.renew('R-1')).reason).toBe('renewals_disabled');
  });

  it('let extensions see rate and count', async () => {
    const t = await subscribed();
    t.service.hooks.addFilter('recurring_commission', (value) => ({ ...value, amount: value.amount + value.renewal_count + value.max_renewal_count }));
    expect((await t.renew('R-1')).referral).toMatchObject({ amount: 9.03 });
  });
});
