import { describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { affiliate, FORM } from '../support/payouts.js';

interface Open {
  readonly t: TestApp;
  readonly payoutId: number;
  /** Transactions of alice (orders 1 and 2) and bob (order 3). */
  readonly ids: readonly number[];
}

/** An open payout of 10 + 20 for alice and 30 for bob, each 10 % of an order. */
async function openPayout(options: TestOptions = {}): Promise<Open> {
  const t = await startApp({ rate: 10, clawback: 'adjust', ...options });
  const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3)];
  for (const [at, id] of [alice.id, alice.id, bob.id].entries()) {
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: String(at + 1),
      status: 'unpaid',
      order: { subtotal: `${(at + 1) * 100}.00` },
      affiliate: id,
    });
  }
  const payout = await t.records.payout(FORM);
  const { data } = (
    await t.admin.get(`/payouts/${payout.id}/transactions?order_by=affiliate_id&order_type=ASC`)
  ).body.transactions;
  return { t, payoutId: payout.id, ids: data.map((row: { id: number }) => row.id) };
}

const refund = (t: TestApp, reference: string, total: string, more: object = {}): Promise<unknown> =>
  t.service.conversions.refund('shop', reference, { refunded_total: total, ...more });
const mark = ({ t, payoutId, ids }: Open, at: number, body: object = {}): Test =>
  t.admin.patch(`/payouts/${payoutId}/transactions/${ids[at]}`).send({ status: 'paid', ...body });
const bulk = async ({ t, payoutId }: Open, body: object = {}): Promise<Record<string, unknown>> =>
  (await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send(body).expect(200)).body;
const transactions = async ({ t, payoutId }: Open): Promise<Record<string, unknown>[]> =>
  (await t.admin.get(`/payouts/${payoutId}/transactions?order_by=affiliate_id&order_type=ASC`).expect(200))
    .body.transactions.data;
const items = async ({ t, payoutId }: Open): Promise<Record<string, unknown>[]> =>
  (await t.admin.get(`/payouts/${payoutId}/items?order_type=ASC`).expect(200)).body.items.data;

describe('an open payout', () => {
  it('shows what was refunded since, and such a transaction is paid only when that is confirmed', async () => {
    const open = await openPayout();
    const { t, payoutId } = open;
    await refund(t, '1', '25.00');

    expect(await items(open)).toMatchObject([
      { amount: 10, due_amount: 7.5, change: 'refunded' },
      { amount: 20, due_amount: 20, change: null },
      { amount: 30, due_amount: 30, change: null },
    ]);
    expect(await transactions(open)).toMatchObject([
      { changed_count: 1, not_due_amount: 2.5 },
      { changed_count: 0, not_due_amount: 0 },
    ]);
    expect((await t.admin.get(`/payouts/${payoutId}`).expect(200)).body.payout.changed).toEqual({
      transactions_count: 1,
      referrals_count: 1,
      not_due_amount: 2.5,
    });

    const refused = await mark(open, 0).expect(422);
    expect(refused.body).toMatchObject({
      code: 'transaction_changed',
      data: { changed_count: 1, not_due_amount: 2.5 },
    });
    await mark(open, 1).expect(200);
    await mark(open, 0, { confirm: true }).expect(200);
    expect((await t.app.payouts.get(payoutId)).status).toBe('paid');
    // of open ones only
    expect(await items(open)).toMatchObject([{ change: null }, { change: null }, { change: null }]);
  });

  it('keeps changed transactions out of a bulk "paid" until that is confirmed', async () => {
    const open = await openPayout();
    await refund(open.t, '3', '300.00');

    expect(await bulk(open)).toMatchObject({
      processing_count: 0,
      left_out_count: 1,
      left_out: [{ transaction_id: open.ids[1], amount: 30, code: 'commissions_changed' }],
    });
    expect((await transactions(open)).map((row) => row['status'])).toEqual(['paid', 'processing']);
    expect(await bulk(open, { confirm: true })).toMatchObject({ left_out_count: 0 });
    expect((await open.t.app.payouts.get(open.payoutId)).status).toBe('paid');
  });

  it('shows disputes, and forgets what was undone', async () => {
    const open = await openPayout({ clawback: 'off' });
    const { t } = open;
    const order = (await t.app.orders.find({
      provider: 'shop',
      account: '',
      reference: '2',
      sub_reference: '',
    }))!;
    const dispute = (state: 'opened' | 'won'): Promise<unknown> =>
      t.app.orders.changes.addFacts(
        [order.id],
        () => [t.app.orders.facts.disputeFact('d1', state, t.clock.time)],
        {
          kind: 'refunded',
        },
      );

    await dispute('opened');
    await refund(t, '1', '50.00');
    expect(await items(open)).toMatchObject([
      { change: 'refunded', due_amount: 5 },
      { change: 'disputed', due_amount: 20 },
      { change: null },
    ]);
    await mark(open, 0).expect(422);

    t.clock.advance(1000);
    await dispute('won');
    await refund(t, '1', '0.00', { undone: true });
    expect(await items(open)).toMatchObject([{ change: null }, { change: null }, { change: null }]);
    await mark(open, 0).expect(200);
  });

  it('does not ask again for what another payout has taken back', async () => {
    const open = await openPayout();
    const { t } = open;
    await refund(t, '1', '40.00'); // 4 of alice's 10
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '4',
      status: 'unpaid',
      order: { subtotal: '100.00' },
      affiliate: 1,
    });
    expect((await t.records.payout(FORM)).total_amount).toBe(6);

    expect(await transactions(open)).toMatchObject([{ changed_count: 0 }, { changed_count: 0 }]);
    await mark(open, 0).expect(200);
  });

  it('lets a deleted transaction give back what is due', async () => {
    const open = await openPayout();
    const { t, payoutId, ids } = open;
    await refund(t, '1', '25.00');
    await t.admin.delete(`/payouts/${payoutId}/transactions/${ids[0]}`).expect(200);
    expect((await t.records.payout(FORM)).total_amount).toBe(27.5);
  });
});
