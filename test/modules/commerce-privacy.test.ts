import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { shopify } from '../../adapters/index.js';
import { writeToken } from '../../src/attribution/tracking/click-token.js';
import { startApp, type TestApp } from '../support/app.js';
import { order, startCommerce } from '../support/commerce.js';
import { shopifyHeaders, shopifyOrder } from '../support/shop-payloads.js';
import { auditOf, customersOf, referralsOf } from '../support/lists.js';
import { storedText } from '../support/rows.js';

const SHOP = 'demo.myshopify.com';

interface Shop extends TestApp {
  readonly token: string;
  send(topic: string, body: object, more?: { shop?: string; hours?: number }): Promise<void>;
  buy(n: number, email: string, shop?: string): Promise<void>;
}
async function start(): Promise<Shop> {
  const t = await startApp({ providers: [shopify({ secrets: ['hush-hush'] })] });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  await t.admin
    .post('/settings/integration/update-status')
    .send({ integration: 'shopify', is_enabled: 'yes' })
    .expect(200);
  const visit = await t.app.transaction((trx) =>
    t.app.visits.insert(trx, { affiliate_id: affiliate.id, ip: '203.0.113.0', visitor_key: 'someone' }),
  );
  const token = writeToken(t.app.secrets, {
    affiliate_id: affiliate.id,
    visit_id: visit.id,
    issued_at: t.clock.time,
  });
  let count = 0;
  const send: Shop['send'] = async (topic, body, { shop = SHOP, hours = 0 } = {}) => {
    const text = JSON.stringify(body);
    const signature = createHmac('sha256', 'hush-hush').update(text).digest('base64');
    const headers = {
      ...shopifyHeaders(topic),
      'X-Shopify-Shop-Domain': shop,
      'X-Shopify-Webhook-Id': `w${++count}`,
      'X-Shopify-Triggered-At': new Date(t.clock.time - hours * 3_600_000).toISOString(),
      'X-Shopify-Hmac-Sha256': signature,
    };
    await request(t.server)
      .post(`${t.service.basePath}/webhooks/shopify`)
      .set({ 'Content-Type': 'application/json', ...headers })
      .send(text)
      .expect(200);
  };
  const buy: Shop['buy'] = (n, email, shop) =>
    send(
      'orders/paid',
      shopifyOrder({
        admin_graphql_api_id: `gid://shopify/Order/${n}`,
        created_at: new Date(t.clock.time).toISOString(),
        email,
        customer: { id: 9000 + email.charCodeAt(0) },
        note_attributes: [{ name: 'fa_ref', value: token }],
        checkout_token: `c${n}`,
        cart_token: `k${n}`,
        confirmation_number: `x${n}`,
      }),
      { ...(shop && { shop }) },
    );
  return { ...t, token, send, buy };
}

const mails = async (t: TestApp): Promise<unknown[]> => (await customersOf(t)).map(({ email }) => email);
const stored = (t: TestApp): Promise<string> =>
  storedText(t, 'customers', 'provider_deliveries', 'orders', 'referrals', 'audit');
const amounts = async (t: TestApp): Promise<unknown[]> => (await referralsOf(t)).map(({ amount }) => amount);

