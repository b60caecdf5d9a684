import { describe, expect, it } from '@jest/globals';
import { startShop } from '../support/shop.js';

describe('privacy of buyers (docs/tracking.md §16)', () => {
  it('hands out and forgets what is kept of one', async () => {
    const t = await startShop();
    const { referral } = await t.service.conversions.record(
      null,
      t.order({ customer: { email: 'Jo@shop.test', first_name: 'Jo', ip: '203.0.113.7' } }),
    );
    const id = referral!.customer_id!;
    expect(await t.service.customers.export('jo@SHOP.test')).toMatchObject({
      customer: { id, email: 'Jo@shop.test', first_name: 'Jo', ip: '203.0.113.0' },
      referrals: [{ id: referral!.id, amount: 18 }],
    });

    expect(await t.service.customers.forget('jo@shop.test')).toBe(true);
    expect(await t.service.customers.forget('jo@shop.test')).toBe(false);
    expect(await t.service.customers.export('jo@shop.test')).toBeNull();
    expect(await t.service.customers.export(id)).toMatchObject({
      customer: { id, email: null, first_name: null, ip: null, user_id: null },
      referrals: [{ amount: 18 }],
    });
    expect(
      (await t.admin.get(`/referrals/${referral!.id}`).expect(200)).body.referral.customer,
    ).toMatchObject({ email: null });
  });

  it.each([
    [395, [null, '198.51.100.0']],
    [0, ['203.0.113.0', '198.51.100.0']],
  ])('keeps addresses for %s days after the last order that named one', async (retentionDays, kept) => {
    const t = await startShop({ tracking: { retentionDays } });
    const order = (reference: string, email: string, ip: string): Promise<unknown> =>
      t.service.conversions.record(null, t.order({ reference, customer: { email, first_name: 'Jo', ip } }));
    await order('1', 'jo@shop.test', '203.0.113.7');
    await order('2', 'kim@shop.test', '203.0.113.8');
    t.clock.advance(200 * 86_400_000);
    await order('3', 'kim@shop.test', '198.51.100.8');
    t.clock.advance(196 * 86_400_000);
    await t.service.jobs.runDue();
    const { body } = await t.admin
      .get(`/affiliates/${t.affiliate.id}/customers?order_by=id&order_type=ASC`)
      .expect(200);
    expect(
      body.customers.data.map(({ ip, first_name: name }: Record<string, unknown>) => [ip, name]),
    ).toEqual(kept.map((ip) => [ip, 'Jo']));
    await order('4', 'jo@shop.test', '192.0.2.9');
    expect(await t.service.customers.match('jo@shop.test', null)).toMatchObject({ ip: '192.0.2.0' });
  });
});
