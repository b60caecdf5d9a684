import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { shopify, stripe, woo } from '../../adapters/index.js';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { startApp, type TestApp } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import {
  session,
  shopifyHeaders,
  shopifyOrder,
  shopifyRefund,
  stripeEvent,
  wooHeaders,
  wooOrder,
} from '../support/shop-payloads.js';
import { auditOf } from '../support/lists.js';

// A shop keeps its orders when other shops are named beside it, and when it moves
// (docs/integrations.md §12). Each start below is one of a service on the same database.

const A = 'https://a.test';
const B = 'https://b.test';
const secret = 'hush-hush';
const hmac = (text: string, encoding: 'hex' | 'base64' = 'base64'): string =>
  createHmac('sha256', secret).update(text).digest(encoding);
const shops = (stores: readonly string[], aliases = {}): CommerceProvider =>
  woo({ secrets: [secret], enabled: true, stores, aliases });

interface Program {
  readonly token: string;
  readonly t: TestApp;
  /** The same program, started again with these providers. */
  again(provider: CommerceProvider): Promise<Program>;
  woo(source: string, order: object): Promise<void>;
  shopify(domain: string, topic: string, body: string | object): Promise<void>;
  stripe(account: string, type: string, object: object): Promise<void>;
  /** Status and amount of each commission, oldest first. */
  rows(): Promise<unknown[]>;
}

async function program(provider: CommerceProvider, first?: Program): Promise<Program> {
  const t = await startApp({
    providers: [provider],
    ...(first && { keep: true, database: first.t.app.db.knex }),
  });
  t.clock.advance(first === undefined ? 0 : first.t.clock.time - t.clock.time + 60_000);
  const affiliate = first ? null : await t.records.affiliate({ user_id: 2, status: 'active' });
  const token = first?.token ?? (await tokenOf(t, Number(affiliate?.id)));
  let count = 0;
  const iso = (): string => new Date(t.clock.time).toISOString().slice(0, 19);
  const post = async (headers: object, body: string): Promise<void> => {
    await request(t.server)
      .post(`${t.service.basePath}/webhooks/${provider.key}`)
      .set({ 'Content-Type': 'application/json', ...headers })
      .send(body)
      .expect(200);
    t.clock.advance(2000);
  };
  const one: Program = {
    token,
    t,
    again: (next) => program(next, one),
    woo: (source, order) => {
      const meta = [{ key: 'fa_ref', value: token }];
      const body = JSON.stringify(
        wooOrder({ meta_data: meta, date_created_gmt: iso(), date_modified_gmt: iso(), ...order }),
      );
      return post(
        { ...wooHeaders(), 'X-WC-Webhook-Source': `${source}/`, 'X-WC-Webhook-Signature': hmac(body) },
        body,
      );
    },
    shopify: (domain, topic, given) => {
      const body = typeof given === 'string' ? given : JSON.stringify(given);
      return post(
        {
          ...shopifyHeaders(topic),
          'X-Shopify-Shop-Domain': domain,
          'X-Shopify-Webhook-Id': `${first ? 'b' : 'a'}${++count}`,
          'X-Shopify-Triggered-At': new Date(t.clock.time).toISOString(),
          'X-Shopify-Hmac-Sha256': hmac(body),
        },
        body,
      );
    },
    stripe: (account, type, object) => {
      const created = Math.floor(t.clock.time / 1000);
      const more = { id: `evt_${first ? 'b' : 'a'}${++count}`, created, ...(account !== '' && { account }) };
      const body = JSON.stringify(stripeEvent(type, object, more));
      return post({ 'Stripe-Signature': `t=${created},v1=${hmac(`${created}.${body}`, 'hex')}` }, body);
    },
    rows: async () =>
      (
        (await t.admin.get('/referrals?order_by=id&order_type=ASC&per_page=100').expect(200)).body.referrals
          .data as Record<string, unknown>[]
      ).map((row) => [row['status'], row['amount']]),
  };
  return one;
}

const HALF = { refunds: [{ id: 9, total: '-57.00' }] };

