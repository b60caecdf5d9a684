import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { medusa, shopify, stripe, woo, type CommerceProvider } from '../../adapters/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { tokenOf } from '../support/commerce.js';
import { configure } from '../support/shop.js';
import { shopifyHeaders, stripeEvent, wooHeaders } from '../support/shop-payloads.js';
import {
  MEDUSA_STORIES,
  SHOPIFY_STORIES,
  STRIPE_CHARGES,
  STRIPE_STORIES,
  WOO_STORIES,
  type Step,
  type Story,
} from '../support/shop-vectors.js';

// Payloads in the vendors' own form, sent step by step; the amounts are worked out by hand in the vectors.

const hmac = (secret: string, body: string, encoding: 'hex' | 'base64' = 'base64'): string =>
  createHmac('sha256', secret).update(body).digest(encoding);

type Deliver = (t: TestApp, topic: string, body: object) => Promise<unknown>;

async function post(
  t: TestApp,
  key: string,
  { headers, body }: { headers: object; body: string },
): Promise<void> {
  await request(t.server)
    .post(`${t.service.basePath}/webhooks/${key}`)
    .set({ 'Content-Type': 'application/json', ...headers })
    .send(body)
    .expect(200);
}

let deliveries = 0;
const toStripe: Deliver = (t, topic, object) => {
  const seconds = Math.floor(t.clock.time / 1000);
  const event = stripeEvent(topic, object, { id: `evt_${++deliveries}`, created: seconds });
  const body = JSON.stringify(event);
  const signature = hmac('whsec_x_test', `${seconds}.${body}`, 'hex');
  return post(t, 'stripe', { headers: { 'Stripe-Signature': `t=${seconds},v1=${signature}` }, body });
};
const toWoo: Deliver = (t, topic, object) => {
  const body = JSON.stringify(object);
  const headers = {
    ...wooHeaders(topic),
    'X-WC-Webhook-Source': 'https://woo.test',
    'X-WC-Webhook-Signature': hmac('s3cret-of-woo', body),
  };
  return post(t, 'woo', { headers, body });
};
const toShopify: Deliver = (t, topic, object) => {
  const body = JSON.stringify(object);
  const headers = {
    ...shopifyHeaders(topic),
    'X-Shopify-Webhook-Id': `wh_${++deliveries}`,
    'X-Shopify-Triggered-At': new Date(t.clock.time).toISOString(),
    'X-Shopify-Hmac-Sha256': hmac('hush-hush', body),
  };
  return post(t, 'shopify', { headers, body });
};

async function tell(provider: CommerceProvider, stories: readonly Story[], deliver: Deliver): Promise<void> {
  const t = await startApp({ providers: [provider] });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  const config = { integration: provider.key, config: { is_enabled: 'yes' } };
  await t.admin.post('/settings/integration/config').send(config).expect(200);
  const token = await tokenOf(t, affiliate.id);
  const defaults = { exclude_discount: 'yes', exclude_tax: 'yes', exclude_shipping: 'yes' };
  for (const [n, story] of stories.entries()) {
    await configure(t, { ...defaults, ...story.config });
    const known = new Set((await rowsOf(t)).map((row) => row['id']));
    for (const [at, step] of story.steps.entries()) {
      t.clock.advance(1000);
      await deliver(t, step.topic, step.body({ token, n: n + 1, at: t.clock.time }));
      if (step.paidOut === true) await payOut(t);
      const own = (await rowsOf(t)).filter((row) => !known.has(row['id']));
      expect([story.name, at, ...standing(own)]).toEqual([story.name, at, ...wanted(step)]);
    }
    expect([story.name, await t.service.verify()]).toEqual([story.name, []]);
  }
}

const rowsOf = async (t: TestApp): Promise<Record<string, unknown>[]> =>
  (await t.admin.get('/referrals?order_by=id&order_type=ASC&per_page=200').expect(200)).body.referrals.data;

const payOut = async (t: TestApp): Promise<void> => {
  const form = { title: 'Run', description: 'Run' };
  await t.admin.post('/payouts/process-payout').send({ config: form }).expect(200);
};

/** Status and amount of the commission, and what was taken back of it. */
function standing(rows: readonly Record<string, unknown>[]): unknown[] {
  const row = rows.find((each) => each['type'] !== 'adjustment');
  const adjusted = rows
    .filter((each) => each['type'] === 'adjustment')
    .reduce((sum, each) => sum + Number(each['amount']), 0);
  return [row?.['status'], row?.['amount'], adjusted];
}
const wanted = ({ gives: [status, amount, adjusted = 0] }: Step): unknown[] => [status, amount, adjusted];

describe('what shops report', () => {
  it.each([
    ['Stripe', STRIPE_STORIES],
    ['Stripe, subscribed to `charge.refunded`', STRIPE_CHARGES],
  ])('%s', (_name, stories) => tell(stripe({ secrets: ['whsec_x_test'], mode: 'live' }), stories, toStripe));

  it('WooCommerce', () =>
    tell(woo({ secrets: ['s3cret-of-woo'], stores: ['https://woo.test'] }), WOO_STORIES, toWoo));

  it('Shopify', () => tell(shopify({ secrets: ['hush-hush'] }), SHOPIFY_STORIES, toShopify));

  it('Medusa', async () => {
    let shown: object = {};
    const provider = medusa({
      query: {
        graph: async ({ entity }) => ({
          data: [entity === 'order' ? shown : { payment_collection: { order: shown } }],
        }),
      },
    });
    await tell(provider, MEDUSA_STORIES, async (_t, topic, order) => {
      shown = order;
      await provider.handle(topic, { id: (order as { id: string }).id });
    });
  });
});
