import { describe, expect, it } from '@jest/globals';
import type { ConversionInput } from '../../src/attribution/conversions/types.js';
import { configure, earnings, startShop } from '../support/shop.js';

describe('recording a conversion', () => {
  it('credits the affiliate with the exact commission', async () => {
    const t = await startShop();

    const result = await t.service.conversions.record(
      null,
      t.order({
        items: [
          { id: 'sku-1', title: 'Mug', quantity: 2, subtotal: '60' },
          { id: 8, title: 'Tea', subtotal: '40' },
        ],
      }),
    );

    expect(result).toMatchObject({
      created: true,
      reason: null,
      referral: {
        status: 'unpaid',
        amount: 18,
        order_total: 90,
        currency: 'USD',
        provider: 'shop',
        provider_id: 'A-1',
      },
    });
    const { body } = await t.admin.get(`/referrals/${result.referral!.id}`).expect(200);
    expect(body.referral).toMatchObject({
      amount: 18,
      order_total: 90,
      description: 'Mug and 1 more item',
      customer: { email: 'jo@shop.test' },
      products: [
        { item_id: 'sku-1', title: 'Mug', subtotal: 60, discount: 6, total: 54 },
        { item_id: 8, title: 'Tea', total: 36 },
      ],
      settings: { source: 'explicit', commission: { source: 'global', rate: '20%' } },
    });
    expect(t.fired).toEqual(['customer_linked', 'referral_recorded', 'referral_marked_unpaid']);
    expect(await earnings(t)).toEqual([18, 18]);
  });

  it('answers a repeat with the stored referral, without hooks', async () => {
    const t = await startShop();
    const first = await t.service.conversions.record(null, t.order());
    t.fired.length = 0;

    const again = await t.service.conversions.record(
      null,
      t.order({
        order: { subtotal: '100.00', tax: '8.00', shipping: '5.00', discount: '10.00', currency: 'USD' },
      }),
    );

    expect(again).toMatchObject({
      created: false,
      reason: 'duplicate',
      referral: { id: first.referral!.id },
    });
    expect(t.fired).toEqual([]);
  });

  it('names the fields in which a repeat differs', async () => {
    const t = await startShop();
    await t.service.conversions.record(null, t.order());
    await expect(
      t.service.conversions.record(null, t.order({ order: { subtotal: 99 }, status: 'pending' })),
    ).rejects.toMatchObject({ code: 'conversion_conflict', data: { fields: ['status', 'order'] } });
  });

  it('stores one of many at the same moment', async () => {
    const t = await startShop();
    const results = await Promise.all(
      Array.from({ length: 12 }, () => t.service.conversions.record(null, t.order())),
    );

    expect(results.filter((result) => result.created)).toHaveLength(1);
    expect(new Set(results.map((result) => result.referral?.id)).size).toBe(1);
    expect(t.fired.filter((name) => name === 'referral_recorded')).toHaveLength(1);
    expect(await earnings(t)).toEqual([18, 18]);
  });

  it.each<[string, Partial<ConversionInput>, string]>([
    ['nobody brought the buyer', { affiliate: null }, 'no_affiliate'],
    ['the affiliate is unknown', { affiliate: 999 }, 'no_affiliate'],
    ["the buyer is the affiliate's account", { customer: { email: ' ALICE+x@shop.test' } }, 'self_referral'],
    ['the buyer has the payment address', { customer: { email: 'pay@alice.test' } }, 'self_referral'],
    ["the buyer is the affiliate's user", { customer: { email: 'x@y.test', user_id: 2 } }, 'self_referral'],
    ['the order is worth nothing', { order: { subtotal: '0' } }, 'zero_amount'],
    ['it changes an older order', { upgrade_of: 'A-0' }, 'upgrade_order'],
    [
      'a renewal of nothing known',
      { subscription: { id: 'S', phase: 'renewal' as const } },
      'parent_unknown',
    ],
  ])('credits nothing when %s', async (_what, more, reason) => {
    const t = await startShop();
    expect(await t.service.conversions.record(null, t.order(more))).toEqual({
      referral: null,
      created: false,
      reason,
    });
    expect(t.fired).toEqual([]);
  });

  it('credits nothing to an inactive affiliate', async () => {
    const t = await startShop();
    await t.admin.patch(`/affiliates/${t.affiliate.id}/status`).send({ status: 'inactive' }).expect(200);
    expect((await t.service.conversions.record(null, t.order())).reason).toBe('affiliate_inactive');
  });

  it('credits own purchases when the setting allows it', async () => {
    const t = await startShop();
    await configure(t, { self_referral_disabled: 'no' });
    expect(
      (await t.service.conversions.record(null, t.order({ customer: { email: 'pay@alice.test' } }))).created,
    ).toBe(true);
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
    const t = await startShop();
    const error = await t.service.conversions.record(null, t.order(more)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'validation_failed' });
    expect(Object.keys((error as { fields: object }).fields)).toEqual(fields);
  });

  it.each<[ConversionInput['order'], number]>([
    [{ subtotal: { minor: 1005 } }, 2.01],
    [{ subtotal: '1e2' }, 20],
  ])('reads the amounts of %p', async (order, amount) => {
    const t = await startShop();
    expect((await t.service.conversions.record(null, t.order({ order: order! }))).referral).toMatchObject({
      amount,
    });
  });

  it("takes an individual rate before the group's, and the group's before the program's", async () => {
    const t = await startShop();
    const group = (await t.records.group({
      meta_key: 'VIP',
      rate_type: 'percentage',
      rate: 25,
      status: 'active',
    })) as { id: number };
    const amount = async (reference: string): Promise<number> =>
      (await t.service.conversions.record(null, t.order({ reference, order: { subtotal: 80 } }))).referral!
        .amount;

    expect(await amount('1')).toBe(16);
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ group_id: group.id }).expect(200);
    expect(await amount('2')).toBe(20);
    await t.admin
      .patch(`/affiliates/${t.affiliate.id}`)
      .send({ rate_type: 'percentage', rate: 5 })
      .expect(200);
    expect(await amount('3')).toBe(4);
  });

  it('keeps a foreign flat commission for a person to settle', async () => {
    const t = await startShop();
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ rate_type: 'flat', rate: 5 }).expect(200);

    const result = await t.service.conversions.record(
      null,
      t.order({ order: { subtotal: 100, currency: 'EUR' } }),
    );

    expect(result).toMatchObject({
      created: true,
      reason: 'currency_mismatch',
      referral: { status: 'pending', amount: 0, currency: 'EUR' },
    });
  });

  it.each([
    ['1.0842', { amount: 5.42, currency: 'EUR' }, null],
    [160.5, { amount: 803, currency: 'JPY' }, null],
    ['1e-3', { amount: 0.005, currency: 'KWD' }, null],
    [null, { amount: 0, status: 'pending', currency: 'EUR' }, 'currency_mismatch'],
    ['-1', { amount: 0, status: 'pending', currency: 'EUR' }, 'currency_mismatch'],
    ['much', { amount: 0, status: 'pending', currency: 'EUR' }, 'currency_mismatch'],
    [new Error('down'), { amount: 0, status: 'pending', currency: 'EUR' }, 'currency_mismatch'],
  ])('converts a flat commission at the rate %p the host gives', async (rate, referral, reason) => {
    const t = await startShop();
    const asked: string[] = [];
    Object.assign(t.host, {
      exchangeRate: async (from: string, to: string) => {
        asked.push(from + to);
        if (rate instanceof Error) throw rate;
        return rate;
      },
    });
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ rate_type: 'flat', rate: 5 }).expect(200);

    const result = await t.service.conversions.record(
      null,
      t.order({ order: { subtotal: 100, currency: referral.currency } }),
    );
    expect(result).toMatchObject({ created: true, reason, referral });
    expect(result.referral?.settings?.['commission']).toMatchObject(
      reason === null ? { exchange: { from: 'USD', rate: String(rate) } } : {},
    );
    await t.service.conversions.record(null, t.order({ reference: 'home' }));
    expect(asked).toEqual([`USD${referral.currency}`]);
  });

  it('pays no flat commission beyond every amount', async () => {
    const t = await startShop();
    Object.assign(t.host, { exchangeRate: async () => '1e12' });
    await t.admin
      .patch(`/affiliates/${t.affiliate.id}`)
      .send({ rate_type: 'flat', rate: 90_000_000_000 })
      .expect(200);
    await expect(
      t.service.conversions.record(null, t.order({ order: { subtotal: 100, currency: 'EUR' } })),
    ).rejects.toMatchObject({ code: 'amount_overflow' });
  });

  it('does not add foreign money to the earnings', async () => {
    const t = await startShop();
    await t.service.conversions.record(null, t.order({ order: { subtotal: 1005, currency: 'JPY' } }));
    expect(await earnings(t)).toEqual([0, 0]);
  });
});
