import { expect, it } from '@jest/globals';
import type { ConversionInput } from '../../src/attribution/conversions/types.js';
import { startApp, type TestApp } from '../support/app.js';

// Stories in an odd order, followed by hand: after each step, what every row says and what is earned and unpaid.

interface Story {
  readonly t: TestApp;
  readonly sale: (reference: string, more?: Partial<ConversionInput>) => Promise<unknown>;
  readonly refund: (reference: string, id: string, amount: string) => Promise<unknown>;
  /** `status amount` of each row, then total and unpaid earnings. */
  readonly books: () => Promise<unknown>;
}

async function begin(config: Readonly<Record<string, unknown>> = {}): Promise<Story> {
  const t = await startApp({ rate: 10 });
  await t.app.settings.saveReferralConfig(config);
  const { id } = await t.records.affiliate({ user_id: 2 });
  const { conversions } = t.service;
  return {
    t,
    sale: (reference, more = {}) =>
      conversions.record(null, {
        provider: 'shop',
        reference,
        type: 'sale',
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email: 'jo@buyer.test' },
        affiliate: id,
        ...more,
      }),
    refund: (reference, refundId, amount) =>
      conversions.refund('shop', reference, { refund_id: refundId, amount }),
    books: async () => {
      const { body } = await t.admin.get('/referrals?order_by=id&order_type=ASC&per_page=50').expect(200);
      const { affiliate } = (await t.admin.get(`/affiliates/${id}`).expect(200)).body;
      expect(await t.service.verify()).toEqual([]);
      return [
        body.referrals.data.map((row: { status: string; amount: number }) => `${row.status} ${row.amount}`),
        affiliate.total_earnings,
        affiliate.unpaid_earnings,
      ];
    },
  };
}

it('an order cut to a thirtieth, paid, paid out, refunded in part, lost, won, and the refund undone', async () => {
  const { t, sale, refund, books } = await begin();
  await sale('A', { status: 'pending', order: { subtotal: '2175.00' } });
  expect(await books()).toEqual([['pending 217.5'], 0, 0]);
  await t.service.conversions.update('shop', 'A', { order: { subtotal: '75.00' } });
  await t.service.conversions.complete('shop', 'A', { paid: '75.00' });
  expect(await books()).toEqual([['unpaid 7.5'], 7.5, 7.5]);
  await t.records.payout();
  await refund('A', 'r', '50.00');
  expect(await books()).toEqual([['paid 7.5', 'unpaid -5'], 2.5, -5]);
  await t.service.conversions.dispute('shop', 'A', 'opened');
  await t.service.conversions.dispute('shop', 'A', 'lost');
  expect(await books()).toEqual([['paid 7.5', 'unpaid -7.5'], 0, -7.5]);
  await t.service.conversions.dispute('shop', 'A', 'won');
  expect(await books()).toEqual([['paid 7.5', 'unpaid -5'], 2.5, -5]);
  await refund('A', 'r', '0.00');
  expect(await books()).toEqual([['paid 7.5'], 7.5, 0]);
});

it('renewals under a cap of 25: the first is refunded, all is paid out, the refund and the payout are undone', async () => {
  const { t, sale, refund, books } = await begin({
    enable_subscription_renewal: 'yes',
    renewal_rate_type: 'percentage',
    renewal_rate: 10,
    commission_cap_amount: 25,
    commission_cap_days: 365,
  });
  await sale('S1', { subscription: { id: 'sub', phase: 'first' } });
  for (const reference of ['S2', 'S3'])
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference,
      type: 'sale',
      status: 'unpaid',
      order: { subtotal: '100.00' },
      customer: { email: 'jo@buyer.test' },
      subscription: { id: 'sub', phase: 'renewal' },
    });
  expect(await books()).toEqual([['unpaid 10', 'unpaid 10', 'unpaid 5'], 25, 25]);
  await refund('S1', 'r', '100.00');
  expect(await books()).toEqual([['rejected 0', 'unpaid 10', 'unpaid 10'], 20, 20]);
  const payout = await t.records.payout();
  await refund('S1', 'r', '0.00');
  expect(await books()).toEqual([['unpaid 10', 'paid 10', 'paid 10', 'unpaid -5'], 25, 5]);
  await t.admin.post(`/payouts/${payout.id}/undo`).send({}).expect(200);
  expect(await books()).toEqual([['unpaid 10', 'unpaid 10', 'unpaid 5'], 25, 25]);
  await t.service.conversions.dispute('shop', 'S2', 'opened');
  await t.service.conversions.dispute('shop', 'S2', 'lost');
  expect(await books()).toEqual([['unpaid 10', 'rejected 10', 'unpaid 10'], 20, 20]);
});

it('a deposit, an edit, the rest; refunded inside a payout that is undone; refunded beyond the total', async () => {
  const { t, sale, refund, books } = await begin();
  await sale('D', { status: 'pending', order: { subtotal: '100.00', paid: '30.00' } });
  await t.service.conversions.update('shop', 'D', { order: { subtotal: '150.00' } });
  expect(await books()).toEqual([['pending 3'], 0, 0]);
  await t.service.conversions.complete('shop', 'D', { paid: '150.00' });
  const payout = await t.records.payout();
  await refund('D', 'a', '100.00');
  expect(await books()).toEqual([['paid 15', 'unpaid -10'], 5, -10]);
  await t.admin.post(`/payouts/${payout.id}/undo`).send({}).expect(200);
  expect(await books()).toEqual([['unpaid 5'], 5, 5]);
  await refund('D', 'b', '80.00');
  expect(await books()).toEqual([['rejected 0'], 0, 0]);
  await refund('D', 'a', '0.00');
  expect(await books()).toEqual([['unpaid 7'], 7, 7]);
});

it('a deposit, paid, edited, paid for the rest; the payment fails, a person approves, it is paid again and lost', async () => {
  const { t, sale, books } = await begin();
  const { conversions } = t.service;
  await sale('F', { status: 'pending', order: { subtotal: '100.00', paid: '30.00' } });
  await conversions.complete('shop', 'F', { paid: '100.00' });
  await conversions.update('shop', 'F', { order: { subtotal: '150.00' } });
  expect(await books()).toEqual([['unpaid 10'], 10, 10]);
  await conversions.complete('shop', 'F', { paid: '150.00' });
  expect(await books()).toEqual([['unpaid 15'], 15, 15]);
  await conversions.cancel('shop', 'F', 'failed');
  expect(await books()).toEqual([['rejected 3'], 0, 0]);
  await t.admin.patch('/referrals/1').send({ status: 'unpaid' }).expect(200);
  expect(await books()).toEqual([['unpaid 3'], 3, 3]);
  await conversions.complete('shop', 'F', { paid: '150.00' });
  await conversions.dispute('shop', 'F', 'lost');
  expect(await books()).toEqual([['rejected 15'], 0, 0]);
});
