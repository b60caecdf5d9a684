import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { cookieOf, trackedSite } from '../support/tracker.js';

const DAY = 86_400_000;

async function clicked(): Promise<{ t: TestApp; id: number; cookie: string; at: number }> {
  const t = await startApp();
  const { id } = await t.records.affiliate({ user_id: 2 });
  const cookie = cookieOf(await trackedSite(t.app).open(`/?ref=${id}`));
  return { t, id: id, cookie, at: t.clock.now() };
}

let orders = 0;
const record = async (
  t: TestApp,
  more: { cookie?: string; ordered_at?: number; visit_id?: number },
): Promise<{ affiliate_id: number | null; reason: string | null }> => {
  const { cookie, ...fields } = more;
  const { referral, reason } = await t.service.conversions.record(
    cookie === undefined ? null : ({ headers: { cookie }, socket: {} } as never),
    { provider: 'shop', reference: `T-${++orders}`, order: { subtotal: '100.00' }, ...fields },
  );
  return { affiliate_id: referral?.affiliate_id ?? null, reason: reason ?? null };
};

describe('an order and the click that led to it', () => {
  it('is not credited when it was made before the click of the cookie', async () => {
    const { t, id, cookie, at } = await clicked();
    t.clock.advance(DAY);
    expect(await record(t, { cookie, ordered_at: at - 60_000 })).toMatchObject({
      affiliate_id: null,
      reason: 'no_affiliate',
    });
    expect(await record(t, { cookie, ordered_at: at })).toMatchObject({ affiliate_id: id });
    expect(await record(t, { cookie, ordered_at: at + 60_000 })).toMatchObject({ affiliate_id: id });
    expect(await record(t, { cookie })).toMatchObject({ affiliate_id: id });
  });

  it('counts the first click where a later one only renewed the cookie', async () => {
    const { t, id, cookie, at } = await clicked();
    t.clock.advance(2 * DAY);
    const renewed = cookieOf(await trackedSite(t.app).open(`/?ref=${id}`, { Cookie: cookie })) || cookie;
    expect(await record(t, { cookie: renewed, ordered_at: at + DAY })).toMatchObject({ affiliate_id: id });
    expect(await record(t, { cookie: renewed, ordered_at: at - DAY })).toMatchObject({ affiliate_id: null });
  });

  it('is not credited by a visit outside of the window', async () => {
    const { t, id, at } = await clicked();
    const [{ id: visit_id }] = (await t.app.db('visits').select('id')) as [{ id: number }];
    const visit = { visit_id: Number(visit_id) };
    expect(await record(t, { ...visit, ordered_at: at - 60_000 })).toMatchObject({ affiliate_id: null });
    t.clock.advance(31 * DAY);
    expect(await record(t, { ...visit, ordered_at: at + 29 * DAY })).toMatchObject({ affiliate_id: id });
    expect(await record(t, { ...visit, ordered_at: at + 31 * DAY })).toMatchObject({ affiliate_id: null });
    expect(await record(t, visit)).toMatchObject({ affiliate_id: null, reason: 'no_affiliate' });
  });

  it('is still the customer’s affiliate’s when the click does not count', async () => {
    const { t, id, cookie, at } = await clicked();
    await t.app.settings.saveReferralConfig({ enable_lifetime_commission: 'yes', lifetime_rate: 5 });
    const customer = { email: 'jo@buyer.test' };
    const order = { provider: 'shop', order: { subtotal: '100.00' }, customer };
    await t.service.conversions.record(null, {
      ...order,
      reference: 'first',
      affiliate: id,
      status: 'unpaid',
    });
    const { referral, reason } = await t.service.conversions.record(
      { headers: { cookie }, socket: {} } as never,
      {
        ...order,
        reference: 'second',
        ordered_at: at - DAY,
      },
    );
    expect([reason ?? null, referral]).toMatchObject([null, { affiliate_id: id, type: 'lifetime_sale' }]);
  });
});
