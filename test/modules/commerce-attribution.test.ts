import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { CommerceProvider, Intake, ProviderEvent } from '../../adapters/commerce.js';
import { readEvent } from '../../adapters/commerce/standard-event.js';
import { KeyRing } from '../../src/platform/secrets.js';
import { readToken, writeToken } from '../../src/attribution/tracking/click-token.js';
import { startApp } from '../support/app.js';
import { order, startCommerce, tokenOf, type CommerceShop } from '../support/commerce.js';
import { configure } from '../support/shop.js';
import { cookieOf, trackedSite } from '../support/tracker.js';
import { skippedOrders } from '../support/lists.js';

const DAY = 86_400_000;
const send = (t: CommerceShop, attribution: object, more: object = {}): Promise<unknown> =>
  t
    .send({ type: 'order.paid', order: order({ attribution, ...more }) })
    .expect(200)
    .then(() => undefined);
const credited = async (t: CommerceShop): Promise<unknown[]> =>
  (await t.referrals()).map((row) => row['affiliate_id']);
const eventOf = (event: object): ProviderEvent =>
  readEvent(event as Record<string, unknown>, Date.UTC(2026, 0, 15, 15)) as ProviderEvent;

/** The token of a visitor who returned by this link: the click renews the cookie and makes no visit. */
async function tokenWith(t: CommerceShop, link: string): Promise<string> {
  const first = cookieOf(await trackedSite(t.app).open(`/?ref=${t.affiliate.id}`));
  t.clock.advance(20 * DAY);
  const renewed = cookieOf(await trackedSite(t.app).open(link, { Cookie: first }));
  return (await t.service.checkoutToken({ headers: { cookie: renewed } } as never)) ?? '';
}

