import { describe, expect, it } from '@jest/globals';
import { Stripe } from 'stripe';
import request from 'supertest';
import { standardProvider, stripe } from '../../adapters/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { order, SECRET, startCommerce, tokenOf, type CommerceShop } from '../support/commerce.js';
import { configure } from '../support/shop.js';
import { invoice, session, stripeEvent } from '../support/shop-payloads.js';
import { deliveriesOf, deliveryResults, type DeliveryResult } from '../support/lists.js';
import { rowsIn } from '../support/rows.js';

// What docs/integrations.md §4, §6 say of events and money, row by row.

const refund = (more: object): object => ({
  type: 'order.refunded',
  refund: { order_ref: 'A-1', currency: 'USD', ...more },
});
const state = async (t: CommerceShop): Promise<unknown> =>
  (await t.referrals()).map((row) => [row['status'], row['amount']])[0] ?? null;
/** Status and reason of the newest delivery. */
const reasons = async (t: TestApp): Promise<DeliveryResult | undefined> => (await deliveryResults(t)).at(-1);

describe('money (docs/integrations.md §6)', () => {
  const half = refund({ refund_id: 'r1', gross: '54.00' });
  const paid =
    (more: object = {}) =>
    (token: string): object => ({ type: 'order.paid', order: order({ attribution: { token }, ...more }) });
  const detailed = refund({
    refund_id: 'r1',
    gross: '54.00',
    items: [{ item_id: 'l1', net: '45.00', tax: '9.00' }],
  });
  const rest = refund({ refund_id: 'r2', gross: '60.00' });

  it.each([
    [1, 'defaults', {}, [paid()], ['unpaid', 18]],
    [2, 'tax counted', { exclude_tax: 'no' }, [paid()], ['unpaid', 21.6]],
    [
      3,
      'tax and shipping counted',
      { exclude_tax: 'no', exclude_shipping: 'no' },
      [paid()],
      ['unpaid', 22.8],
    ],
    [4, 'shipping counted', { exclude_shipping: 'no' }, [paid()], ['unpaid', 19]],
    [5, 'before discount', { exclude_discount: 'no' }, [paid()], ['unpaid', 20]],
    [6, 'refund with items', {}, [paid(), detailed], ['unpaid', 9]],
    [7, 'refund without detail', {}, [paid(), half], ['unpaid', 9.47]],
    [8, 'all in two parts', {}, [paid(), half, rest], ['rejected', 0]],
    [9, 'the same refund again', {}, [paid(), half, half], ['unpaid', 9.47]],
    [10, 'refunds before the order', {}, [half, rest, paid()], ['rejected', 0]],
    [
      11,
      'paid with credit',
      {},
      [paid({ totals: { goods: '100.00', grand_total: '100.00', paid: '60.00' }, items: [] })],
      ['unpaid', 12],
    ],
  ] as const)('vector %i: %s', async (_n, _name, config, steps, expected) => {
    const t = await startCommerce();
    await configure(t, config);
    const token = await t.token();
    for (const step of steps) await t.send(typeof step === 'function' ? step(token) : step).expect(200);
    expect(await state(t)).toEqual(expected);
  });

  it.each([
    [12, 'isk', 150_000, 20, 300],
    [13, 'kwd', 10_000, 12.5, 1.25],
    [14, 'jpy', 1005, 10, 101],
  ])('vector %i: %s through Stripe', async (_n, currency, amount, rate, earned) => {
    const t = await startStripe(rate);
    await t.deliver(
      'checkout.session.completed',
      session({
        ...t.at(),
        currency,
        amount_total: amount,
        total_details: {},
        shipping_cost: null,
        client_reference_id: t.token,
      }),
    );
    expect(
      (await t.admin.get('/referrals').expect(200)).body.referrals.data.map(
        (row: { amount: number }) => row.amount,
      ),
    ).toEqual([earned]);
  });
});