describe('a WooCommerce shop keeps its orders', () => {
  it('when another one is added, before or after it, and removed again', async () => {
    const one = await program(shops([A]));
    await one.woo(A, {});
    expect(await one.rows()).toEqual([['unpaid', 18]]);
    const two = await one.again(shops([B, A]));
    await two.woo(A, HALF);
    await two.woo(B, {});
    expect(await two.rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 18],
    ]);
    const three = await two.again(shops([A]));
    await three.woo(A, { ...HALF, number: 'repeated' });
    const four = await three.again(shops([B]));
    await four.woo(B, HALF);
    expect(await four.rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 9],
    ]);
  });

  it.each([['https://www.b.test'], ['http://b.test']])('when one of two moves to %s', async (moved) => {
    const one = await program(shops([A, B]));
    await one.woo(B, {});
    await one.woo(moved, { number: 'not yet renamed here' });
    const two = await one.again(shops([A, moved]));
    await two.woo(moved, HALF);
    await two.woo(A, {});
    expect(await two.rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 18],
    ]);
  });

  it('when one of two moves, and the host configures it, also afterwards', async () => {
    const C = 'https://c.test';
    const one = await program(shops([A, B]));
    await one.woo(B, {});
    const two = await one.again(shops([A, C]));
    expect(two.t.log.map(({ message }) => message)).toContain('a shop is named for the first time');
    await two.woo(C, { id: 900 });
    const three = await two.again(shops([A, C], { [C]: B }));
    await three.woo(C, HALF);
    await three.woo(C, { ...HALF, id: 900, transaction_id: 'other' });
    await three.woo(B, { ...HALF, number: 'still from the old address' });
    // What the host once answered is kept.
    const four = await three.again(shops([A, C]));
    await four.woo(C, { ...HALF, number: 'again' });
    expect(await four.rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 9],
    ]);
  });

  it('when the only one moves', async () => {
    const one = await program(shops([A]));
    await one.woo(A, {});
    const two = await one.again(shops([B]));
    await two.woo(B, HALF);
    expect(await two.rows()).toEqual([['unpaid', 9]]);
    expect(await auditOf(two.t, 'action=integration.shop_moved')).toHaveLength(1);
  });

  it('that were stored before shops had names, in both earlier forms', async () => {
    const one = await program(shops([A, B]));
    await one.woo(A, {});
    await one.woo(B, { id: 728, transaction_id: 'b' });
    const { db } = one.t.app;
    // As a version without names stored them: the first while only A was named, then both.
    await db('provider_stores').delete();
    const [first] = await db('orders').orderBy('id').select('id', 'order_key');
    await db('orders').where({ id: first?.['id'] }).update({ account: '', order_key: 'woo::727:' });
    await db('order_refs').where({ order_id: first?.['id'] }).update({ account: '' });
    const two = await one.again(shops([A, B]));
    await two.woo(A, HALF);
    await two.woo(B, { ...HALF, id: 728, transaction_id: 'b' });
    expect(await two.rows()).toEqual([
      ['unpaid', 9],
      ['unpaid', 9],
    ]);
  });

  it('when all names of shops are missing', async () => {
    const one = await program(shops([A]));
    await one.woo(A, {});
    await one.t.app.db('provider_stores').delete(); // as a version without names left it
    await one.woo(A, HALF);
    expect(await one.rows()).toEqual([['unpaid', 9]]);
    expect(await one.t.app.db('orders').select('account')).toEqual([{ account: '' }]); // no screen shows it
  });

  it('and links to its back office', async () => {
    const one = await program(shops([A]));
    await one.woo(A, {});
    const two = await one.again(shops([B, A]));
    const { body } = await two.t.admin.get('/referrals').expect(200);
    expect(body.referrals.data[0].provider_url).toBe(`${A}/wp-admin/post.php?post=727&action=edit`);
  });
});

describe('accounts of other providers', () => {
  it.each([[{}], [{ 'new.myshopify.com': 'old.myshopify.com' }]])(
    'a Shopify shop with another domain, aliases %j',
    async (aliases) => {
      const one = await program(shopify({ secrets: [secret], enabled: true }));
      const order = (token: string, created: number): object =>
        shopifyOrder({
          note_attributes: [{ name: 'fa_ref', value: token }],
          created_at: new Date(created).toISOString(),
        });
      await one.shopify('old.myshopify.com', 'orders/paid', order(one.token, one.t.clock.time));
      const two = await one.again(shopify({ secrets: [secret], enabled: true, aliases }));
      await two.shopify('new.myshopify.com', 'orders/updated', order(one.token, one.t.clock.time));
      await two.shopify('new.myshopify.com', 'refunds/create', shopifyRefund());
      expect(await two.rows()).toHaveLength(1);
      expect((await two.rows())[0]).toEqual(['unpaid', 9]);
    },
  );

  it.each([[{}], [{ acct_1: '' }]])(
    'a Stripe account that is known from an endpoint of its own, then by one for connected accounts, aliases %j',
    async (aliases) => {
      const paid = (token: string): object =>
        session({ client_reference_id: token, created: Math.floor(Date.UTC(2026, 0, 15, 15) / 1000) });
      const one = await program(stripe({ secrets: [secret], enabled: true, mode: 'live' }));
      await one.stripe('', 'checkout.session.completed', paid(one.token));
      const two = await one.again(stripe({ secrets: [secret], enabled: true, mode: 'live', aliases }));
      await two.stripe('acct_1', 'checkout.session.completed', paid(one.token));
      await two.stripe('acct_1', 'refund.created', {
        id: 're_1',
        payment_intent: 'pi_1',
        amount: 5700,
        currency: 'usd',
        status: 'succeeded',
      });
      expect(await two.rows()).toEqual([['unpaid', 9]]);
    },
  );
});
