import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { AffiliateServiceOptions } from '../../src/index.js';
import {
  SKIP_REASONS,
  type BuyerInput,
  type ConversionInput,
} from '../../src/attribution/conversions/types.js';
import { FRAUD_RULES } from '../../src/attribution/fraud/index.js';
import type { NewVisit } from '../../src/accounting/visits/types.js';
import { configure, startShop, type Shop } from '../support/shop.js';
import { NAVIGATION } from '../support/tracker.js';
import { storedText } from '../support/rows.js';

type Action = 'off' | 'flag' | 'hold' | 'reject';
type Fraud = NonNullable<AffiliateServiceOptions['fraud']>;
interface Rule {
  readonly options: (action: Action) => Fraud;
  readonly buyer?: BuyerInput;
  readonly visit?: Partial<NewVisit>;
  /** What makes the rule fit; without it the same order is honest. */
  readonly before?: (t: Shop) => Promise<unknown>;
  /** What the order has besides. */
  readonly order?: Partial<ConversionInput>;
  /** What is kept of what the rule saw. */
  readonly evidence: object;
}
const ADDRESS = '203.0.113.7';

const RULES: Readonly<Record<Exclude<(typeof FRAUD_RULES)[number], 'self_referral'>, Rule>> = {
  same_domain: {
    options: (action) => ({ sameDomain: action }),
    buyer: { email: 'kim@alice.test' },
    evidence: {},
  },
  same_address: {
    evidence: {},
    options: (action) => ({ sameAddress: action }),
    buyer: { email: 'jo@mail.test', ip: '127.0.0.1' },
    // The affiliate follows the own link: no visit, but now the address is known.
    before: async (t) =>
      request(t.server)
        .get(`/?ref=${t.affiliate.id}`)
        .set({ ...NAVIGATION, ...t.headers(2) }),
  },
  same_payment: {
    evidence: {},
    options: (action) => ({ samePayment: action }),
    buyer: { email: 'jo@mail.test', payment_fingerprint: 'card_1' },
    before: async (t) =>
      t.service.conversions.record(
        null,
        t.order({ reference: 'own', customer: { email: 'pay@alice.test', payment_fingerprint: 'card_1' } }),
      ),
  },
  disposable_mail: {
    evidence: {},
    options: (action) => ({ disposableMail: action, disposableDomains: ['shop.test'] }),
    buyer: { email: 'jo@mail.shop.test' },
  },
  banned_referrer: {
    evidence: { site: 'www.spam.test' },
    options: (action) => ({ bannedReferrer: action, bannedReferrers: ['*.spam.test'] }),
    visit: { referrer: 'https://www.spam.test/best' },
  },
  coupon_site: {
    evidence: { site: 'www.retailmenot.com' },
    options: (action) => ({ couponSite: action }),
    visit: { referrer: 'https://www.retailmenot.com/view/shop.test' },
  },
  paid_traffic: {
    evidence: { sign: 'gclid' },
    options: (action) => ({ paidTraffic: action, allowedCampaigns: ['brand'] }),
    visit: { url: 'https://shop.test/?gclid=x1' },
  },
  fast_order: {
    evidence: { seconds: 60, limit: 120 },
    options: (action) => ({ fastOrder: action, fastOrderSeconds: 120 }),
  },
  address_orders: {
    evidence: { limit: 1 },
    options: (action) => ({ addressOrders: action, addressOrdersPerDay: 1 }),
    before: (t) =>
      t.service.conversions.record(
        null,
        t.order({ reference: 'first', customer: { email: 'kim@mail.test', ip: ADDRESS } }),
      ),
  },
  refund_ratio: {
    evidence: { sales: 2, given_back: 1, limit: 50 },
    options: (action) => ({ refundRatio: action, refundRatioOrders: 2, refundRatioPercent: 50 }),
    before: async (t) => {
      for (const reference of ['1', '2'])
        await t.service.conversions.record(
          null,
          t.order({ reference, customer: { email: `c${reference}@mail.test` } }),
        );
      await t.service.conversions.refund('shop', '1', { refunded_total: '103.00' });
    },
  },
  same_order: {
    evidence: {},
    options: (action) => ({ sameOrder: action }),
    before: (t) =>
      t.service.conversions.record(
        null,
        t.order({ provider: 'checkout', reference: 'C-1', customer: { email: 'jo@mail.test' } }),
      ),
  },
  code_without_click: {
    evidence: { limit: 14 },
    options: (action) => ({ codeWithoutClick: action, codeWithoutClickDays: 14 }),
    before: (t) => t.service.conversions.bindCoupon('shop', 'POD', t.affiliate.id),
    order: { visit_id: null, coupon: 'POD' },
  },
  shared_payout: {
    evidence: { other_affiliate_id: expect.any(Number) },
    options: (action) => ({ sharedPayout: action }),
    before: (t) => t.records.affiliate({ user_id: 3, payment_email: 'Pay+two@Alice.test' }),
  },
};

