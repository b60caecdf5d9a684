import { expect } from '@jest/globals';
import type { TestOptions } from './app.js';
import { startCommerce, tokenOf, type CommerceShop } from './commerce.js';
import { connectChild, signed, type Child } from './sites.js';

/** An order as each way in reports it: decimal text, tax on top of the net. */
export interface Bought {
  readonly net: string;
  readonly tax?: string;
  readonly paid?: boolean;
  readonly email?: string;
  readonly currency?: string;
  readonly shipping?: string;
  readonly type?: 'sale' | 'opt_in';
  /** Of the one item, when it is not the order's. */
  readonly item?: string;
  readonly subscription?: { readonly id: string; readonly phase?: 'renewal' };
  readonly affiliate?: number | null;
}

/** One way in: what it cannot express is absent. */
export interface Door {
  readonly name: 'code' | 'rest' | 'provider' | 'site';
  /** The answer, as that way in gives it. */
  order(reference: string, bought: Bought): Promise<unknown>;
  pay(reference: string): Promise<unknown>;
  refund(reference: string, total: string): Promise<unknown>;
  refundBase?(reference: string, base: string): Promise<unknown>;
  refundUndone?(reference: string, total: string): Promise<unknown>;
  refundOne?(reference: string, id: string, gross: string, more?: object): Promise<unknown>;
  fail?(reference: string): Promise<unknown>;
  cancel(reference: string): Promise<unknown>;
  dispute?(reference: string, word: 'opened' | 'won' | 'lost'): Promise<unknown>;
  /** The referral of an order on the wire; undefined when there is none. */
  row(reference: string): Promise<Record<string, unknown> | undefined>;
}

export interface MoneyShop extends CommerceShop {
  readonly doors: Readonly<Record<Door['name'], Door>>;
  readonly child: Child;
  edit(id: unknown, patch: object): Promise<Record<string, unknown>>;
  /** A payout of everything payable; its id. */
  payOut(config?: object): Promise<number>;
  /** Deletes every transaction of a payout. */
  undo(payout: number): Promise<void>;
  /** Total and unpaid earnings of the affiliate. */
  earnings(affiliate?: number): Promise<number[]>;
  /** The same in other currencies than the program's. */
  balances(): Promise<unknown>;
  explain(id: unknown): Promise<Record<string, unknown>>;
  /** Settings of the shop that sends events. */
  configureShop(config: object): Promise<void>;
}

/** Half of what an item costs. */
const ITEM_RULES = [
  { object_type: 'product', object_ids: ['p1'], rate_e4: 500_000, rate_type: 'percentage' },
] as const;

