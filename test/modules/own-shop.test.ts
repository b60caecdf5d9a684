import { describe, expect, it } from '@jest/globals';
import type { WebhookSource } from '../../adapters/commerce.js';
import { order, startCommerce } from '../support/commerce.js';
import { configure } from '../support/shop.js';
import { readText } from '../support/sources.js';

// A shop of the host's own, which sends Standard Webhooks (docs/own-shop.md).

const BLOCKS = [...readText('docs/own-shop.md').matchAll(/```json event\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block,
);

it('docs/own-shop.md: every event is understood, in the order of the page', async () => {
  const t = await startCommerce();
  await configure(t, { enable_subscription_renewal: 'yes', renewal_rate: 10 });
  await t.admin
    .post('/settings/integration/config')
    .send({ integration: 'demo', config: { enable_subscription_renewal: 'yes' } })
    .expect(200);
  const token = await t.token();
  const outcomes: unknown[] = [];
  t.service.hooks.addAction('provider_event', ({ type }, { result, reason }) => {
    outcomes.push([type, result, reason ?? '']);
  });
  for (const block of BLOCKS) {
    t.clock.advance(60_000);
    await t.send(JSON.parse(block.replace('TOKEN', token)) as object).expect(200);
  }
  expect(outcomes).toEqual([
    ['order.created', 'recorded', ''],
    ['order.paid', 'updated', ''],
    ['order.attributed', 'recorded', 'attributed'],
    ['order.paid', 'recorded', ''],
    ['subscription.renewed', 'recorded', ''],
    ['order.refunded', 'updated', ''],
    ['order.canceled', 'updated', ''],
    ['dispute.opened', 'updated', ''],
    ['dispute.won', 'updated', ''],
    ['dispute.lost', 'updated', ''],
    ['order.linked', 'updated', ''],
    ['lead.created', 'recorded', ''],
    ['customer.requested', 'recorded', 'data_requested'],
    ['customer.erase', 'updated', 'customer_erased'],
    ['account.disconnected', 'updated', 'disconnected'],
    ['account.erase', 'updated', 'account_erased'],
  ]);
});

describe('what cannot be read names its field', () => {
  const totals = { goods: '100.00' };
  const paid = (more: object): object => ({ type: 'order.paid', order: order(more) });
  const refund = (more: object): object => ({
    type: 'order.refunded',
    refund: { order_ref: 'A-1', gross: '5.00', currency: 'USD', ...more },
  });
  it.each([
    ['an amount in cents', paid({ totals: { goods: 10_000 } }), 'order.totals.goods', 'amount'],
    ['an amount with a comma', paid({ totals: { goods: '100,00' } }), 'order.totals.goods', 'amount'],
    ['an item in cents', paid({ totals, items: [{ id: 'a', net: 10_000 }] }), 'order.items.0.net', 'amount'],
    ['no totals', paid({ totals: undefined }), 'order.totals', 'missing'],
    ['no amount of goods', paid({ totals: {} }), 'order.totals.goods', 'missing'],
    ['no currency', paid({ currency: undefined }), 'order.currency', 'currency'],
    ['no id', paid({ id: undefined }), 'order.id', 'missing'],
    ['a time in seconds', { ...paid({}), at: 1_768_489_200 }, 'at', 'time'],
    ['a time of the order in seconds', paid({ created_at: 1_768_489_200 }), 'order.created_at', 'time'],
    ['a time that is none', { ...paid({}), at: 'yesterday' }, 'at', 'time'],
    ['everything in `data`', { type: 'order.paid', data: { order: order() } }, 'data.order', 'place'],
    ['a refund without an amount', refund({ gross: undefined }), 'refund.gross', 'missing'],
    ['a refund in cents', refund({ gross: 500 }), 'refund.gross', 'amount'],
    ['a refund of no order', refund({ order_ref: '' }), 'refund.order_ref', 'missing'],
    ['a dispute of no order', { type: 'dispute.opened', dispute_id: 'd' }, 'order_ref', 'missing'],
  ])('%s', async (_, event, field, problem) => {
    const t = await startCommerce();
    const { body } = await t.send(event).expect(422);
    expect(body.code).toBe('validation_failed');
    expect(Object.keys(body.errors)).toEqual([field]);
    expect(Object.keys(body.errors[field])).toEqual([problem]);
    const list = (await t.admin.get('/settings/integration/deliveries').expect(200)).body.deliveries;
    expect(list.data[0]).toMatchObject({ status: 'failed', reason: 'parse_failed', can_replay: true });
    expect(list.data[0].problem.field).toBe(field);
    expect(await t.referrals()).toEqual([]);
  });

  it('and counts once it is corrected, with the same id', async () => {
    const t = await startCommerce();
    const attribution = { token: await t.token() };
    const send = (more: object): ReturnType<typeof t.send> =>
      t.send({ type: 'order.paid', order: order({ attribution, ...more }) }, { id: 'msg_same' });
    await send({ totals: { goods: 10_000 } }).expect(422);
    await send({ totals: { goods: 10_000 } }).expect(422);
    await send({}).expect(200);
    await send({}).expect(200);
    expect((await t.referrals()).map(({ amount }) => amount)).toEqual([18]);
  });

  it('and is read again on replay, by the provider of now', async () => {
    const t = await startCommerce();
    const attribution = { token: await t.token() };
    const event = { type: 'order.paid', order: order({ attribution, currency: 'USD' }) };
    const [provider] = t.service.commerce.list();
    // a provider of an older version
    const source = provider!.webhook as { -readonly [K in keyof WebhookSource]: WebhookSource[K] };
    const { parse } = source;
    source.parse = ({ header }) => {
      throw new TypeError(`an older version cannot read ${String(header('webhook-timestamp'))}`);
    };
    await t.send(event).expect(200);
    const replay = async (): Promise<string> =>
      (
        await t.admin
          .post(
            `/settings/integration/deliveries/${(await t.admin.get('/settings/integration/deliveries')).body.deliveries.data[0].id}/replay`,
          )
          .expect(200)
      ).body.outcome.result;
    expect(await replay()).toBe('ignored');
    source.parse = parse;
    expect(await replay()).toBe('recorded');
    expect((await t.referrals()).map(({ amount }) => amount)).toEqual([18]);
  });
});

it('of two contents with the same time, the one that arrives last counts', async () => {
  const t = await startCommerce();
  const attribution = { token: await t.token() };
  const at = t.clock.time;
  const tell = async (type: string, goods: string): Promise<void> => {
    await t.send({ type, at, order: order({ attribution, totals: { goods }, items: [] }) }).expect(200);
  };
  await tell('order.created', '100.00');
  await tell('order.created', '50.00');
  await tell('order.paid', '50.00');
  expect((await t.referrals()).map(({ status, amount }) => [status, amount])).toEqual([['unpaid', 10]]);
});
