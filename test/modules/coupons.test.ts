import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { Wire } from '../support/records.js';

type Started = Awaited<ReturnType<typeof startApp>>;

async function program(): Promise<Started & { alice: number; bob: number }> {
  const t = await startApp();
  const ids: number[] = [];
  for (const userId of [2, 3])
    ids.push(((await t.records.affiliate({ user_id: userId, status: 'active' })) as { id: number }).id);
  return { ...t, alice: ids[0]!, bob: ids[1]! };
}

describe('coupons', () => {
  it('are bound, moved, listed and unbound; moving a code returns its earlier affiliate', async () => {
    const t = await program();
    const bind = async (code: string, affiliate_id: number): Promise<Wire> =>
      (await t.admin.post('/coupons').send({ provider: 'shop', code, affiliate_id }).expect(200)).body;

    expect(await bind('Summer', t.alice)).toMatchObject({ moved_from: null });
    expect(await bind('summer', t.alice)).toMatchObject({ moved_from: null });
    t.clock.advance(1000);
    expect(await bind('SUMMER', t.bob)).toMatchObject({ moved_from: { id: t.alice } });
    await bind('a/b ü&1', t.alice);

    const { body } = await t.admin.get('/coupons').expect(200);
    expect(body.coupons.data).toMatchObject([
      { provider: 'shop', code: 'a/b ü&1', affiliate_id: t.alice, affiliate: { id: t.alice } },
      { provider: 'shop', code: 'SUMMER', affiliate_id: t.bob },
    ]);
    for (const [query, count] of [
      ['search=umm', 1],
      ['provider=woo', 0],
      [`affiliate_id=${t.alice}`, 1],
    ])
      expect((await t.admin.get(`/coupons?${query}`).expect(200)).body.coupons.total).toBe(count);
    expect((await t.service.conversions.listCoupons({ page: 1, per_page: 1 })).total).toBe(2);

    await t.admin.delete('/coupons/shop/Summer').expect(200);
    await t.admin.delete('/coupons/shop/Summer').expect(404);
    await t.admin.delete(`/coupons/shop/${encodeURIComponent('a/b ü&1')}`).expect(200);
    const history = (await t.admin.get('/coupons/shop/summer/history').expect(200)).body.changes.data;
    expect(
      history.map((each: Record<string, unknown>) => [each['from_affiliate_id'], each['affiliate_id']]),
    ).toEqual([
      [t.bob, null],
      [t.alice, t.bob],
      [null, t.alice],
    ]);
    const byUser = { actor: 'Admin', actor_id: 1, api_key_id: null };
    expect(history).toMatchObject([byUser, byUser, byUser]);
    await t.service.conversions.bindCoupon('shop', 'CODE', t.alice);
    expect((await t.admin.get('/coupons/shop/code/history').expect(200)).body.changes.data).toMatchObject([
      { actor: '', actor_id: null, api_key_id: null, request_id: 'code' },
    ]);
    for (const wrong of [
      { provider: 'shop', code: '', affiliate_id: t.alice },
      { provider: '', code: 'x', affiliate_id: t.alice },
      { provider: 'shop', code: 'x' },
    ])
      await t.admin.post('/coupons').send(wrong).expect(422);
    await t.admin.post('/coupons').send({ provider: 'shop', code: 'x', affiliate_id: 4711 }).expect(404);
  });

  it('are bound in the shop that orders and integrations name, however it is spelled', async () => {
    const t = await program();
    await t.service.conversions.record(null, {
      provider: 'Corner-Shop',
      reference: '1',
      affiliate: t.alice,
      order: { subtotal: 10 },
    });
    await t.service.conversions.bindCoupon('Corner-Shop', 'SUMMER', t.alice);
    t.service.commerce.register({
      key: 'bookshop',
      info: { title: 'Book shop', description: 'Books', type: 'commerce' },
      abilities: new Set(['coupons']),
      enabled: true,
    });

    expect((await t.admin.get('/coupons/shops').expect(200)).body.shops).toEqual([
      { provider: 'bookshop', title: 'Book shop', counts_coupons: false },
      { provider: 'Corner-Shop', title: 'Corner-Shop', counts_coupons: true },
    ]);
    const bind = async (provider: string): Promise<Wire> =>
      (await t.admin.post('/coupons').send({ provider, code: 'summer', affiliate_id: t.alice }).expect(200))
        .body;
    expect(await bind(' corner-shop ')).toMatchObject({ moved_from: null, also_in: [] });
    expect(await bind('Fernway')).toMatchObject({ moved_from: null, also_in: ['Corner-Shop'] });
    expect((await t.admin.get('/coupons').expect(200)).body.coupons.data).toMatchObject([
      { provider: 'Corner-Shop', code: 'SUMMER' },
      { provider: 'Fernway', code: 'summer' },
    ]);
  });

  it('are shown on the page of the affiliate and in the portal', async () => {
    const t = await program();
    await t.service.conversions.bindCoupon('shop', 'ALICE10', t.alice);

    expect((await t.admin.get(`/affiliates/${t.alice}`).expect(200)).body.affiliate.attached_coupons).toEqual(
      [{ code: 'ALICE10', provider: 'shop', description: 'shop' }],
    );
    const { body } = await t.as(2).get('/portal/bootstrap').expect(200);
    expect(body.branded_coupons).toEqual([{ code: 'ALICE10', description: '' }]);
  });

  it('that took only shipping off credit their affiliate', async () => {
    const t = await program();
    await t.service.conversions.bindCoupon('shop', 'FREESHIP', t.alice);
    const order = async (reference: string, more: object): Promise<number | null | undefined> =>
      (
        await t.service.conversions.record(null, {
          provider: 'shop',
          reference,
          coupon: 'freeship',
          order: { subtotal: 10, discount: 0, ...more },
        })
      ).referral?.affiliate_id;

    expect(await order('1', { shipping_discount: '4.90' })).toBe(t.alice);
    const { referral } = (await t.admin.get('/referrals/1').expect(200)).body;
    expect(referral.settings).toMatchObject({ source: 'coupon', coupon: 'freeship' });
    expect(await order('2', { shipping_discount: 0 })).toBeUndefined();
    expect(await order('3', {})).toBeUndefined();
  });
});
