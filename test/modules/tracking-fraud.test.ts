import { describe, expect, it } from '@jest/globals';
import type { AffiliateServiceOptions } from '../../src/index.js';
import { startShop } from '../support/shop.js';

type Fraud = NonNullable<AffiliateServiceOptions['fraud']>;
const RULES: readonly (readonly [string, (action: 'off' | 'flag' | 'hold' | 'reject') => Fraud])[] = [
  ['disposable_mail', (action) => ({ disposableMail: action, disposableDomains: ['shop.test'] })],
  ['banned_referrer', (action) => ({ bannedReferrer: action, bannedReferrers: ['*.coupons.test'] })],
  ['fast_order', (action) => ({ fastOrder: action, fastOrderSeconds: 5 })],
  ['address_orders', (action) => ({ addressOrders: action, addressOrdersPerDay: 1 })],
];

describe.each(RULES)('fraud rule %s (tracking §20)', (rule, options) => {
  it.each(['off', 'flag', 'hold', 'reject'] as const)('%s', async (action) => {
    const t = await startShop({ fraud: options(action) });
    const visit = await t.records.visit({ affiliate_id: t.affiliate.id, referrer: 'https://www.coupons.test/best' });
    const order = (reference: string) => t.order({ reference, affiliate: null, visit_id: visit.id, customer: { email: 'jo@mail.shop.test', ip: '203.0.113.7' } });
    if (rule === 'address_orders') await t.service.conversions.record(null, order('first'));

    const { referral, reason } = await t.service.conversions.record(null, order('A-1'));
    if (action === 'reject') {
      expect({ referral, reason }).toEqual({ referral: null, reason: rule });
      const { body } = await t.admin.get('/settings/tracking/skipped').expect(200);
      expect(body.skipped.data).toMatchObject([{ provider_id: 'A-1', reason: rule, affiliate_id: t.affiliate.id }]);
      return;
    }
    expect(referral).toMatchObject({ status: action === 'hold' ? 'pending' : 'unpaid', amount: 18 });
    expect(referral?.settings?.['fraud']).toEqual(action === 'off' ? undefined : [{ rule, action }]);
    if (action !== 'hold') return;
    expect(await t.service.conversions.complete('shop', 'A-1')).toMatchObject({ changed: false, reason: 'locked' });
    await t.admin.patch(`/referrals/${referral!.id}`).send({ status: 'unpaid' }).expect(200);
  });
});

describe('honest orders', () => {
  it('pass every rule', async () => {
    const t = await startShop({ fraud: { disposableMail: 'reject', bannedReferrer: 'reject', bannedReferrers: ['coupons.test'], fastOrder: 'reject', addressOrders: 'reject' } });
    const visit = await t.records.visit({ affiliate_id: t.affiliate.id, referrer: 'https://notcoupons.test/' });
    t.clock.advance(60_000);
    const order = t.order({ affiliate: null, visit_id: visit.id, customer: { email: 'jo@notmailinator.com', ip: '203.0.113.7' } });
    for (let at = 0; at < 9; at++) await t.service.conversions.record(null, order);
    expect((await t.service.conversions.record(null, order)).reason).toBe('duplicate');
    expect((await t.service.conversions.record(null, { ...order, reference: 'A-2', customer: { email: 'x@yopmail.com' } })).reason).toBe('disposable_mail');
  });
});
