import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { order, startCommerce, type CommerceShop } from '../support/commerce.js';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const timesOf = async (t: CommerceShop, referralId: number): Promise<(readonly [string, number])[]> => {
  const { body } = await t.admin.get(`/referrals/${referralId}`).expect(200);
  const timeline: { kind: string; at: string }[] = body.referral.order.timeline;
  return timeline.map(({ kind, at }) => [kind, Date.parse(at) - t.clock.time] as const);
};

// A shop's clock may be wrong; nothing it reports has happened later than now.
describe('a time that a shop states', () => {
  it('counts as now when it is still to come, so a later cancellation is the last word', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const tomorrow = t.clock.time + DAY;
    const reported = order({ attribution: { token }, created_at: tomorrow });
    await t.send({ type: 'order.paid', at: tomorrow, order: reported }).expect(200);
    const [row] = await t.referrals();
    expect(row).toMatchObject({ status: 'unpaid', amount: 18, created_at: '2026-01-15T15:00:00+00:00' });
    expect(await timesOf(t, Number(row?.['id']))).toEqual([
      ['order', 0],
      ['payment', 0],
    ]);

    t.clock.advance(MINUTE);
    await t.send({ type: 'order.canceled', order_ref: 'A-1' }).expect(200);
    expect(await t.referrals()).toMatchObject([{ status: 'rejected', amount: 18 }]);
  });

  it.each([
    ['the end of the calendar', 8_640_000_000_000_001],
    ['tomorrow', DAY],
  ])('counts as now in events of a shop in the same process, too: %s', async (_, ahead) => {
    const t = await startCommerce();
    const shop = t.service.commerce.intake('custom');
    const event = (type: string, more: object): never =>
      ({ type, at: t.clock.time + ahead, account: '', ...more }) as never;
    const totals = { goods: 9000, goods_before_discount: 9000, goods_tax: 0, shipping: 0, shipping_tax: 0 };
    const sale = {
      id: 'S-1',
      currency: 'USD',
      totals: { ...totals, fees: 0, fees_tax: 0, grand_total: 9000, paid: 9000 },
      items: [],
      coupons: [],
      customer: {},
      attribution: { token: await t.token() },
      created_at: t.clock.time + ahead,
    };
    const paid = await shop.accept(event('order.paid', { order: sale }));
    const refund = { order_ref: 'S-1', refund_id: 'R-1', gross: 4500, currency: 'USD', state: 'done' };
    await t.service.recordConversion(event('order.refunded', { refund }));
    expect(await t.referrals()).toMatchObject([{ status: 'unpaid', amount: 9 }]);
    const times = await timesOf(t, paid.referral_id!);
    expect(times.map(([, at]) => at)).toEqual([0, 0, 0]);

    await t.service.conversions.cancel('custom', 'S-1');
    expect(await t.referrals()).toMatchObject([{ status: 'rejected' }]);
  });

  it('keeps its order when the clock of the shop is a little ahead, and is shown as now', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const reported = order({ attribution: { token } });
    await t.send({ type: 'order.paid', at: t.clock.time + 2 * MINUTE, order: reported }).expect(200);
    await t
      .send({ type: 'order.canceled', order_ref: 'A-1', reason: 'failed', at: t.clock.time + MINUTE })
      .expect(200);
    const [row] = await t.referrals();
    expect(row).toMatchObject({ status: 'unpaid', amount: 18 });
    const times = await timesOf(t, Number(row?.['id']));
    expect(times.map(([, at]) => at)).toEqual([0, 0, 0]);
  });

  it('does not make an order of the host slower than it was', async () => {
    const t = await startApp({ rate: 10, fraud: { fastOrder: 'reject' } });
    const { id } = await t.records.affiliate({ user_id: 2, status: 'active' });
    const visit = await t.records.visit({ affiliate_id: id });
    const record = (reference: string, ordered_at: number): Promise<unknown> =>
      t.service.conversions.record(null, {
        provider: 'shop',
        reference,
        visit_id: visit.id,
        order: { subtotal: '45.00' },
        ordered_at,
      });
    expect(await record('1', t.clock.time + DAY)).toMatchObject({ referral: null, reason: 'fast_order' });
    // on the last day of the cookie, a time to come would be too late
    t.clock.advance(30 * DAY - MINUTE);
    expect(await record('2', t.clock.time + DAY)).toMatchObject({ created: true });
  });
});