interface StripeShop extends TestApp {
  readonly token: string;
  at(): { created: number };
  deliver(type: string, object: object, more?: object): Promise<void>;
}
async function startStripe(rate = 20): Promise<StripeShop> {
  const t = await startApp({ rate, providers: [stripe({ secrets: ['whsec_x_test'] })] });
  const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
  await t.admin
    .post('/settings/integration/config')
    .send({ integration: 'stripe', config: { is_enabled: 'yes' } })
    .expect(200);
  let count = 0;
  const seconds = (): number => Math.floor(t.clock.time / 1000);
  return {
    ...t,
    token: await tokenOf(t, affiliate.id),
    at: () => ({ created: seconds() }),
    deliver: async (type, object, more = {}) => {
      const payload = JSON.stringify(
        stripeEvent(type, object, { id: `evt_${++count}`, created: seconds(), ...more }),
      );
      const signature = Stripe.webhooks.generateTestHeaderString({
        payload,
        secret: 'whsec_x_test',
        timestamp: seconds(),
      });
      await request(t.server)
        .post(`${t.service.basePath}/webhooks/stripe`)
        .set({ 'Content-Type': 'application/json', 'Stripe-Signature': signature })
        .send(payload)
        .expect(200);
    },
  };
}

describe('events and states (docs/integrations.md §4)', () => {
  const STATES = ['unknown', 'created', 'paid', 'canceled', 'refunded'] as const;
  const reach = {
    unknown: [],
    created: ['order.created'],
    paid: ['order.paid'],
    canceled: ['order.paid', 'order.canceled'],
    refunded: ['order.paid', 'order.refunded'],
  } as const;
  const wait = 'waits';

  it.each([
    [
      'order.created',
      [
        ['pending', 18],
        ['pending', 18],
        ['unpaid', 18],
        ['rejected', 18],
        ['rejected', 0],
      ],
    ],
    [
      'order.paid',
      [
        ['unpaid', 18],
        ['unpaid', 18],
        ['unpaid', 18],
        ['unpaid', 18],
        ['rejected', 0],
      ],
    ],
    ['order.half', [wait, ['pending', 9], ['unpaid', 9], ['rejected', 9], ['rejected', 0]]],
    ['order.refunded', [wait, ['rejected', 0], ['rejected', 0], ['rejected', 0], ['rejected', 0]]],
    ['order.canceled', [wait, ['rejected', 18], ['rejected', 18], ['rejected', 18], ['rejected', 0]]],
    ['dispute.opened', [wait, ['pending', 18], ['pending', 18], ['rejected', 18], ['rejected', 0]]],
    ['dispute.lost', [wait, ['rejected', 18], ['rejected', 18], ['rejected', 18], ['rejected', 0]]],
  ] as const)('%s', async (event, expected) => {
    const t = await startCommerce();
    const token = await t.token();
    for (const [at, from] of STATES.entries()) {
      const id = `O-${at}`;
      const send = async (type: string): Promise<void> => {
        t.clock.advance(1000);
        const gross = type === 'order.half' ? '57.00' : '114.00';
        const kind = type === 'order.half' ? 'order.refunded' : type;
        await t
          .send({
            type: kind,
            order_ref: id,
            dispute_id: 'd1',
            order: order({ id, attribution: { token }, customer: { email: `b${at}@buyer.test` } }),
            refund: { order_ref: id, refund_id: type, gross, currency: 'USD' },
          })
          .expect(200);
      };
      for (const step of reach[from]) await send(step);
      await send(event);
      const row = (await t.referrals()).find((each) => each['provider_id'] === id);
      expect([
        from,
        row ? [row['status'], row['amount']] : (await reasons(t))?.reason === 'order_unknown' ? wait : null,
      ]).toEqual([from, expected[at]]);
    }
  });

  it('a dispute that was won before its opening arrived holds nothing', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const dispute = (word: string): object => ({
      type: `dispute.${word}`,
      order_ref: 'A-1',
      dispute_id: 'd1',
    });
    await t.send({ type: 'order.paid', order: order({ attribution: { token } }) });
    for (const word of ['won', 'opened', 'won', 'opened']) await t.send(dispute(word)).expect(200);
    expect(await state(t)).toEqual(['unpaid', 18]);
  });

  it('a failed full refund restores the commission, unless a person rejected it since', async () => {
    for (const isReviewed of [false, true]) {
      const t = await startCommerce();
      const token = await t.token();
      await t.send({ type: 'order.paid', order: order({ attribution: { token } }) }).expect(200);
      await t.send(refund({ refund_id: 'r1', gross: '114.00' })).expect(200);
      expect(await state(t)).toEqual(['rejected', 0]);
      if (isReviewed) {
        await t.admin.patch('/referrals/1').send({ status: 'unpaid' }).expect(200);
        await t.admin.patch('/referrals/1').send({ status: 'rejected' }).expect(200);
      }
      await t.send(refund({ refund_id: 'r1', gross: '114.00', state: 'undone' })).expect(200);
      expect(await state(t)).toEqual([isReviewed ? 'rejected' : 'unpaid', 18]);
    }
  });

  it('referral, ledger and delivery are stored together or not at all', async () => {
    const t = await startCommerce();
    const token = await t.token();
    const { dialect } = t.app.db;
    const insert = dialect.insertIfAbsent.bind(dialect);
    // The last write of an order: its other names.
    dialect.insertIfAbsent = async (db, table, ...more) => {
      if (table === 'order_refs') throw new Error('down');
      return insert(db, table, ...more);
    };
    await t
      .send({ type: 'order.paid', order: order({ attribution: { token }, refs: ['pi_1'] }) })
      .expect(200);
    dialect.insertIfAbsent = insert;
    expect(await rowsIn(t, 'referrals', 'orders', 'customers')).toEqual([0, 0, 0]);
    expect(await reasons(t)).toEqual({ status: 'failed', reason: 'error' });
    t.clock.advance(60_000);
    await t.app.commerce.inbox.workDue();
    expect([await state(t), await reasons(t)]).toEqual([['unpaid', 18], { status: 'done', reason: null }]);
  });

  it('a waiting refund is processed although the process was killed after the order was stored', async () => {
    const t = await startCommerce();
    const token = await t.token();
    await t.send(refund({ refund_id: 'r1', gross: '57.00' })).expect(200);
    const [waiting] = await deliveriesOf(t);
    // Another process has claimed the refund, and is killed.
    const stop = t.service.hooks.addAction('provider_event', async () => {
      await t.app
        .db('provider_deliveries')
        .where({ id: waiting.id })
        .update({ status: 'processing', claimed_at: t.clock.time });
    });
    await t.send({ type: 'order.paid', order: order({ attribution: { token } }) }).expect(200);
    stop();
    expect(await state(t)).toEqual(['unpaid', 18]);
    t.clock.advance(300_000);
    await t.app.commerce.inbox.workDue();
    expect(await state(t)).toEqual(['unpaid', 9]);
  });
});