async function orderOf(t: Shop, { buyer, visit, before, order }: Rule) {
  const row = await t.records.visit({ ...visit, affiliate_id: t.affiliate.id });
  t.clock.advance(60_000);
  await before?.(t);
  return t.order({
    affiliate: null,
    visit_id: row.id,
    customer: { email: 'jo@mail.test', ip: ADDRESS, ...buyer },
    ...order,
  });
}

describe.each(Object.entries(RULES))('fraud rule %s (docs/tracking.md §14)', (rule, parts) => {
  it.each(['flag', 'hold', 'reject'] as const)('%s', async (action) => {
    const t = await startShop({ fraud: parts.options(action) });
    const rules: unknown[] = [];
    t.service.hooks.addAction('fraud_detected', (event) => {
      rules.push(event.rule);
    });
    const order = await orderOf(t, parts);
    rules.length = 0;

    const { referral, reason } = await t.service.conversions.record(null, order);
    const { body } = await t.admin.get(`/settings/tracking/fraud?rule=${rule}`).expect(200);
    expect(body.rules[rule]).toBe(action);
    const event = {
      rule,
      action,
      affiliate_id: t.affiliate.id,
      referral_id: referral?.id ?? null,
      provider: 'shop',
      provider_id: 'A-1',
    };
    expect(body.events.data).toMatchObject([event]);
    const { id } = body.events.data[0];
    const one = await t.admin.get(`/settings/tracking/fraud/${id}`).expect(200);
    expect(one.body.event).toEqual({ ...body.events.data[0], evidence: parts.evidence });
    expect(rules).toEqual([rule]);
    if (action === 'reject') {
      expect({ referral, reason }).toEqual({ referral: null, reason: rule });
      const skipped = await t.admin.get(`/settings/tracking/skipped?reason=${rule}`).expect(200);
      expect(skipped.body.skipped.data).toMatchObject([
        { provider_id: 'A-1', reason: rule, affiliate_id: t.affiliate.id },
      ]);
      return;
    }
    expect(referral).toMatchObject({ status: action === 'hold' ? 'pending' : 'unpaid', amount: 18 });
    expect(referral?.settings?.['fraud']).toEqual([{ rule, action }]);
    if (action !== 'hold') return;
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({
      changed: false,
      reason: 'locked',
    });
    await t.admin.patch(`/referrals/${referral!.id}`).send({ status: 'unpaid' }).expect(200);
  });
});

