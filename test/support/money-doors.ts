import { expect } from '@jest/globals';
import type { TestOptions } from './app.js';
import { startCommerce, type CommerceShop } from './commerce.js';
import { connectChild, signed, type Child } from './sites.js';

/** An order as each way in tells it: decimal text, tax on top of the net. */
export interface Bought {
  readonly net: string;
  readonly tax?: string;
  readonly paid?: boolean;
  readonly email?: string;
  readonly currency?: string;
}

/** One way in: what it can not express is absent. */
export interface Door {
  readonly name: 'code' | 'provider' | 'site';
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
  payOut(): Promise<number>;
  /** Deletes every transaction of a payout. */
  undo(payout: number): Promise<void>;
  /** Total and unpaid earnings of the affiliate. */
  earnings(affiliate?: number): Promise<number[]>;
  explain(id: unknown): Promise<Record<string, unknown>>;
}

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
    doors: { code: codeDoor(t, find), provider: providerDoor(t, find), site: siteDoor(t, child, find) },
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
    order: (reference, { net, tax = '0', paid = true, email = 'jo@buyer.test', currency = 'USD' }) =>
      conversions.record(null, {
        provider: 'shop',
        reference,
        status: paid ? 'unpaid' : 'pending',
        order: { subtotal: net, tax, currency },
        customer: { email },
        affiliate: t.affiliate.id,
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

function providerDoor(t: CommerceShop, find: Find): Door {
  const send = async (event: object): Promise<unknown> => {
    t.clock.advance(1000);
    return (await t.send(event).expect(200)).body;
  };
  const told = new Map<string, object>();
  const refund = (reference: string, more: object): Promise<unknown> =>
    send({
      type: 'order.refunded',
      refund: { order_ref: reference, currency: 'USD', state: 'done', ...more },
    });
  return {
    name: 'provider',
    order: async (reference, { net, tax = '0', paid = true, email = 'jo@buyer.test', currency = 'USD' }) => {
      const order = {
        id: reference,
        currency,
        totals: { goods: net, goods_tax: tax, grand_total: (Number(net) + Number(tax)).toFixed(2) },
        items: [],
        customer: { email },
        attribution: { token: await t.token() },
      };
      told.set(reference, order);
      return send({ type: paid ? 'order.paid' : 'order.created', order });
    },
    pay: (reference) => send({ type: 'order.paid', order: told.get(reference) }),
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
  const told = async (reference: string, body: object): Promise<unknown> => {
    const answer = await signed(t, child, 'patch', `${path}/${reference}`, body);
    expect([200, 409]).toContain(answer.status);
    return answer.body;
  };
  return {
    name: 'site',
    order: async (reference, { net, tax = '0', paid = true, email = 'jo@buyer.test', currency = 'USD' }) =>
      (
        await signed(t, child, 'post', path, {
          reference,
          affiliate_param: String(t.affiliate.id),
          order: { subtotal: net, tax },
          currency,
          status: paid ? 'unpaid' : 'pending',
          customer: { email },
        }).expect(200)
      ).body,
    pay: (reference) => told(reference, { status: 'unpaid' }),
    refund: (reference, refunded_total) => told(reference, { refunded_total }),
    refundBase: (reference, refunded_base) => told(reference, { refunded_base }),
    cancel: (reference) => told(reference, { status: 'rejected' }),
    row: (reference) => find((row) => row['provider_sub_id'] === reference),
  };
}