describe('flags for a person', () => {
  const flags = async (t: TestApp): Promise<unknown> =>
    (await t.admin.get('/referrals').expect(200)).body.referrals.data.map(
      (row: { status: string; settings: Record<string, unknown> }) => [row.status, row.settings['flags']],
    );

  it.each([
    [
      'an inquiry',
      'charge.dispute.created',
      { status: 'warning_needs_response' },
      'unpaid',
      ['inquiry:dp_1'],
    ],
    [
      'an end nobody knows',
      'charge.dispute.closed',
      { status: 'settled_elsewhere' },
      'unpaid',
      ['inquiry:dp_1'],
    ],
    ['a chargeback', 'charge.dispute.created', { status: 'needs_response' }, 'pending', undefined],
    [
      'an early fraud warning',
      'radar.early_fraud_warning.created',
      { fraud_type: 'misc' },
      'pending',
      undefined,
    ],
  ] as const)('%s of Stripe', async (_name, type, more, status, expected) => {
    const t = await startStripe();
    await t.deliver('checkout.session.completed', session({ ...t.at(), client_reference_id: t.token }));
    for (const _twice of [1, 2])
      await t.deliver(type, { id: 'dp_1', charge: 'ch_1', payment_intent: 'pi_1', ...more });
    expect(await flags(t)).toEqual([[status, expected]]);
  });

  it('totals that do not add up', async () => {
    const t = await startCommerce();
    await t
      .send({
        type: 'order.paid',
        order: order({
          attribution: { token: await t.token() },
          totals: { goods: '90.00', grand_total: '95.00' },
        }),
      })
      .expect(200);
    expect(await flags(t)).toEqual([['unpaid', ['totals_mismatch']]]);
  });

  it('events that no shop should send: processed without effect, logged once', async () => {
    const t = await startStripe();
    for (const _twice of [1, 2]) await t.deliver('v1.billing.meter.error', {}, { object: 'v2.core.event' });
    expect(t.log.filter(({ fields }) => /thin events/.test(String(fields?.['remark'])))).toHaveLength(1);
    expect(await reasons(t)).toEqual({ status: 'ignored', reason: 'topic' });
  });

  it('a hook is called for deliveries that failed permanently', async () => {
    const t = await startCommerce();
    const calls: unknown[] = [];
    t.service.hooks.addAction('provider_delivery_failed', (provider, delivery) => {
      calls.push([provider, delivery['reason']]);
    });
    await t.send({ type: 'order.paid', order: { currency: 'USD' } }).expect(422);
    expect(calls).toEqual([['demo', 'parse_failed']]);
  });
});