it('a rule that is off says nothing of the orders the others speak against', async () => {
  const t = await startShop();
  for (const [rule, parts] of Object.entries(RULES)) {
    const order = await orderOf(t, parts);
    const { referral, reason } = await t.service.conversions.record(null, {
      ...order,
      reference: rule,
      customer: { ...order.customer, email: `${rule}@${parts.buyer?.email?.split('@')[1] ?? 'mail.test'}` },
    });
    expect([rule, reason, referral?.status, referral?.settings?.['fraud']]).toEqual([
      rule,
      null,
      'unpaid',
      undefined,
    ]);
  }
  const { body } = await t.admin.get('/settings/tracking/fraud').expect(200);
  // the affiliate's own purchase among them
  expect(body.events.data.map(({ rule }: { rule: string }) => rule)).toEqual(['self_referral']);
  // a mark only
  expect(Object.keys(RULES).filter((rule) => body.rules[rule] !== 'off')).toEqual(['same_order']);
});

it('names every rule among the reasons of orders not credited', () => {
  expect(FRAUD_RULES.filter((rule) => !SKIP_REASONS.includes(rule))).toEqual([]);
});

describe('own purchases', () => {
  it.each([
    ['reject', null, 'self_referral'],
    ['hold', 'pending', null],
    ['flag', 'unpaid', null],
  ] as const)('%s', async (selfReferral, status, reason) => {
    const t = await startShop({ fraud: { selfReferral } });
    const result = await t.service.conversions.record(
      null,
      t.order({ customer: { email: 'Alice+x@shop.test' } }),
    );
    expect(result).toMatchObject({
      reason,
      referral: status && { status, settings: { fraud: [{ rule: 'self_referral', action: selfReferral }] } },
    });
    expect((await t.service.fraud.list({ page: 1, per_page: 10 })).rows).toMatchObject([
      { rule: 'self_referral', action: selfReferral },
    ]);
  });

  it('are passed to the hook that may refuse an order', async () => {
    const t = await startShop({ fraud: { selfReferral: 'flag' } });
    let reasons: readonly string[] = [];
    t.service.hooks.addFilter('should_process_referral', (_, check) => {
      ({ reasons } = check);
      return false;
    });
    expect((await t.service.conversions.record(null, t.order({ customer: { user_id: 2 } }))).reason).toBe(
      'refused',
    );
    expect(reasons).toEqual(['self_referral']);
  });

  it('and their like pass when the setting says so', async () => {
    const t = await startShop({ fraud: { sameDomain: 'reject' } });
    await configure(t, { self_referral_disabled: 'no' });
    expect(
      (await t.service.conversions.record(null, t.order({ customer: { email: 'kim@alice.test' } }))).reason,
    ).toBeNull();
  });

  it('are not suspected among strangers of one free mail provider', async () => {
    const t = await startShop({ fraud: { sameDomain: 'reject' } });
    await t.admin
      .patch(`/affiliates/${t.affiliate.id}`)
      .send({ payment_email: 'alice@gmail.com' })
      .expect(200);
    expect(
      (await t.service.conversions.record(null, t.order({ customer: { email: 'kim@gmail.com' } }))).reason,
    ).toBeNull();
  });
});

describe('one event (docs/tracking.md §13)', () => {
  it('is kept per rule, affiliate and customer, however the customer spells the address', async () => {
    const t = await startShop({ fraud: { disposableMail: 'flag', selfReferral: 'flag' } });
    const record = (reference: string, email: string) =>
      t.service.conversions.record(null, t.order({ reference, customer: { email } }));
    await record('1', 'jo@yopmail.com');
    await record('2', 'JO+2@yopmail.com');
    await record('3', 'kim@yopmail.com');
    const { body } = await t.admin.get('/settings/tracking/fraud').expect(200);
    expect(body.events.data).toMatchObject([{ provider_id: '3' }, { provider_id: '1' }]);
    expect(await storedText(t, 'fraud_events')).not.toContain('yopmail');

    await t.admin.delete(`/affiliates/${t.affiliate.id}`).expect(200);
    expect((await t.admin.get('/settings/tracking/fraud').expect(200)).body.events.total).toBe(0);
  });
});

