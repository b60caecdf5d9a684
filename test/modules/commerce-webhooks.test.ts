import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { woo } from '../../adapters/index.js';
import { standardProvider } from '../../adapters/commerce/standard.js';
import { order, SECRET, sign, startCommerce, type CommerceShop } from '../support/commerce.js';
import { deliveriesOf, deliveryResults } from '../support/lists.js';
import { storedText } from '../support/rows.js';

const paid = async (t: CommerceShop): Promise<object> => ({
  type: 'order.paid',
  order: order({ attribution: { token: await t.token() } }),
});

describe('answers to webhooks', () => {
  it('are 200 for every signed and stored event', async () => {
    const t = await startCommerce();
    for (const event of [
      await paid(t),
      { type: 'order.paid', order: order({ id: 'A-2' }) },
      { type: 'stock.changed' },
      { type: 'order.refunded', refund: { order_ref: 'x', currency: 'USD', gross: '1' } },
    ]) {
      expect((await t.send(event).expect(200)).body).toEqual({ received: true });
    }
    expect(await deliveryResults(t)).toEqual([
      { status: 'done', reason: null },
      { status: 'ignored', reason: 'no_affiliate' },
      { status: 'ignored', reason: 'topic' },
      { status: 'received', reason: 'order_unknown' },
    ]);
  });

  it.each([
    ['a wrong secret', { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 400, 'webhook_signature_invalid'],
    ['an old time', { seconds: 1_700_000_000 }, 400, 'webhook_signature_invalid'],
    [
      'a changed byte',
      { change: (body: string) => body.replace('90.00', '99.00') },
      400,
      'webhook_signature_invalid',
    ],
    ['an unknown provider', { key: 'nobody' }, 404, 'rest_no_route'],
  ])('refuse %s', async (_, more, status, code) => {
    const t = await startCommerce();
    const { body } = await t.send(await paid(t), more).expect(status);
    expect(body.code).toBe(code);
    expect(await t.referrals()).toEqual([]);
    expect(await deliveryResults(t)).toEqual([]);
  });

  it.each(['not json', '[]', '"text"', '17', '{"a":'])(
    'refuse a signed body that is no object: %s',
    async (text) => {
      const t = await startCommerce();
      const seconds = Math.floor(t.clock.time / 1000);
      const { body } = await request(t.server)
        .post(`${t.service.basePath}/webhooks/demo`)
        .set({
          'webhook-id': 'm',
          'webhook-timestamp': `${seconds}`,
          'webhook-signature': sign('m', seconds, text),
          'Content-Type': 'application/json',
        })
        .send(text)
        .expect(400);
      expect(body.code).toBe('webhook_payload_invalid');
    },
  );

  it('know no other method', async () => {
    const t = await startCommerce();
    await t.anonymous.get('/webhooks/demo').expect(404);
  });

  it('refuse more than two megabytes', async () => {
    const t = await startCommerce();
    await t.send({ type: 'order.paid', note: 'x'.repeat(2 * 1024 * 1024) }).expect(413);
  });

  it('limit unsigned calls, and no others', async () => {
    const t = await startCommerce();
    const bad = (): Promise<{ status: number }> =>
      t.send({ type: 'x' }, { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAA' }).then((answer) => answer);
    for (let at = 0; at < 60; at++) expect((await bad()).status).toBe(400);
    expect((await bad()).status).toBe(429);
    await t.send({ type: 'stock.changed' }).expect(200);
  });

  it('ignore events of the other mode, and events while the provider is off', async () => {
    const t = await startCommerce({}, { mode: 'live' });
    await t.send({ ...(await paid(t)), test: true }).expect(200);
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'demo', is_enabled: 'no' })
      .expect(200);
    await t.send(await paid(t)).expect(200);
    expect(await deliveryResults(t)).toEqual([
      { status: 'ignored', reason: 'test_event' },
      { status: 'ignored', reason: 'provider_disabled' },
    ]);
    expect(await t.referrals()).toEqual([]);
  });

  it('are 503 with a time when the delivery cannot be stored', async () => {
    const t = await startCommerce();
    const { dialect } = t.app.db;
    const insert = dialect.insertIfAbsent.bind(dialect);
    dialect.insertIfAbsent = async () => {
      throw new Error('down');
    };
    const answer = await t.send(await paid(t)).expect(503);
    dialect.insertIfAbsent = insert;
    expect(answer.headers['retry-after']).toBe('60');
  });

  it('answer the set-up ping of WooCommerce, unsigned', async () => {
    const t = await startCommerce({
      providers: [
        standardProvider({ key: 'demo', secrets: [SECRET] }),
        woo({ secrets: ['a-secret'], stores: ['https://woo.test'] }),
      ],
    });
    const post = (text: string): request.Test =>
      request(t.server).post(`${t.service.basePath}/webhooks/woo`).type('form').send(text);
    await post('webhook_id=17').expect(200);
    await post('webhook_id=17&x=1').expect(401);
  });

  it("take the bytes a host's parser kept, and say how to mount when it kept none", async () => {
    const t = await startCommerce();
    const event = JSON.stringify({ at: t.clock.time, ...(await paid(t)) });
    const seconds = Math.floor(t.clock.time / 1000);
    for (const [verify, status, id] of [
      [undefined, 500, 'a'],
      [
        (req: object, _res: unknown, bytes: Buffer) => {
          Object.assign(req, { rawBody: bytes });
        },
        200,
        'b',
      ],
    ] as const) {
      const site = express();
      site.use(express.json({ ...(verify && { verify }) }));
      site.use(t.service.basePath, t.service.router);
      const { body } = await request(site)
        .post(`${t.service.basePath}/webhooks/demo`)
        .set({
          'webhook-id': id,
          'webhook-timestamp': `${seconds}`,
          'webhook-signature': sign(id, seconds, event),
          'Content-Type': 'application/json',
        })
        .send(event)
        .expect(status);
      if (status === 500) expect(body.code).toBe('webhook_raw_body_missing');
    }
    expect(t.log.some(({ level }) => level === 'error')).toBe(true);
    expect(await t.referrals()).toHaveLength(1);
  });

  it('keep an unreadable payload for a week', async () => {
    const t = await startCommerce();
    await t.send({ type: 'order.paid', order: { currency: 'USD' } }).expect(422);
    expect(await deliveryResults(t)).toEqual([{ status: 'failed', reason: 'parse_failed' }]);
    expect(await storedText(t, 'provider_deliveries')).toContain('currency');
    t.clock.advance(8 * 86_400_000);
    await t.app.commerce.inbox.purge();
    expect(await storedText(t, 'provider_deliveries')).not.toContain('currency');
    t.clock.advance(23 * 86_400_000);
    await t.app.commerce.inbox.purge();
    expect(await deliveriesOf(t)).toEqual([]);
  });

  it('are given before a failed event is tried again, up to five times', async () => {
    const t = await startCommerce();
    const failing = t.service.hooks.addFilter('should_process_referral', () => {
      throw new Error('fails');
    });
    await t.send(await paid(t)).expect(200);
    const waits: number[] = [];
    for (let at = 0; at < 6; at++) {
      const [row] = await deliveriesOf(t);
      if (row.status !== 'failed') break;
      const next = Date.parse(row.next_attempt_at);
      waits.push((next - t.clock.time) / 60_000);
      t.clock.time = next;
      await t.app.commerce.inbox.workDue();
    }
    expect(waits).toEqual([1, 5, 30, 120, 720]);
    expect(await deliveryResults(t)).toEqual([{ status: 'dead', reason: 'error' }]);
    failing();
  });

  it('succeed on a later try', async () => {
    const t = await startCommerce();
    const failing = t.service.hooks.addFilter('should_process_referral', () => {
      throw new Error('fails');
    });
    await t.send(await paid(t)).expect(200);
    failing();
    t.clock.advance(60_000);
    await t.service.jobs.runDue();
    expect(await t.referrals()).toHaveLength(1);
    expect(await deliveryResults(t)).toEqual([{ status: 'done', reason: null }]);
  });

  it('process what a killed process had claimed', async () => {
    const t = await startCommerce();
    await t.send(await paid(t)).expect(200);
    // As a process that was killed leaves it.
    await t.app.db('provider_deliveries').update({
      status: 'processing',
      claimed_at: t.clock.time - 300_000,
      event: JSON.stringify({ at: t.clock.time, account: '', ...(await paid(t)) }),
    });
    await t.app.commerce.inbox.workDue();
    expect(await deliveryResults(t)).toEqual([{ status: 'done', reason: null }]);
    expect(await t.referrals()).toHaveLength(1);
  });

  it('fail permanently and are reported when every process that worked on one was killed', async () => {
    const t = await startCommerce();
    const calls: unknown[] = [];
    t.service.hooks.addAction('provider_delivery_failed', (_, { reason, attempts }) => {
      calls.push([reason, attempts]);
    });
    const failing = t.service.hooks.addFilter('should_process_referral', () => {
      throw new Error('fails');
    });
    await t.send(await paid(t)).expect(200);
    failing();
    const diedAfter = async (attempts: number): Promise<unknown> => {
      // As the last of these processes leaves it.
      await t.app
        .db('provider_deliveries')
        .update({ status: 'processing', claimed_at: t.clock.time - 300_000, attempts });
      await t.app.commerce.inbox.workDue();
      return deliveryResults(t);
    };
    expect(await diedAfter(5)).toEqual([{ status: 'dead', reason: 'error' }]);
    expect(calls).toEqual([['error', 6]]);
    expect(await t.referrals()).toEqual([]);
    expect(await diedAfter(4)).toEqual([{ status: 'done', reason: null }]); // the last attempt is made
    expect(await t.referrals()).toHaveLength(1);
  });
});