describe('the checkout token', () => {
  const keys = new KeyRing('a secret that is long enough for the tests').bind('shop');
  it.each([
    [1, null],
    [127, 128],
    [123_456, 98_765_432],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('carries affiliate %s and visit %s', (affiliate, visit) => {
    const click = { affiliate_id: affiliate, visit_id: visit, issued_at: 1_700_000_000_000 };
    const token = writeToken(keys, click);
    expect(token).toMatch(/^[A-Za-z0-9_-]{32,50}$/);
    expect(readToken(keys, token)).toEqual(click);
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      expect([at, readToken(keys, changed)]).toEqual([at, null]);
    }
    expect(
      readToken(new KeyRing('another secret that is long enough for it').bind('shop'), token),
    ).toBeNull();
  });

  it.each([[[]], [['coupon_site']], [['banned_referrer', 'paid_traffic']]] as const)(
    'carries the rules %j that the click matched',
    (rules) => {
      const click = { affiliate_id: 3, visit_id: 4, issued_at: 1_700_000_000_000, rules: [...rules] };
      expect(readToken(keys, writeToken(keys, click))).toEqual(click);
    },
  );

  it('lets the rules check the click that renewed the cookie, though it made no visit', async () => {
    const t = await startCommerce({ fraud: { couponSite: 'hold' } });
    const browser = {
      Accept: 'text/html',
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      'Sec-Fetch-Dest': 'document',
    };
    const first = await request(t.server).get(`/?ref=${t.affiliate.id}`).set(browser);
    const Cookie = first.get('Set-Cookie')?.[0]?.split(';')[0] ?? '';
    t.clock.advance(20 * DAY);
    const back = await request(t.server)
      .get(`/?ref=${t.affiliate.id}`)
      .set({ ...browser, Cookie, Referer: 'https://www.retailmenot.com/x' });
    const renewed = back.get('Set-Cookie')?.[0]?.split(';')[0] ?? '';
    expect(renewed).not.toBe('');
    const token = await t.service.checkoutToken({ headers: { cookie: renewed } } as never);
    await send(
      t,
      { token: await t.service.checkoutToken({ headers: { cookie: Cookie } } as never) },
      { id: 'a' },
    );
    await send(t, { token }, { id: 'b' });
    const { rows } = await t.service.fraud.list({ page: 1, per_page: 10 });
    expect(rows.map(({ rule, provider_id }) => [rule, provider_id])).toEqual([['coupon_site', 'b']]);
    expect((await t.referrals()).map((row) => [row['provider_id'], row['status']])).toEqual(
      expect.arrayContaining([
        ['a', 'unpaid'],
        ['b', 'pending'],
      ]),
    );
  });

  it('lets them check it also when only the affiliate was reported before the payment', async () => {
    const t = await startCommerce({ fraud: { paidTraffic: 'hold' } });
    const token = await tokenWith(t, '/?ref=alice&gclid=x');
    const orderData = {
      id: 'A-1',
      currency: 'USD',
      customer: { email: 'jo@buyer.test' },
      attribution: { token },
    };
    await t.send({ type: 'order.attributed', order: orderData }).expect(200);
    await t.send({ type: 'order.paid', order: order() }).expect(200);
    expect(await t.referrals()).toMatchObject([{ status: 'pending' }]);
    const { rows } = await t.service.fraud.list({ page: 1, per_page: 10 });
    expect(rows.map(({ rule }) => rule)).toEqual(['paid_traffic']);
  });

  it.each(['', 'x', 'A'.repeat(40), '1', 'ü'.repeat(40)])('is not %s', (text) => {
    expect(readToken(keys, text)).toBeNull();
  });

  it('counts for the days of the cookie, before the order and not after it', async () => {
    const t = await startCommerce();
    await configure(t, { cookie_duration: 30 });
    const token = await t.token();
    const clicked = t.clock.time;
    t.clock.advance(31 * DAY);
    const at = (days: number): object => ({ id: `o${days}`, created_at: clicked + days * DAY });
    for (const days of [-1, 31, 30]) await send(t, { token }, at(days));
    expect((await t.referrals()).map((row) => row['provider_id'])).toEqual(['o30']);
  });

  it('is nothing without a visit, and metadata holds it', async () => {
    const t = await startCommerce();
    expect(await t.service.checkoutToken({ headers: {} } as never)).toBeNull();
    expect(await t.service.checkoutMetadata({ headers: {} } as never)).toEqual({});
  });
});

describe('who is credited', () => {
  it('is no affiliate for a forged token, or a token of an inactive affiliate', async () => {
    const t = await startCommerce();
    const token = await t.token();
    await send(t, { token: `${token.slice(0, -2)}xx` });
    await send(t, { affiliate_id: t.affiliate.id });
    await send(t, { landing_url: `/?ref=${t.affiliate.id}` });
    await t.admin.patch(`/affiliates/${t.affiliate.id}`).send({ status: 'inactive' }).expect(200);
    await send(t, { token });
    expect(await credited(t)).toEqual([]);
  });

  it('waits for a review when nothing is signed, also when the shop corrects the buyer', async () => {
    const t = await startCommerce({}, { acceptUnsigned: true });
    const attribution = { landing_url: `/?ref=${t.affiliate.id}` };
    const report = async (type: string, email: string): Promise<unknown> =>
      t.send({ type, order: order({ attribution, customer: { email } }) }).expect(200);
    await report('order.created', 'jo@buyer.test');
    await report('order.created', 'kim@buyer.test');
    await report('order.created', 'kim@buyer.test');
    await report('order.paid', 'kim@buyer.test');
    expect((await t.referrals()).map(({ status }) => status)).toEqual(['pending']);
  });

  it('is the affiliate that staff named, where the provider confirms that only staff can', async () => {
    const t = await startCommerce({}, { trustAffiliateId: true });
    await send(t, { affiliate_id: t.affiliate.id });
    expect(await credited(t)).toEqual([t.affiliate.id]);
  });

  it('is no affiliate for an order of staff, except by coupon', async () => {
    const t = await startCommerce();
    await t.admin
      .post('/settings/integration/config')
      .send({ integration: 'demo', config: { affiliate_on_discount_product: 'yes' } })
      .expect(200);
    const other = (await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    await t.service.commerce.bindCoupon('demo', 'Summer', other.id);
    const token = await t.token();
    const coupons = [
      { code: 'none', discount: '1.00' },
      { code: 'SUMMER', discount: '10.00' },
    ];
    await send(t, { token }, { id: 's1', created_by_staff: true });
    await send(t, { token }, { id: 's2', created_by_staff: true, coupons });
    await send(t, { token }, { id: 's3', coupons: [{ code: 'summer', discount: '0.00' }] });
    await send(t, { token }, { id: 's4', coupons });
    expect(await credited(t)).toEqual([other.id, t.affiliate.id, other.id]);
  });

  it('is the first affiliate of a lifetime customer', async () => {
    const t = await startCommerce();
    await configure(t, { enable_lifetime_commission: 'yes', lifetime_rate: 5 });
    await send(t, { token: await t.token() }, { id: 'l1' });
    await send(t, {}, { id: 'l2' });
    expect((await t.referrals()).map((row) => [row['type'], row['amount']])).toEqual([
      ['sale', 18],
      ['lifetime_sale', 4.5],
    ]);
  });

  it('is not the buyer', async () => {
    const t = await startCommerce();
    await send(t, { token: await t.token() }, { customer: { email: 'Alice+shop@shop.test' } });
    expect(await credited(t)).toEqual([]);
    expect(await skippedOrders(t)).toMatchObject([{ provider_id: 'A-1', reason: 'self_referral' }]);
  });

  it('sees every event by hook', async () => {
    const t = await startCommerce();
    const seen: unknown[] = [];
    t.service.hooks.addAction('provider_event', (event, outcome) => {
      seen.push([event['type'], outcome['result'], outcome['reason']]);
    });
    await send(t, { token: await t.token() });
    await send(t, {}, { id: 'x' });
    expect(seen).toEqual([
      ['order.paid', 'recorded', undefined],
      ['order.paid', 'ignored', 'no_affiliate'],
    ]);
  });
});

describe('shops in the same process', () => {
  it("report their orders with the buyer's cookie, and are released at the end", async () => {
    let intake: Intake | undefined;
    let attached = 0;
    const shop: CommerceProvider = {
      key: 'inner',
      info: { title: 'Inner', description: '', type: 'commerce' },
      attach: (given) => {
        intake = given;
        attached += 1;
        return () => {
          attached -= 1;
        };
      },
    };
    const t = await startApp({ providers: [shop] });
    await t.records.affiliate({ user_id: 2, status: 'active' });
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'inner', is_enabled: 'yes' })
      .expect(200);
    const page = await request(t.server).get('/?ref=1').set({
      Accept: 'text/html',
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      'Sec-Fetch-Dest': 'document',
    });
    const cookie = decodeURIComponent(
      String(page.headers['set-cookie']?.[0]).split(';')[0]?.split('=')[1] ?? '',
    );
    const event = eventOf({ type: 'order.paid', order: order({ attribution: { cookie } }) });
    expect(await intake?.accept(event)).toEqual({ result: 'recorded', referral_id: 1 });
    expect(await intake?.accept(event)).toEqual({ result: 'unchanged', reason: 'duplicate' });
    expect(attached).toBe(1);
    await t.app.commerce.close();
    expect(attached).toBe(0);
  });

  it('need no provider at all', async () => {
    const t = await startApp();
    const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
    const token = await tokenOf(t, affiliate.id);
    const tell = (event: object): Promise<unknown> => t.service.recordConversion(eventOf(event));
    expect(await tell({ type: 'order.paid', order: order({ attribution: { token } }) })).toMatchObject({
      result: 'recorded',
    });
    expect(
      await tell({
        type: 'lead.created',
        lead: { id: 'L1', kind: 'lead', customer: { email: 'new@b.test' }, attribution: { token } },
      }),
    ).toMatchObject({ result: 'recorded' });
    expect(
      await tell({
        type: 'order.refunded',
        refund: { order_ref: 'A-1', refund_id: 'r', currency: 'USD', gross: '114.00' },
      }),
    ).toMatchObject({ result: 'updated' });
    const { body } = await t.admin.get('/referrals?order_by=id&order_type=ASC').expect(200);
    expect(
      body.referrals.data.map((row: Record<string, unknown>) => [
        row['type'],
        row['status'],
        row['provider'],
        row['provider_id'],
      ]),
    ).toEqual([
      ['sale', 'rejected', 'custom', 'A-1'],
      ['lead', 'pending', 'custom', 'L1'],
    ]);
  });

  it('are asked daily for changes', async () => {
    const pages: (string | undefined)[] = [];
    const shop: CommerceProvider = {
      key: 'pull',
      info: { title: 'Pull', description: '', type: 'commerce' },
      trustAffiliateId: true,
      changedSince: async (_ms, cursor) => {
        pages.push(cursor);
        const event = eventOf({
          type: 'order.paid',
          order: order({ id: cursor ?? 'first', attribution: { affiliate_id: 1 } }),
        });
        return cursor === undefined ? { events: [event], next: 'second' } : { events: [event] };
      },
    };
    const t = await startApp({ providers: [shop] });
    await t.records.affiliate({ user_id: 2, status: 'active' });
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'pull', is_enabled: 'yes' })
      .expect(200);
    await t.app.commerce.sweeping.run();
    await t.app.commerce.sweeping.run();
    expect(pages).toEqual([undefined, 'second']);
    t.clock.advance(86_400_000);
    await t.app.commerce.sweeping.run();
    expect(pages).toEqual([undefined, 'second', undefined, 'second']);
    expect(await t.app.commerce.deliveries()).toEqual([
      { provider: 'pull', status: 'done', reason: null, count: 2, last: t.clock.time - 86_400_000 },
    ]);
  });
});
