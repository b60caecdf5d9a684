import { describe, expect, it } from '@jest/globals';
import { startShop } from '../support/shop.js';

describe('privacy of buyers (tracking §20)', () => {
  it('hands out and forgets what is kept of one', async () => {
    const t = await startShop();
    const { referral } = await t.service.conversions.record(null, t.order({ customer: { email: 'Jo@shop.test', first_name: 'Jo', ip: '203.0.113.7' } }));
    const id = referral!.customer_id!;
    expect(await t.service.customers.export('jo@SHOP.test')).toMatchObject({
      customer: { id, email: 'Jo@shop.test', first_name: 'Jo', ip: '203.0.113.0' }, referrals: [{ id: referral!.id, amount: 18 }],
    });

    expect(await t.service.customers.forget('jo@shop.test')).toBe(true);
    expect(await t.service.customers.forget('jo@shop.test')).toBe(false);
    expect(await t.service.customers.export('jo@shop.test')).toBeNull();
    expect(await t.service.customers.export(id)).toMatchObject({ customer: { id, email: null, first_name: null, ip: null, user_id: null }, referrals: [{ amount: 18 }] });
    expect((await t.admin.get(`/referrals/${referral!.id}`).expect(200)).body.referral.customer).toMatchObject({ email: null });
  });
});