describe('a customer whose first order was no good (docs/tracking.md §13)', () => {
  const record = (t: Shop, reference: string, more = {}) =>
    t.service.conversions.record(null, t.order({ reference, ...more }));

  it.each([
    [
      'a person rejected it',
      async (t: Shop, id: number) => {
        await t.admin.patch(`/referrals/${id}`).send({ status: 'rejected' }).expect(200);
      },
      'first_rejected',
    ],
    [
      'the bank took the money back',
      async (t: Shop) => t.service.conversions.cancel('shop', '1', 'disputed'),
      'first_rejected',
    ],
    [
      'the buyer gave it back',
      async (t: Shop) => t.service.conversions.refund('shop', '1', { refunded_total: '103.00' }),
      null,
    ],
    ['its payment failed', async (t: Shop) => t.service.conversions.cancel('shop', '1', 'failed'), null],
  ])('after %s: %#', async (_what, end, reason) => {
    const t = await startShop();
    await end(t, (await record(t, '1')).referral!.id);
    expect((await record(t, '2')).reason).toBe(reason);
    expect((await record(t, '3', { customer: { email: 'kim@shop.test' } })).reason).toBeNull();
  });

  it('brings nothing for life once the first order was given back', async () => {
    const t = await startShop();
    await configure(t, { enable_lifetime_commission: 'yes', lifetime_rate: 10 });
    await record(t, '1');
    expect((await record(t, '2', { affiliate: null })).referral?.amount).toBe(9);
    await t.service.conversions.refund('shop', '1', { refunded_total: '103.00' });
    expect((await record(t, '3', { affiliate: null })).reason).toBe('first_rejected');
  });
});

it('paid traffic is separated from other visits', async () => {
  const t = await startShop({
    fraud: { paidTraffic: 'reject', paidTrafficParams: ['AdId'], allowedCampaigns: ['77', 'brand'] },
  });
  const visits: readonly (readonly [string, Partial<NewVisit>, string | null])[] = [
    ['a plain page', { url: 'https://shop.test/?x=1', utm_medium: 'email' }, null],
    ['a click from a social network', { url: 'https://shop.test/?fbclid=x' }, null],
    ['a paid medium', { utm_medium: 'cpc' }, 'paid_traffic'],
    ["a parameter of one's own", { url: 'https://shop.test/?adid=7' }, 'paid_traffic'],
    ['an allowed campaign by id', { url: 'https://shop.test/?gclid=x&gad_campaignid=77' }, null],
    ['an allowed campaign by name', { url: 'https://shop.test/?msclkid=x', utm_campaign: 'brand' }, null],
  ];
  for (const [at, [what, visit, reason]] of visits.entries()) {
    const row = await t.records.visit({ ...visit, affiliate_id: t.affiliate.id });
    const order = t.order({
      affiliate: null,
      visit_id: row.id,
      reference: `A-${at}`,
      customer: { email: `jo${at}@buyer.test` },
    });
    expect([what, (await t.service.conversions.record(null, order)).reason]).toEqual([what, reason]);
  }
});

describe('shared payout destinations', () => {
  it('are found among bank accounts too, also of affiliates who came before, and until they change', async () => {
    const t = await startShop({ fraud: { sharedPayout: 'reject' } });
    const other = (await t.records.affiliate({ user_id: 3, payment_email: 'bob@pay.test' })) as {
      id: number;
    };
    // as versions stored them that did not compare destinations
    const iban = (id: number, text: string) =>
      t.app
        .db('affiliates')
        .where({ id })
        .update({ settings: JSON.stringify({ bank_details: text }) });
    await iban(t.affiliate.id, 'Alice, IBAN DE89 3704 0044 0532 0130 00');
    await iban(other.id, 'Bob\nde89370400440532013000');
    const reason = async (reference: string) =>
      (await t.service.conversions.record(null, t.order({ reference }))).reason;
    expect(await reason('1')).toBeNull();
    expect(await t.app.fraud.catchUp()).toBe(2);
    expect(await t.app.fraud.catchUp()).toBe(0);
    expect(await reason('2')).toBe('shared_payout');
    await t.service.affiliates.saveProfile(other.id, { bank_details: 'FR14 2004 1010 0505 0001 3M02 606' });
    expect(await reason('3')).toBeNull();
  });
});