describe('a shop that cannot be asked for details', () => {
  it('is requested again later, and finally the order is processed without the details', async () => {
    const own = standardProvider({ key: 'demo', secrets: [SECRET] });
    let asked = 0;
    const t = await startCommerce({
      providers: [
        {
          ...own,
          webhook: {
            ...own.webhook!,
            enrich: async () => {
              asked += 1;
              throw new Error('down');
            },
          },
        },
      ],
    });
    await t
      .send({ type: 'order.paid', order: order({ attribution: { token: await t.token() } }) })
      .expect(200);
    for (const minutes of [1, 5, 30, 120]) {
      t.clock.advance(minutes * 60_000);
      await t.app.commerce.inbox.workDue();
    }
    expect([asked, await state(t)]).toEqual([5, null]);
    t.clock.advance(720 * 60_000);
    await t.app.commerce.inbox.workDue();
    expect([asked, await state(t)]).toEqual([6, ['unpaid', 18]]);
  });
});

describe('what an invoice is', () => {
  it('an upgrade with a credit for the old plan is worth the difference', async () => {
    const t = await startStripe();
    await t.admin
      .post('/settings/integration/config')
      .send({
        integration: 'stripe',
        config: {
          disable_on_upgrades: 'no',
          custom_affiliate_rate: 'yes',
          custom_affiliate_rates: [{ object_type: 'product', object_ids: ['new'], rate: 50 }],
        },
      })
      .expect(200);
    const line = (id: string, amount: number): object => ({
      id,
      amount,
      quantity: 1,
      pricing: { price_details: { product: id } },
    });
    await t.deliver(
      'invoice.paid',
      invoice({
        ...t.at(),
        billing_reason: 'subscription_update',
        total: 5000,
        amount_paid: 5000,
        total_excluding_tax: 5000,
        total_taxes: [],
        total_discount_amounts: [],
        lines: { data: [line('old', -5000), line('new', 10_000)] },
        parent: { subscription_details: { subscription: 'sub_1', metadata: { fa_ref: t.token } } },
      }),
    );
    expect(
      (await t.admin.get('/referrals').expect(200)).body.referrals.data.map(
        (row: { amount: number }) => row.amount,
      ),
    ).toEqual([25]);
  });

  it('a manual invoice is a separate order', async () => {
    const t = await startStripe();
    await t.deliver('invoice.paid', invoice({ ...t.at(), billing_reason: 'manual' }));
    expect(await reasons(t)).toEqual({ status: 'ignored', reason: 'no_affiliate' });
  });
});

describe('texts of a shop', () => {
  it('long ids identify one order', async () => {
    const t = await startCommerce();
    const id = 'x'.repeat(300);
    const token = await t.token();
    await t
      .send({
        type: 'order.paid',
        account: 'a'.repeat(400),
        order: order({
          id,
          attribution: { token },
          refs: ['r'.repeat(400)],
          items: [
            {
              id: 'l',
              product_id: 'p',
              title: `<b>Mug</b>${'y'.repeat(400)}`,
              net: '90.00',
              net_before_discount: '100.00',
              tax: '18.00',
            },
          ],
        }),
      })
      .expect(200);
    await t
      .send({
        type: 'order.refunded',
        account: 'a'.repeat(400),
        refund: { order_ref: 'r'.repeat(400), refund_id: 'z'.repeat(400), gross: '57.00', currency: 'USD' },
      })
      .expect(200);
    expect(await state(t)).toEqual(['unpaid', 9]);
    const [row] = await t.referrals();
    expect(String(row!['provider_id'])).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((row!['products'] as { title: string }[])[0]!.title).toMatch(/^<b>Mug<\/b>y{245}$/);
  });
});

describe('orders reported by the host itself', () => {
  it('go the same way', async () => {
    const t = await startApp();
    const affiliate = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
    const token = await tokenOf(t, affiliate.id);
    const { order: parsed } = stripe({ secrets: ['a-secret'] }).webhook!.parse({
      body: Buffer.from(''),
      header: () => undefined,
      json: stripeEvent(
        'checkout.session.completed',
        session({ created: t.clock.time / 1000, client_reference_id: token }),
      ),
    })[0] as never;
    const event = { type: 'order.paid', at: t.clock.time, account: '', order: parsed } as const;
    expect((await t.service.recordConversion(event)).result).toBe('recorded');
    expect(await t.service.recordConversion(event)).toEqual({ result: 'unchanged', reason: 'duplicate' });
  });
});