/** A program at 20 % with an affiliate and every way in open. */
export async function startMoney(options: TestOptions = {}): Promise<MoneyShop> {
  const t = await startCommerce(options);
  const child = await connectChild(t);
  const find = async (
    match: (row: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown> | undefined> =>
    (await t.referrals()).find((row) => row['type'] !== 'adjustment' && match(row));
  const pay = async (config: object = {}): Promise<number> =>
    (
      await t.admin
        .post('/payouts/process-payout')
        .send({ config: { title: 'Run', description: 'Run', ...config } })
        .expect(200)
    ).body.payout.id;
  return {
    ...t,
    child,
    doors: {
      code: codeDoor(t, find),
      rest: restDoor(t, codeDoor(t, find)),
      provider: providerDoor(t, find),
      site: siteDoor(t, child, find),
    },
    edit: async (id, patch) =>
      (
        await t.admin
          .patch(`/referrals/${String(id)}`)
          .send(patch)
          .expect(200)
      ).body.referral,
    payOut: pay,
    undo: async (payout) => {
      const { body } = await t.admin.get(`/payouts/${payout}/transactions?per_page=200`).expect(200);
      for (const { id } of body.transactions.data as { id: number }[])
        await t.admin.delete(`/payouts/${payout}/transactions/${id}`).expect(200);
    },
    earnings: async (affiliate = t.affiliate.id) => {
      const { body } = await t.admin.get(`/affiliates/${affiliate}`).expect(200);
      return [body.affiliate.total_earnings, body.affiliate.unpaid_earnings];
    },
    balances: async () =>
      (await t.admin.get(`/affiliates/${t.affiliate.id}`).expect(200)).body.affiliate.by_currency,
    configureShop: async (config) => {
      await t.admin
        .post('/settings/integration/config')
        .send({ integration: 'demo', config: { is_enabled: 'yes', ...config } })
        .expect(200);
    },
    explain: async (id) =>
      (await t.admin.get(`/referrals/${String(id)}`).expect(200)).body.referral.order as Record<
        string,
        unknown
      >,
  };
}

type Find = (match: (row: Record<string, unknown>) => boolean) => ReturnType<Door['row']>;

function codeDoor(t: CommerceShop, find: Find): Door {
  const { conversions } = t.service;
  return {
    name: 'code',
    order: (reference, bought) =>
      conversions.record(null, {
        provider: 'shop',
        reference,
        status: bought.paid === false ? 'pending' : 'unpaid',
        order: {
          subtotal: bought.net,
          tax: bought.tax ?? '0',
          shipping: bought.shipping ?? '0',
          currency: bought.currency ?? 'USD',
        },
        customer: { email: bought.email ?? 'jo@buyer.test' },
        ...(bought.affiliate !== null && { affiliate: bought.affiliate ?? t.affiliate.id }),
        ...(bought.type && { type: bought.type }),
        ...(bought.item && { items: [{ id: 'p1', subtotal: bought.item }], rules: ITEM_RULES }),
        ...(bought.subscription && { subscription: bought.subscription }),
      }),
    pay: (reference) => conversions.complete('shop', reference),
    refund: (reference, total) => conversions.refund('shop', reference, { refunded_total: total }),
    refundBase: (reference, base) => conversions.refund('shop', reference, { refunded_base: base }),
    refundUndone: (reference, total) =>
      conversions.refund('shop', reference, { refunded_total: total, undone: true }),
    refundOne: (reference, id, amount, more = {}) =>
      conversions.refund('shop', reference, { refund_id: id, amount, ...more }),
    fail: (reference) => conversions.cancel('shop', reference, 'failed'),
    cancel: (reference) => conversions.cancel('shop', reference),
    dispute: async (reference, word) =>
      word === 'lost'
        ? conversions.cancel('shop', reference, 'disputed')
        : conversions.dispute('shop', reference, word),
    row: (reference) => find((row) => row['provider'] === 'shop' && String(row['provider_id']) === reference),
  };
}

/** What a person or a script reports of an order that came in through code. */
function restDoor(t: CommerceShop, code: Door): Door {
  const id = async (reference: string): Promise<string> => String((await code.row(reference))?.['id']);
  const refund = async (reference: string, body: object): Promise<unknown> =>
    (
      await t.admin
        .post(`/referrals/${await id(reference)}/refunds`)
        .send(body)
        .expect(200)
    ).body;
  const edit = async (reference: string, body: object): Promise<unknown> =>
    (
      await t.admin
        .patch(`/referrals/${await id(reference)}`)
        .send(body)
        .expect(200)
    ).body;
  return {
    name: 'rest',
    order: (reference, bought) => code.order(reference, bought),
    pay: (reference) => edit(reference, { status: 'unpaid' }),
    refund: (reference, refunded_total) => refund(reference, { refunded_total }),
    refundBase: (reference, refunded_base) => refund(reference, { refunded_base }),
    refundUndone: (reference, refunded_total) => refund(reference, { refunded_total, undone: true }),
    refundOne: (reference, refund_id, amount, more = {}) => refund(reference, { refund_id, amount, ...more }),
    cancel: (reference) => edit(reference, { status: 'rejected' }),
    row: (reference) => code.row(reference),
  };
}

function providerDoor(t: CommerceShop, find: Find): Door {
  const send = async (event: object): Promise<unknown> => {
    t.clock.advance(1000);
    return (await t.send(event).expect(200)).body;
  };
  const orders = new Map<string, object>();
  const refund = (reference: string, more: object): Promise<unknown> =>
    send({
      type: 'order.refunded',
      refund: { order_ref: reference, currency: 'USD', state: 'done', ...more },
    });
  return {
    name: 'provider',
    order: async (reference, bought) => {
      const { net, tax = '0', shipping = '0', subscription, item } = bought;
      const order = {
        id: reference,
        currency: bought.currency ?? 'USD',
        totals: {
          goods: net,
          goods_tax: tax,
          shipping,
          grand_total: (Number(net) + Number(tax) + Number(shipping)).toFixed(2),
        },
        items: item === undefined ? [] : [{ id: 'l1', product_id: 'p1', quantity: 1, net: item }],
        customer: { email: bought.email ?? 'jo@buyer.test' },
        attribution:
          bought.affiliate === null ? {} : { token: await tokenOf(t, bought.affiliate ?? t.affiliate.id) },
        ...(subscription && { subscription }),
      };
      orders.set(reference, order);
      if (subscription?.phase === 'renewal') return send({ type: 'subscription.renewed', order });
      return send({ type: bought.paid === false ? 'order.created' : 'order.paid', order });
    },
    pay: (reference) => send({ type: 'order.paid', order: orders.get(reference) }),
    refund: (reference, gross) => refund(reference, { gross }),
    refundUndone: (reference, gross) => refund(reference, { gross, state: 'undone' }),
    refundOne: (reference, refund_id, gross, more = {}) => refund(reference, { refund_id, gross, ...more }),
    fail: (reference) => send({ type: 'order.canceled', order_ref: reference, reason: 'failed' }),
    cancel: (reference) => send({ type: 'order.canceled', order_ref: reference, reason: 'canceled' }),
    dispute: (reference, word) =>
      send({ type: `dispute.${word}`, order_ref: reference, dispute_id: `d-${reference}` }),
    row: (reference) => find((row) => row['provider'] === 'demo' && String(row['provider_id']) === reference),
  };
}

function siteDoor(t: CommerceShop, child: Child, find: Find): Door {
  const path = '/connected-sites/referrals';
  const patch = async (reference: string, body: object): Promise<unknown> => {
    const answer = await signed(t, child, 'patch', `${path}/${reference}`, body);
    expect([200, 409]).toContain(answer.status);
    return answer.body;
  };
  return {
    name: 'site',
    order: async (reference, bought) =>
      (
        await signed(t, child, 'post', path, {
          reference,
          affiliate_param: String(bought.affiliate ?? t.affiliate.id),
          order: { subtotal: bought.net, tax: bought.tax ?? '0', shipping: bought.shipping ?? '0' },
          currency: bought.currency ?? 'USD',
          status: bought.paid === false ? 'pending' : 'unpaid',
          customer: { email: bought.email ?? 'jo@buyer.test' },
          ...(bought.type && { type: bought.type }),
        }).expect(200)
      ).body,
    pay: (reference) => patch(reference, { status: 'unpaid' }),
    refund: (reference, refunded_total) => patch(reference, { refunded_total }),
    refundBase: (reference, refunded_base) => patch(reference, { refunded_base }),
    cancel: (reference) => patch(reference, { status: 'rejected' }),
    row: (reference) => find((row) => row['provider_sub_id'] === reference),
  };
}