describe('honest orders', () => {
  it('pass every rule', async () => {
    const all = Object.assign({}, ...Object.values(RULES).map(({ options }) => options('reject')), {
      fastOrderSeconds: 5,
      addressOrdersPerDay: 5,
      refundRatioOrders: 10,
    });
    const t = await startShop({ fraud: { ...all, bannedReferrers: ['coupons.test'] } });
    const visit = await t.records.visit({
      affiliate_id: t.affiliate.id,
      referrer: 'https://notcoupons.test/',
    });
    t.clock.advance(60_000);
    const order = t.order({
      affiliate: null,
      visit_id: visit.id,
      customer: { email: 'jo@notmailinator.com', ip: ADDRESS, payment_fingerprint: 'card_9' },
    });
    for (let at = 0; at < 9; at++) await t.service.conversions.record(null, order);
    expect((await t.service.conversions.record(null, order)).reason).toBe('duplicate');
    expect(
      (
        await t.service.conversions.record(null, {
          ...order,
          reference: 'A-2',
          customer: { email: 'x@yopmail.com' },
        })
      ).reason,
    ).toBe('disposable_mail');
    expect(await t.app.fraud.purge(t.clock.now() + 400 * 86_400_000)).toBe(1);
  });
});

describe('a coupon', () => {
  const order = (t: Shop, reference: string, more: object = {}): ConversionInput =>
    t.order({
      affiliate: null,
      coupon: 'POD',
      reference,
      customer: { email: `${reference}@mail.test` },
      ...more,
    });
  /** The request of a visitor who followed the affiliate's link. */
  async function visitor(t: Shop) {
    const page = await request(t.server).get(`/?ref=${t.affiliate.id}`).set(NAVIGATION);
    const cookie = String(page.headers['set-cookie']).split(';')[0];
    return { method: 'POST', url: '/buy', headers: { ...NAVIGATION, cookie }, socket: {} } as never;
  }

  it('is as usual after a click, while the click is young enough', async () => {
    const t = await startShop({ fraud: { codeWithoutClick: 'hold', codeWithoutClickDays: 7 } });
    await t.service.conversions.bindCoupon('shop', 'POD', t.affiliate.id);
    const req = await visitor(t);
    const sale = async (reference: string) =>
      (await t.service.conversions.record(req, order(t, reference))).referral?.status;
    expect(await sale('A-1')).toBe('unpaid');
    t.clock.advance(8 * 86_400_000);
    expect(await sale('A-2')).toBe('pending');
  });

  it('needs no click with an affiliate who lives from codes', async () => {
    const t = await startShop({ fraud: { codeWithoutClick: 'reject' } });
    await t.service.conversions.bindCoupon('shop', 'POD', t.affiliate.id);
    const body = { fraud: { code_without_click_except: [String(t.affiliate.id)] } };
    await t.admin.post('/settings/program-rules').send(body).expect(200);
    expect((await t.service.conversions.record(null, order(t, 'A-1'))).referral?.status).toBe('unpaid');
  });

  it('that is used far more often than usual is noticed in spite of clicks', async () => {
    const t = await startShop({ fraud: { codeWithoutClick: 'flag', codeRiseOrders: 3, codeRiseFactor: 5 } });
    await t.service.conversions.bindCoupon('shop', 'POD', t.affiliate.id);
    const req = await visitor(t);
    for (const reference of ['A-1', 'A-2', 'A-3', 'A-4'])
      await t.service.conversions.record(req, order(t, reference));
    const { body } = await t.admin.get('/settings/tracking/fraud?rule=code_without_click').expect(200);
    expect(body.events.data).toMatchObject([{ provider_id: 'A-4', evidence: { sales: 4, limit: 3 } }]);
  });
});
