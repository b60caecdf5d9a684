import { describe, expect, it } from '@jest/globals';
import { configure, startShop } from '../support/shop.js';

const DAY = 86_400_000;

describe('how long a commission waits (docs/tracking.md §13, §14)', () => {
  it('counts the days of the group, else of the program, and pays nothing earlier', async () => {
    const t = await startShop();
    await configure(t, { hold_days: 30 });
    const record = async (reference: string) =>
      (await t.service.conversions.record(null, t.order({ reference }))).referral!;
    const first = await record('1');
    expect((await t.admin.get(`/referrals/${first.id}`).expect(200)).body.referral.payable_at).toBe(
      '2026-02-14T15:00:00+00:00',
    );
    await t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'Run' } })
      .expect(422);

    const group = (await t.records.group({ hold_days: 7 })) as { id: number };
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ group_id: group.id }).expect(200);
    expect((await record('2')).payable_at).toBe(t.clock.now() + 7 * DAY);

    t.clock.advance(7 * DAY);
    await t.records.payout();
    expect((await t.service.referrals.findByKey('shop::2:'))?.status).not.toBe('unpaid');
    expect((await t.service.referrals.find(first.id))?.status).toBe('unpaid');
  });

  it('lets a group pay at once', async () => {
    const t = await startShop();
    await configure(t, { hold_days: 30 });
    const group = (await t.records.group({ hold_days: 0 })) as { id: number };
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ group_id: group.id }).expect(200);
    expect((await t.service.conversions.record(null, t.order())).referral?.payable_at).toBeNull();
  });
});

describe('what earns (docs/tracking.md §8.3, §9, §13)', () => {
  const items = [
    { id: 'mug', subtotal: 60, categories: ['cups'] },
    { id: 7, subtotal: 40, categories: ['books'] },
  ];
  const order = { subtotal: 100 };

  it.each([
    ['a product', { excluded_products: [7] }, 12],
    ['a category', { excluded_categories: ['cups'] }, 8],
  ])('leaves %s out', async (_name, config, amount) => {
    const t = await startShop();
    await configure(t, config);
    expect((await t.service.conversions.record(null, t.order({ items, order }))).referral?.amount).toBe(
      amount,
    );
  });

  it.each([
    ['first', 6 + 8],
    ['best', 9 + 8],
  ])('takes the %s of several rules', async (word, amount) => {
    const t = await startShop();
    await configure(t, { rate_rules: word });
    const rules = [
      { object_type: 'product', object_ids: ['mug'], rate_e4: 100_000, rate_type: 'percentage' },
      { object_type: 'category', object_ids: ['cups'], rate_e4: 90_000, rate_type: 'fixed' },
    ] as const;
    expect(
      (await t.service.conversions.record(null, t.order({ items, order, rules }))).referral?.amount,
    ).toBe(amount);
  });

  it('caps what one customer brings within the window', async () => {
    const t = await startShop();
    await configure(t, { commission_cap_amount: 30, commission_cap_days: 30 });
    const record = (reference: string, email = 'jo@shop.test') =>
      t.service.conversions.record(null, t.order({ reference, customer: { email } }));
    expect((await record('1')).referral?.amount).toBe(18);
    expect((await record('2')).referral).toMatchObject({ amount: 12, settings: { capped_from_minor: 1800 } });
    expect(await record('3')).toMatchObject({ referral: null, reason: 'commission_cap' });
    expect((await record('4', 'kim@shop.test')).referral?.amount).toBe(18);
    t.clock.advance(31 * DAY);
    expect((await record('5')).referral?.amount).toBe(18);
  });

  it("counts a group's own months instead of the program's, to the same day of a shorter month", async () => {
    const t = await startShop();
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 5, renewal_max_months: 0 });
    const group = (await t.records.group({ renewal_max_months: 1 })) as { id: number };
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ group_id: group.id }).expect(200);
    t.clock.time = Date.UTC(2026, 0, 31, 12);
    await t.service.conversions.record(null, t.order({ subscription: { id: 'S', phase: 'first' } }));
    const renew = async (reference: string) =>
      (
        await t.service.conversions.record(
          null,
          t.order({ reference, subscription: { id: 'S', phase: 'renewal' } }),
        )
      ).reason;
    t.clock.time = Date.UTC(2026, 1, 28, 11);
    expect(await renew('A-2')).toBeNull();
    t.clock.time = Date.UTC(2026, 1, 28, 12);
    expect(await renew('A-3')).toBe('renewal_expired');
    await t.admin.patch(`/groups/groups/${group.id}`).send({ renewal_max_months: '' }).expect(200);
    expect(await renew('A-4')).toBe('renewal_expired');
  });

  it.each([
    [0, 1, 'renewal_expired'],
    [2, 58, null],
    [2, 60, 'renewal_expired'],
    ['', 4000, null],
  ])('with %s months pays a renewal after %i days: %s', async (months, days, reason) => {
    const t = await startShop();
    await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 5, renewal_max_months: months });
    await t.service.conversions.record(null, t.order({ subscription: { id: 'S', phase: 'first' } }));
    t.clock.advance(days * DAY);
    expect(
      (
        await t.service.conversions.record(
          null,
          t.order({ reference: 'A-2', subscription: { id: 'S', phase: 'renewal' } }),
        )
      ).reason,
    ).toBe(reason);
  });
});