describe('the privacy webhooks of Shopify (docs/integrations.md §9)', () => {
  it('customers/redact forgets the buyer by address or by order, and keeps the commission', async () => {
    const t = await start();
    await t.buy(1, 'jo@buyer.test');
    await t.buy(2, 'al@buyer.test');
    await t.buy(3, 'li@buyer.test');
    await t.send('customers/redact', {
      shop_domain: SHOP,
      customer: { id: 1, email: 'JO@buyer.test' },
      orders_to_redact: [],
    });
    await t.send('customers/redact', { shop_domain: SHOP, customer: { id: 2 }, orders_to_redact: [2] });
    expect([await mails(t), await amounts(t)]).toEqual([
      [null, null, 'li@buyer.test'],
      [18, 18, 18],
    ]);
    expect(await stored(t)).not.toMatch(/jo@buyer|al@buyer/i);
    // No screen shows the key of a visitor.
    expect(await t.app.db('visits').select('ip', 'visitor_key')).toEqual([{ ip: null, visitor_key: null }]);
  });

  it('customers/data_request is recorded for the administrator', async () => {
    const t = await start();
    const calls: unknown[] = [];
    t.service.hooks.addAction('customer_data_requested', (asked) => {
      calls.push(asked);
    });
    await t.buy(1, 'jo@buyer.test');
    await t.send('customers/data_request', {
      customer: { id: 191167, email: 'jo@buyer.test' },
      orders_requested: [1],
      data_request: { id: 9999 },
    });
    const asked = {
      provider: 'shopify',
      account: SHOP,
      customer_ref: '191167',
      order_refs: ['1'],
      customer_ids: [1],
    };
    expect(calls).toEqual([asked]);
    expect(await auditOf(t, 'action=customer.data_requested')).toMatchObject([
      { object_id: '1', after: asked },
    ]);
    expect(await t.service.customers.export(1)).toMatchObject({
      customer: { email: 'jo@buyer.test' },
      referrals: [{ provider_id: 1 }],
      visits: [{ id: 1 }],
    });
  });

  it("shop/redact forgets the shop's buyers, but not those of others", async () => {
    const t = await start();
    await t.buy(1, 'jo@buyer.test');
    await t.buy(2, 'al@buyer.test');
    await t.buy(3, 'al@buyer.test', 'other.myshopify.com');
    await t.buy(4, 'li@buyer.test', 'other.myshopify.com');
    await t.send('shop/redact', { shop_id: 1, shop_domain: SHOP });
    expect([await mails(t), await amounts(t)]).toEqual([
      [null, 'al@buyer.test', 'li@buyer.test'],
      [18, 18, 18, 18],
    ]);
  });

  it('app/uninstalled marks the shop until it sends again', async () => {
    const t = await start();
    const calls: unknown[] = [];
    t.service.hooks.addAction('provider_disconnected', (...args) => {
      calls.push(args.slice(0, 2));
    });
    const left = async (): Promise<unknown> =>
      (await t.admin.get('/settings/integrations').expect(200)).body.integrations.shopify.disconnected;
    expect(await left()).toEqual([]);
    await t.send('app/uninstalled', { id: 1 });
    await t.buy(1, 'jo@buyer.test', 'other.myshopify.com');
    expect([calls, await left()]).toEqual([
      [['shopify', SHOP]],
      [{ account: SHOP, at: '2026-01-15T15:00:00+00:00' }],
    ]);
    t.clock.advance(1000);
    await t.buy(2, 'jo@buyer.test');
    expect(await left()).toEqual([]);
  });

  it('are processed while the provider is switched off', async () => {
    const t = await start();
    await t.buy(1, 'jo@buyer.test');
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'shopify', is_enabled: 'no' })
      .expect(200);
    await t.send('customers/redact', { customer: { id: 1, email: 'jo@buyer.test' }, orders_to_redact: [1] });
    expect(await mails(t)).toEqual([null]);
  });

  it('deliveries older than two days are processed and flagged', async () => {
    const t = await start();
    const buy = (n: number, hours: number): Promise<void> =>
      t.send(
        'orders/paid',
        shopifyOrder({
          admin_graphql_api_id: `gid://shopify/Order/${n}`,
          created_at: new Date(t.clock.time).toISOString(),
          note_attributes: [{ name: 'fa_ref', value: t.token }],
        }),
        { hours },
      );
    await buy(1, 48);
    await buy(2, 49);
    expect(
      (await t.admin.get('/referrals?order_by=id&order_type=ASC').expect(200)).body.referrals.data.map(
        (row: { status: string; settings: Record<string, unknown> }) => [row.status, row.settings['flags']],
      ),
    ).toEqual([
      ['unpaid', undefined],
      ['unpaid', ['late_delivery']],
    ]);
  });
});

describe('a buyer who is forgotten', () => {
  it('is gone from deliveries that wait or could not be read; the order is credited all the same', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const failing = t.service.hooks.addFilter('should_process_referral', () => {
      throw new Error('not now');
    });
    await t.send({ type: 'order.paid', order: order({ id: 'A-2', attribution: { token } }) }).expect(200);
    failing();
    await t
      .send({ type: 'order.paid', order: { currency: 'USD', customer: { email: 'jo@buyer.test' } } })
      .expect(422); // has no id
    await t.send({ type: 'order.paid', order: order({ attribution: { token } }) }).expect(200);
    expect(await stored(t)).toContain('jo@buyer.test');
    expect(await t.service.customers.forget('jo@buyer.test')).toBe(true);
    expect(await stored(t)).not.toContain('jo@buyer.test');
    t.clock.advance(60_000);
    await t.app.commerce.inbox.workDue();
    expect([await mails(t), await amounts(t)]).toEqual([[null], [18, 18]]);
  });
});
