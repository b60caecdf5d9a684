import { createHmac } from 'node:crypto';
import request from 'supertest';
import { standardProvider, type StandardOptions } from '../../adapters/commerce/standard.js';
import { startApp, type TestApp, type TestOptions } from './app.js';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const sign = (id: string, seconds: number, body: string, secret = SECRET): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')}`;

export interface Sent {
  readonly id?: string;
  readonly secret?: string;
  readonly seconds?: number;
  readonly change?: (body: string) => string;
  readonly key?: string;
}

export interface CommerceShop extends TestApp {
  readonly affiliate: { readonly id: number };
  /** Delivers an event as the shop would. */
  send(event: object, more?: Sent): request.Test;
  /** The referrals of the program, oldest first. */
  referrals(): Promise<Record<string, unknown>[]>;
  token(): Promise<string>;
}

/** A service with one active affiliate and an enabled shop that sends signed events. */
export async function startCommerce(
  options: TestOptions = {},
  provider: Partial<StandardOptions> = {},
): Promise<CommerceShop> {
  const t = await startApp({
    providers: [standardProvider({ key: 'demo', secrets: [SECRET], ...provider })],
    ...options,
  });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  await t.admin
    .post('/settings/integration/update-status')
    .send({ integration: 'demo', is_enabled: 'yes' })
    .expect(200);
  let count = 0;
  return {
    ...t,
    affiliate,
    send: (
      event,
      { id = `msg_${++count}`, secret, seconds = Math.floor(t.clock.time / 1000), change, key = 'demo' } = {},
    ) => {
      const body = JSON.stringify({ at: t.clock.time, ...event });
      return request(t.server)
        .post(`${t.service.basePath}/webhooks/${key}`)
        .set({
          'webhook-id': id,
          'webhook-timestamp': `${seconds}`,
          'webhook-signature': sign(id, seconds, body, secret),
          'Content-Type': 'application/json',
        })
        .send(change ? change(body) : body);
    },
    referrals: async () =>
      (await t.admin.get('/referrals?order_by=id&order_type=ASC&per_page=100').expect(200)).body.referrals
        .data,
    token: () => tokenOf(t, affiliate.id),
  };
}

/** The checkout token of a visitor whom the affiliate's link brought. */
export async function tokenOf(t: TestApp, affiliateId: number): Promise<string> {
  const page = await request(t.server).get(`/?ref=${affiliateId}`).set({
    Accept: 'text/html',
    'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    'Sec-Fetch-Dest': 'document',
  });
  const cookie = String(page.headers['set-cookie']?.[0] ?? '').split(';')[0];
  const token = await t.service.checkoutToken({ headers: { cookie } } as never);
  if (token === null) throw new Error('The visit gave no token.');
  return token;
}

/**
 * 100.00 of goods, 90.00 after discount, 18.00 tax, 5.00 shipping with 1.00 tax:
 * 114.00 charged (docs/integrations.md §6).
 */
export const order = (more: object = {}): object => ({
  id: 'A-1',
  currency: 'USD',
  totals: {
    goods: '90.00',
    goods_before_discount: '100.00',
    goods_tax: '18.00',
    shipping: '5.00',
    shipping_tax: '1.00',
    grand_total: '114.00',
  },
  items: [
    {
      id: 'l1',
      product_id: 'p1',
      title: 'Mug',
      quantity: 1,
      net: '90.00',
      net_before_discount: '100.00',
      tax: '18.00',
    },
  ],
  customer: { email: 'jo@buyer.test', name: 'Jo Buyer' },
  ...more,
});
