import { describe, expect, it, jest } from '@jest/globals';
import { startMoney, type Door, type MoneyShop } from '../support/ways-in.js';
import { configure } from '../support/shop.js';

// Longer stories than those of docs/money.md, computed on paper first. An order of 100.00 earns 20.00.

jest.setTimeout(300_000);

const idOf = async (door: Door, reference: string): Promise<unknown> => (await door.row(reference))?.['id'];
const state = async (door: Door, reference: string): Promise<unknown[]> => {
  const row = await door.row(reference);
  return [row?.['status'], row?.['amount']];
};
const adjustments = async (shop: MoneyShop): Promise<unknown[]> =>
  (await shop.referrals())
    .filter((row) => row['type'] === 'adjustment')
    .map((row) => [row['status'], row['amount']]);
/** What a person reads about it, in one answer. */
const read = async (shop: MoneyShop, id: unknown): Promise<{ steps: string[]; timeline: string[] }> => {
  const { steps, timeline } = (await shop.explain(id)) as Record<'steps' | 'timeline', { text: string }[]>;
  return { steps: steps.map(({ text }) => text), timeline: timeline.map(({ text }) => text) };
};

describe('long stories', () => {
  it.each(['code', 'provider'] as const)(
    'refunded in part, paid, lost, won, refunded in full, and its payout undone (%s)',
    async (name) => {
      const shop = await startMoney();
      const door = shop.doors[name];
      await door.order('A-1', { net: '100.00' });
      await door.refundOne?.('A-1', 'r1', '30.00');
      const first = await shop.payOut();
      expect(await state(door, 'A-1')).toEqual(['paid', 14]);
      await door.dispute?.('A-1', 'opened');
      expect(await adjustments(shop)).toEqual([]);
      await door.dispute?.('A-1', 'lost');
      expect(await adjustments(shop)).toEqual([['unpaid', -14]]);
      if (name === 'provider') {
        await door.dispute?.('A-1', 'won');
        expect(await adjustments(shop)).toEqual([]);
      }
      await door.refundOne?.('A-1', 'r2', '70.00');
      expect(await adjustments(shop)).toEqual([['unpaid', -14]]);

      // 20.00 of another order less 14.00 are paid.
      await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
      const second = await shop.payOut();
      const { body } = await shop.admin.get(`/payouts/${second}`).expect(200);
      expect(body.payout.total_amount).toBe(6);
      expect(await shop.earnings()).toEqual([20, 0]);

      // The 14.00 never left: of the 20.00 that are due, 6.00 were paid.
      await shop.undo(first);
      expect(await state(door, 'A-1')).toEqual(['rejected', 0]);
      expect(await adjustments(shop)).toEqual([
        ['paid', -14],
        ['unpaid', 14],
      ]);
      expect(await shop.earnings()).toEqual([20, 14]);
      expect(await shop.service.verify()).toEqual([]);

      const { steps, timeline } = await read(shop, await idOf(door, 'A-1'));
      expect(steps[0]).toBe('20% (global rate) of 100.00 = 20.00.');
      expect(steps[1]).toBe('100.00 of 100.00 refunded, which leaves 0.00 of 100.00: 20.00 becomes 0.00.');
      expect(steps.at(-1)).toMatch(/^Nothing is due: .*the order was refunded in full/u);
      expect(timeline).toEqual(
        expect.arrayContaining([
          'The order was paid.',
          'Refund r1: 30 USD.',
          'Refund r2: 70 USD.',
          expect.stringMatching(/^Dispute .* was lost\.$/u),
          expect.stringMatching(/^Taken into payout transaction \d+: 14 USD\.$/u),
          expect.stringMatching(/^Payout transaction \d+ was undone: 14 USD is open again\.$/u),
        ]),
      );
    },
  );

  it.each(['code', 'rest', 'provider'] as const)(
    'corrected, refunded, paid, refunded again, the payout undone, the refunds taken back (%s)',
    async (name) => {
      const shop = await startMoney();
      const door = shop.doors[name];
      await door.order('A-1', { net: '100.00', tax: '19.00' });
      await shop.edit(await idOf(door, 'A-1'), { amount: 12, reason: 'agreed' });
      await door.refundOne?.('A-1', 'r1', '29.75');
      expect(await state(door, 'A-1')).toEqual(['unpaid', 9]); // 12.00 × 3/4
      const payout = await shop.payOut();
      await door.refundOne?.('A-1', 'r2', '29.75');
      expect(await adjustments(shop)).toEqual([['unpaid', -3]]); // 12.00 × 1/2 less 9.00
      await shop.undo(payout);
      expect([await state(door, 'A-1'), await adjustments(shop)]).toEqual([['unpaid', 6], []]);
      const undone = name === 'provider' ? { state: 'undone' } : { undone: true };
      await door.refundOne?.('A-1', 'r2', '29.75', undone);
      expect(await state(door, 'A-1')).toEqual(['unpaid', 9]);
      await door.refundOne?.('A-1', 'r1', '29.75', undone);
      expect(await state(door, 'A-1')).toEqual(['unpaid', 12]); // what was agreed, not 20.00
      await shop.payOut();
      expect(await shop.earnings()).toEqual([12, 0]);
      expect(await shop.service.verify()).toEqual([]);

      const { steps, timeline } = await read(shop, await idOf(door, 'A-1'));
      expect(steps).toEqual([
        '20% (global rate) of 100.00 = 20.00.',
        'Corrected to 12.00 on 2026-01-15 by user 1: agreed.',
        'Due: 12.00.',
      ]);
      expect(timeline.filter((text) => text.startsWith('Refund'))).toEqual([
        'Refund r1: 29.75 USD.',
        'Refund r2: 29.75 USD.',
        'Refund r2: 29.75 USD, taken back.',
        'Refund r1: 29.75 USD, taken back.',
      ]);
    },
  );

  it.each(['code', 'rest', 'provider'] as const)(
    'a person pays for an order that was refunded in full; one of its refunds is undone, and it is still refunded in full (%s)',
    async (name) => {
      const shop = await startMoney();
      const door = shop.doors[name];
      await door.order('A-1', { net: '100.00' });
      await door.refundOne?.('A-1', 'r1', '100.00');
      await door.refundOne?.('A-1', 'r2', '20.00');
      expect(await state(door, 'A-1')).toEqual(['rejected', 0]);
      await shop.edit(await idOf(door, 'A-1'), { amount: 5, status: 'unpaid', reason: 'agreed' });
      expect(await state(door, 'A-1')).toEqual(['unpaid', 5]);
      const undone = name === 'provider' ? { state: 'undone' } : { undone: true };
      await door.refundOne?.('A-1', 'r2', '20.00', undone);
      expect(await state(door, 'A-1')).toEqual(['unpaid', 5]);
      // Now it is not refunded any more, so a later full refund is another one.
      await door.refundOne?.('A-1', 'r1', '100.00', undone);
      await door.refundOne?.('A-1', 'r3', '100.00');
      expect(await state(door, 'A-1')).toEqual(['rejected', 5]); // the amount that would count again
      expect(await shop.earnings()).toEqual([0, 0]);
      expect(await shop.service.verify()).toEqual([]);
    },
  );

  it('an order whose buyer turns out to be the affiliate stays held, however often and in whatever state it is reported', async () => {
    const shop = await startMoney();
    const { conversions } = shop.service;
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00', paid: false });
    await shop.edit(await idOf(door, 'A-1'), { status: 'unpaid' });
    const report = async (email: string, subtotal: string): Promise<unknown[]> => {
      await conversions.update('shop', 'A-1', { order: { subtotal }, customer: { email } });
      return state(door, 'A-1');
    };
    expect(await report('alice@shop.test', '100.00')).toEqual(['pending', 20]);
    expect(await report('alice@shop.test', '100.00')).toEqual(['pending', 20]);
    expect(await report('alice@shop.test', '50.00')).toEqual(['pending', 10]);
    expect(await report('alice@shop.test', '100.00')).toEqual(['pending', 20]); // as it was first reported
    expect(await report('jo@buyer.test', '100.00')).toEqual(['unpaid', 20]);
    expect(await report('jo@buyer.test', '50.00')).toEqual(['unpaid', 10]);
    expect(await shop.service.verify()).toEqual([]);
  });

  it.each(['code', 'site'] as const)(
    'two currencies, with the days of holding changed in between (%s)',
    async (name) => {
      const shop = await startMoney();
      const door = shop.doors[name];
      const euros = { currency: 'EUR' } as const;
      const total = async (payout: number): Promise<unknown> =>
        (await shop.admin.get(`/payouts/${payout}`).expect(200)).body.payout.total_amount;
      await configure(shop, { hold_days: 7 });
      await door.order('A-1', { net: '100.00' });
      await door.order('E-1', { net: '50.00', email: 'kim@buyer.test', ...euros });
      await configure(shop, { hold_days: 0 });
      await door.order('A-2', { net: '10.00', email: 'lee@buyer.test' });

      // Only the order after the change can be paid now.
      expect(await total(await shop.payOut())).toBe(2);
      const form = { title: 'Run', description: 'Run', ...euros };
      const early = await shop.admin.post('/payouts/process-payout').send({ config: form }).expect(422);
      expect(early.body.code).toBe('nothing_to_pay');
      expect(String((await shop.explain(await idOf(door, 'A-1')))['reasons'])).toMatch(/^until 2026-01-22T/u);

      shop.clock.advance(7 * 86_400_000 + 1000);
      expect(await total(await shop.payOut())).toBe(20);
      expect(await total(await shop.payOut(euros))).toBe(10);
      expect(await shop.earnings()).toEqual([22, 0]);
      expect(await shop.balances()).toEqual({ EUR: { total_earnings: 10, unpaid_earnings: 0 } });

      // 20.00 of 50.00 go back: 4.00 EUR of 10.00 are taken from the next run in euros.
      await door.refund('E-1', '20.00');
      expect(await shop.balances()).toEqual({ EUR: { total_earnings: 6, unpaid_earnings: -4 } });
      expect(await shop.earnings()).toEqual([22, 0]);
      await door.order('E-2', { net: '25.00', email: 'max@buyer.test', ...euros });
      expect(await total(await shop.payOut(euros))).toBe(1);
      expect(await shop.balances()).toEqual({ EUR: { total_earnings: 11, unpaid_earnings: 0 } });
      expect(await shop.service.verify()).toEqual([]);

      const explained = await shop.explain(await idOf(door, 'E-1'));
      expect(explained).toMatchObject({
        currency: 'EUR',
        due: { amount: 6, status: 'unpaid' },
        claimed: 10,
        adjustments: [{ amount: -4, status: 'paid' }],
      });
      expect((await read(shop, await idOf(door, 'E-1'))).steps).toEqual([
        '20% (global rate) of 50.00 = 10.00.',
        '20.00 of 50.00 refunded, which leaves 30.00 of 50.00: 10.00 becomes 6.00.',
        'Due: 6.00.',
      ]);
    },
  );

  it.each(['code', 'rest', 'provider'] as const)(
    'more was given back by a payout than is due later (%s)',
    async (name) => {
      const shop = await startMoney();
      const door = shop.doors[name];
      const undone = name === 'provider' ? { state: 'undone' } : { undone: true };
      await door.order('A-1', { net: '100.00' });
      const first = await shop.payOut();
      await door.refundOne?.('A-1', 'r1', '50.00');
      await door.refundOne?.('A-1', 'r2', '50.00');
      await door.order('A-2', { net: '200.00', email: 'kim@buyer.test' });
      const second = await shop.payOut(); // 40.00 less the 20.00 of the first order
      await shop.undo(first);
      await shop.payOut(); // gives the 20.00 back
      await shop.undo(second);
      expect(await adjustments(shop)).toEqual([
        ['unpaid', -20],
        ['paid', 20],
      ]);

      // Of the 20.00 that were paid, 10.00 are due; the row itself is never below 0.
      await door.refundOne?.('A-1', 'r2', '50.00', undone);
      expect(await state(door, 'A-1')).toEqual(['unpaid', 0]);
      expect(await adjustments(shop)).toEqual([
        ['unpaid', -10],
        ['paid', 20],
      ]);
      expect([await shop.earnings(), await shop.service.verify()]).toEqual([[50, 30], []]);

      await door.refundOne?.('A-1', 'r1', '50.00', undone);
      expect(await adjustments(shop)).toEqual([['paid', 20]]);
      expect([await shop.earnings(), await shop.service.verify()]).toEqual([[60, 40], []]);
    },
  );

  it.each(['code', 'provider'] as const)(
    'two orders of a buyer, one disputed and one corrected, paid, taken back, won, undone and rejected (%s)',
    async (name) => {
      const shop = await startMoney();
      const door = shop.doors[name];
      /** Total and unpaid earnings, with books that balance. */
      const books = async (): Promise<unknown> => {
        expect(await shop.service.verify()).toEqual([]);
        return shop.earnings();
      };
      await door.order('A-1', { net: '100.00' });
      await door.order('A-2', { net: '50.00' });
      await shop.edit(await idOf(door, 'A-2'), { amount: 6 });
      const first = await shop.payOut();
      expect(await books()).toEqual([26, 0]);

      await door.dispute?.('A-1', 'opened');
      const [{ id: transaction }] = (await shop.admin.get(`/payouts/${first}/transactions`).expect(200)).body
        .transactions.data;
      const pay = `/payouts/${first}/transactions/${transaction}`;
      const refused = await shop.admin.patch(pay).send({ status: 'paid' }).expect(422);
      expect(refused.body.code).toBe('transaction_changed');
      await shop.admin.patch(pay).send({ status: 'paid', confirm: true }).expect(200);
      await door.refundOne?.('A-2', 'r1', '25.00');
      expect([await adjustments(shop), await books()]).toEqual([[['unpaid', -3]], [23, -3]]);
      await door.dispute?.('A-1', 'lost');
      expect(await books()).toEqual([3, -23]);

      // A negative rest is carried to the next run.
      const config = { title: 'Run', description: 'Run' };
      const nothing = await shop.admin.post('/payouts/process-payout').send({ config }).expect(422);
      expect(nothing.body.code).toBe('nothing_to_pay');
      await door.order('A-3', { net: '200.00', email: 'kim@buyer.test' });
      await shop.payOut();
      expect(await books()).toEqual([43, 0]);

      await door.dispute?.('A-1', 'won');
      expect(await books()).toEqual([63, 20]);
      await shop.admin.delete(pay).expect(200);
      // Due are 20.00, 3.00 and 40.00, of which the second run paid 17.00.
      expect([await state(door, 'A-1'), await state(door, 'A-2')]).toEqual([
        ['unpaid', 40],
        ['unpaid', 6],
      ]);
      expect(await books()).toEqual([63, 46]);

      const third = await shop.payOut();
      await shop.admin.delete(`/referrals/${String(await idOf(door, 'A-2'))}`).expect(422);
      await shop.admin.post(`/payouts/${third}/undo`).send({}).expect(200);
      const kept = await shop.admin.delete(`/referrals/${String(await idOf(door, 'A-2'))}`).expect(422);
      expect(kept.body.code).toBe('referral_locked'); // a payout has taken back 3.00 of it
      await shop.edit(await idOf(door, 'A-2'), { status: 'rejected' });
      expect(await books()).toEqual([60, 43]);
      await shop.payOut();
      expect(await books()).toEqual([60, 0]);
    },
  );

  it('two accounts of one person are merged while money is taken back, and a balance is corrected', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    const other = (await shop.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    const verified = async (): Promise<unknown> => {
      expect(await shop.service.verify()).toEqual([]);
      return shop.earnings();
    };
    await door.order('A-1', { net: '100.00' });
    await door.order('B-1', { net: '100.00', affiliate: other.id, email: 'kim@buyer.test' });
    const payout = await shop.payOut();
    await door.refund('B-1', '75.00');
    const open = await shop.admin.post(`/affiliates/${shop.affiliate.id}/merge`).send({ other_id: other.id });
    expect([open.status, open.body.code]).toEqual([422, 'merge_payout_open']);
    await shop.admin.patch(`/payouts/${payout}/transactions/bulk-action`).send({ confirm: true }).expect(200);
    await shop.admin.post(`/affiliates/${shop.affiliate.id}/merge`).send({ other_id: other.id }).expect(200);
    expect(await verified()).toEqual([25, -15]); // 20.00 and 5.00; 15.00 too much were paid

    await shop.admin
      .post(`/affiliates/${shop.affiliate.id}/balance-corrections`)
      .send({ amount: '17.50', reason: 'agreed by phone' })
      .expect(200);
    await door.refund('B-1', '100.00');
    expect(await verified()).toEqual([37.5, -2.5]);
    await door.order('A-2', { net: '50.00', email: 'lee@buyer.test' });
    const second = await shop.payOut();
    expect((await shop.admin.get(`/payouts/${second}`).expect(200)).body.payout.total_amount).toBe(7.5);
    await shop.undo(second);
    await door.refundUndone?.('B-1', '0.00');
    expect([await verified(), await adjustments(shop)]).toEqual([[67.5, 27.5], [['unpaid', 17.5]]]);
  });

  it('a correction between refunds holds until the shop takes more back', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00', paid: false });
    await door.refundOne?.('A-1', 'r1', '25.00');
    expect(await state(door, 'A-1')).toEqual(['pending', 15]);
    await shop.edit(await idOf(door, 'A-1'), { amount: '12.00' });
    await door.pay('A-1');
    await door.refundOne?.('A-1', 'r2', '25.00'); // 50.00 of the 75.00 that were left are left
    expect(await state(door, 'A-1')).toEqual(['unpaid', 8]);
    await door.refundOne?.('A-1', 'r1', '25.00', { undone: true });
    expect(await state(door, 'A-1')).toEqual(['unpaid', 12]);
    const payout = await shop.payOut();
    await door.refundOne?.('A-1', 'r2', '25.00', { undone: true }); // nothing raises a corrected amount
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[12, 0], []]);
    await door.cancel('A-1');
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[0, -12], [['unpaid', -12]]]);
    await shop.undo(payout);
    expect([await shop.earnings(), await adjustments(shop), await shop.service.verify()]).toEqual([
      [0, 0],
      [],
      [],
    ]);
  });

  it('payouts are undone around a dispute that is lost and won', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('B-1', { net: '100.00' });
    await door.order('B-2', { net: '50.00', email: 'kim@buyer.test' });
    const first = await shop.payOut(); // 30.00
    await door.dispute?.('B-1', 'opened');
    await door.refund('B-2', '50.00');
    await door.order('B-3', { net: '100.00', email: 'lee@buyer.test' });
    const second = await shop.payOut(); // 20.00 less 10.00
    await door.dispute?.('B-1', 'lost');
    expect(await shop.earnings()).toEqual([20, -20]);
    await shop.undo(first); // of the 20.00 that are due, 10.00 were paid
    expect(await shop.earnings()).toEqual([20, 10]);
    await door.dispute?.('B-1', 'won');
    expect(await shop.earnings()).toEqual([40, 30]);
    await shop.payOut();
    await shop.undo(second); // of the 40.00 that are due, 30.00 were paid
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([
      [40, 10],
      [
        ['unpaid', -10],
        ['paid', 10],
      ],
    ]);
    const { body } = await shop.admin.get(`/payouts/${await shop.payOut()}`).expect(200);
    expect([body.payout.total_amount, await shop.earnings(), await shop.service.verify()]).toEqual([
      10,
      [40, 0],
      [],
    ]);
  });

  it('rejected, refunded, approved, paid, given back and canceled, beside an order deleted and reported again', async () => {
    const shop = await startMoney();
    const { rest, code } = shop.doors;
    await rest.order('C-1', { net: '100.00' });
    await rest.cancel('C-1');
    await rest.refundOne?.('C-1', 'r1', '50.00');
    expect(await shop.earnings()).toEqual([0, 0]);
    await rest.pay('C-1');
    await shop.payOut(); // 10.00
    await rest.refundOne?.('C-1', 'r1', '50.00', { undone: true });
    expect(await shop.earnings()).toEqual([20, 10]);
    await rest.order('C-2', { net: '100.00' });
    await shop.admin.delete(`/referrals/${String(await idOf(rest, 'C-2'))}`).expect(200);
    expect(await code.order('C-2', { net: '100.00' })).toMatchObject({ referral: null, reason: 'deleted' });
    await code.cancel('C-1');
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[0, -10], [['unpaid', -10]]]);
    await code.order('C-3', { net: '100.00', email: 'mia@buyer.test' });
    await shop.payOut(); // 20.00 less 10.00
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[20, 0], []]);
  });

  it('another order is rejected while money is taken back, approved after an undo, and canceled', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00' });
    const first = await shop.payOut();
    await door.refundOne?.('A-1', 'r1', '50.00');
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    expect(await shop.earnings()).toEqual([30, 10]);
    await shop.edit(await idOf(door, 'A-2'), { status: 'rejected' });
    expect(await shop.earnings()).toEqual([10, -10]);
    await shop.undo(first);
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[10, 10], []]);
    await shop.edit(await idOf(door, 'A-2'), { status: 'unpaid' });
    await door.refundOne?.('A-1', 'r1', '50.00', { undone: true });
    expect(await shop.earnings()).toEqual([40, 40]);
    const second = await shop.payOut();
    await door.cancel('A-2');
    expect(await shop.earnings()).toEqual([20, -20]);
    await shop.undo(second);
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[20, 20], []]);
  });

  it('refunded during a dispute, won, corrected, paid, lost, undone, won again and deleted', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('B-1', { net: '100.00' });
    await door.dispute?.('B-1', 'opened');
    await door.refundOne?.('B-1', 'r1', '40.00');
    expect(await shop.earnings()).toEqual([0, 0]);
    await door.dispute?.('B-1', 'won');
    expect(await shop.earnings()).toEqual([12, 12]);
    await shop.edit(await idOf(door, 'B-1'), { amount: '15.00' });
    await door.refundOne?.('B-1', 'r2', '30.00'); // half of the 60.00 that were left
    expect(await shop.earnings()).toEqual([7.5, 7.5]);
    const payout = await shop.payOut();
    await door.dispute?.('B-1', 'opened');
    await door.dispute?.('B-1', 'lost');
    expect(await shop.earnings()).toEqual([0, -7.5]);
    await shop.undo(payout);
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[0, 0], []]);
    await door.dispute?.('B-1', 'won');
    expect(await shop.earnings()).toEqual([7.5, 7.5]);
    await shop.admin.delete(`/referrals/${String(await idOf(door, 'B-1'))}`).expect(200);
    await door.refundOne?.('B-1', 'r1', '40.00', { state: 'undone' });
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[0, 0], []]);
  });

  it('a refund is taken back after an undo, and later payouts around a lost dispute are undone', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('C-1', { net: '100.00' });
    const first = await shop.payOut();
    await door.refundOne?.('C-1', 'r1', '100.00');
    await door.order('C-2', { net: '100.00', email: 'kim@buyer.test' });
    await shop.edit(await idOf(door, 'C-2'), { status: 'rejected' });
    expect(await shop.earnings()).toEqual([0, -20]);
    await shop.undo(first);
    await shop.edit(await idOf(door, 'C-2'), { status: 'unpaid' });
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[20, 20], []]);
    const second = await shop.payOut();
    await door.refundOne?.('C-1', 'r1', '100.00', { state: 'undone' });
    expect(await shop.earnings()).toEqual([40, 20]);
    await shop.admin.delete(`/referrals/${String(await idOf(door, 'C-1'))}`).expect(200);
    await door.dispute?.('C-2', 'opened');
    expect(await shop.earnings()).toEqual([20, 0]);
    await door.dispute?.('C-2', 'lost');
    expect(await shop.earnings()).toEqual([0, -20]);
    await door.order('C-3', { net: '200.00', email: 'lee@buyer.test' });
    const third = await shop.payOut(); // 40.00 less 20.00
    await shop.undo(second); // of the 40.00 that are due, 20.00 were paid
    expect(await shop.earnings()).toEqual([40, 20]);
    await door.dispute?.('C-2', 'won');
    expect(await shop.earnings()).toEqual([60, 40]);
    await shop.undo(third);
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[60, 60], []]);
  });

  it('what one run took back is earned again, and the run before it is undone', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    const books = async (): Promise<unknown> => {
      expect(await shop.service.verify()).toEqual([]);
      return shop.earnings();
    };
    await door.order('A-1', { net: '100.00' });
    const first = await shop.payOut(); // 20.00
    await door.refundOne?.('A-1', 'r1', '50.00');
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    const second = await shop.payOut(); // 20.00 less 10.00
    expect((await shop.admin.get(`/payouts/${second}`).expect(200)).body.payout.total_amount).toBe(10);
    await shop.undo(second);
    expect(await books()).toEqual([30, 10]);
    await door.refundOne?.('A-1', 'r1', '50.00', { undone: true });
    expect([await books(), await adjustments(shop)]).toEqual([[40, 20], []]);
    await shop.payOut();
    await shop.undo(first);
    expect(await books()).toEqual([40, 20]);
    await door.refund('A-1', '100.00');
    expect([await books(), await state(door, 'A-1')]).toEqual([
      [20, 0],
      ['rejected', 0],
    ]);
    const config = { title: 'Run', description: 'Run' };
    const nothing = await shop.admin.post('/payouts/process-payout').send({ config }).expect(422);
    expect(nothing.body.code).toBe('nothing_to_pay');
  });

  it('balances are corrected both ways around two runs, of which the first is undone', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    const correct = (amount: string): Promise<unknown> =>
      Promise.resolve(
        shop.admin
          .post(`/affiliates/${shop.affiliate.id}/balance-corrections`)
          .send({ amount, reason: 'agreed' })
          .expect(200),
      );
    await door.order('A-1', { net: '100.00' });
    await correct('5.00');
    const first = await shop.payOut(); // 25.00
    await correct('-8.00');
    expect(await shop.earnings()).toEqual([17, -8]);
    await door.order('A-2', { net: '50.00', email: 'kim@buyer.test' });
    const second = await shop.payOut(); // 10.00 less 8.00
    expect((await shop.admin.get(`/payouts/${second}`).expect(200)).body.payout.total_amount).toBe(2);
    await shop.undo(first);
    expect(await shop.earnings()).toEqual([27, 25]);
    await shop.payOut();
    await door.cancel('A-2');
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[17, -10], []]);
  });

  it('a disputed order is refunded in part, won, paid, disputed again and lost', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('A-1', { net: '100.00' });
    await door.dispute?.('A-1', 'opened');
    await door.refundOne?.('A-1', 'r1', '40.00');
    await door.dispute?.('A-1', 'won');
    expect(await shop.earnings()).toEqual([12, 12]);
    await shop.payOut();
    await door.dispute?.('A-1', 'lost');
    expect(await shop.earnings()).toEqual([0, -12]);
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    const second = await shop.payOut(); // 20.00 less 12.00
    await shop.undo(second);
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[20, 8], [['unpaid', -12]]]);
    await door.dispute?.('A-1', 'won');
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[32, 20], []]);
  });

  it('a rejected order is refunded, approved and paid, and the refund is taken back', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00' });
    await shop.undo(await shop.payOut());
    const id = await idOf(door, 'A-1');
    await shop.edit(id, { status: 'rejected' });
    await door.refundOne?.('A-1', 'r1', '50.00');
    expect(await shop.earnings()).toEqual([0, 0]);
    await shop.edit(id, { status: 'unpaid' });
    expect(await shop.earnings()).toEqual([10, 10]);
    const second = await shop.payOut();
    await shop.admin.delete(`/referrals/${String(id)}`).expect(422);
    await door.refundOne?.('A-1', 'r1', '50.00', { undone: true });
    expect(await shop.earnings()).toEqual([20, 10]);
    await shop.undo(second);
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[20, 20], []]);
  });

  it('a person rejects and approves around a dispute, and what was lost is cancelled too', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('A-1', { net: '100.00' });
    const id = await idOf(door, 'A-1');
    await door.dispute?.('A-1', 'opened');
    await shop.edit(id, { status: 'rejected' });
    await door.dispute?.('A-1', 'won');
    expect(await shop.earnings()).toEqual([0, 0]);
    await shop.edit(id, { status: 'unpaid' });
    const payout = await shop.payOut();
    await door.dispute?.('A-1', 'lost');
    await door.cancel('A-1');
    expect([await shop.earnings(), await adjustments(shop)]).toEqual([[0, -20], [['unpaid', -20]]]);
    await shop.undo(payout);
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[0, 0], []]);
  });

  it('a debt is balanced by a correction and paid, and the run before it is undone', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00' });
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    const first = await shop.payOut(); // 40.00
    await door.refundOne?.('A-1', 'r1', '25.00');
    await door.cancel('A-2');
    await door.order('A-3', { net: '100.00', email: 'lee@buyer.test' });
    expect(await shop.earnings()).toEqual([35, -5]);
    await shop.admin
      .post(`/affiliates/${shop.affiliate.id}/balance-corrections`)
      .send({ amount: '10.00', reason: 'agreed' })
      .expect(200);
    await shop.payOut(); // 5.00
    expect(await shop.earnings()).toEqual([45, 0]);
    await shop.undo(first); // of the 45.00 that are due, 5.00 were paid
    expect(await shop.earnings()).toEqual([45, 40]);
    await shop.payOut();
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[45, 0], []]);
  });

  it('the earlier of two refunds is taken back after the payout, then all is cancelled and undone', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00' });
    await door.refundOne?.('A-1', 'r1', '25.00');
    const payout = await shop.payOut(); // 15.00
    await door.refundOne?.('A-1', 'r2', '25.00');
    expect(await shop.earnings()).toEqual([10, -5]);
    await door.refundOne?.('A-1', 'r1', '25.00', { undone: true });
    expect(await shop.earnings()).toEqual([15, 0]);
    await door.cancel('A-1');
    expect(await shop.earnings()).toEqual([0, -15]);
    await shop.undo(payout);
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[0, 0], []]);
  });

  it('a run is undone while a lost dispute and a refund are owed, and the dispute is won after the next', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('A-1', { net: '100.00' });
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    const first = await shop.payOut(); // 40.00
    await door.refund('A-1', '50.00');
    await door.dispute?.('A-2', 'opened');
    await door.dispute?.('A-2', 'lost');
    expect(await shop.earnings()).toEqual([10, -30]);
    await door.order('A-3', { net: '100.00', email: 'lee@buyer.test' });
    expect(await shop.earnings()).toEqual([30, -10]);
    await shop.undo(first);
    expect(await shop.earnings()).toEqual([30, 30]);
    await shop.payOut();
    await door.dispute?.('A-2', 'won');
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[50, 20], []]);
  });

  it('a correction outlasts its order: refunded, undone, the other rejected and approved, the refund taken back', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00' });
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    await shop.admin
      .post(`/affiliates/${shop.affiliate.id}/balance-corrections`)
      .send({ amount: '-10.00', reason: 'agreed' })
      .expect(200);
    const first = await shop.payOut(); // 30.00
    await door.refundOne?.('A-1', 'r1', '100.00');
    expect(await shop.earnings()).toEqual([10, -20]);
    await shop.undo(first);
    expect(await shop.earnings()).toEqual([10, 10]);
    const other = await idOf(door, 'A-2');
    await shop.edit(other, { status: 'rejected' });
    expect(await shop.earnings()).toEqual([-10, -10]);
    await shop.edit(other, { status: 'unpaid' });
    const second = await shop.payOut(); // 10.00
    await door.refundOne?.('A-1', 'r1', '100.00', { undone: true });
    expect(await shop.earnings()).toEqual([30, 20]);
    await shop.undo(second);
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[30, 30], []]);
  });
});

describe('long stories of what people delete, hold and approve', () => {
  it('neither an adjustment nor a deleted commission is worth more than the facts say', async () => {
    const shop = await startMoney();
    const door = shop.doors.code;
    await door.order('A-1', { net: '100.00' });
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    const run = await shop.payOut(); // 40.00
    await door.refund('A-1', '50.00');
    const taken = (await shop.referrals()).find((row) => row['type'] === 'adjustment')!;
    await shop.admin.delete(`/referrals/${String(taken['id'])}`).expect(422);
    await shop.admin
      .patch(`/referrals/${String(taken['id'])}`)
      .send({ amount: '-3.00' })
      .expect(422);
    await door.refund('A-1', '75.00');
    expect(await shop.earnings()).toEqual([25, -15]);
    await shop.undo(run);
    expect(await shop.earnings()).toEqual([25, 25]);
    await shop.admin.delete(`/referrals/${String(await idOf(door, 'A-1'))}`).expect(200);
    expect(await door.refund('A-1', '80.00')).toMatchObject({ changed: false, reason: 'deleted' });
    await shop.payOut();
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[20, 0], []]);
  });

  it('approved unpaid, failed, bought, disputed, won, corrected, paid, refunded, cancelled, and two runs undone', async () => {
    const shop = await startMoney();
    const door = shop.doors.provider;
    await door.order('A-1', { net: '100.00', paid: false });
    const id = await idOf(door, 'A-1');
    await shop.edit(id, { status: 'unpaid' });
    expect(await shop.earnings()).toEqual([20, 20]);
    await door.fail?.('A-1');
    expect(await shop.earnings()).toEqual([0, 0]);
    await door.pay('A-1');
    await door.dispute?.('A-1', 'opened');
    expect(await state(door, 'A-1')).toEqual(['pending', 20]);
    await door.dispute?.('A-1', 'won');
    await shop.edit(id, { amount: '8.00' });
    const first = await shop.payOut(); // 8.00
    await door.refund('A-1', '25.00');
    expect(await shop.earnings()).toEqual([6, -2]);
    await door.cancel('A-1');
    await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
    const second = await shop.payOut(); // 12.00
    expect(await shop.earnings()).toEqual([20, 0]);
    await shop.undo(first);
    expect(await shop.earnings()).toEqual([20, 8]); // of the 20.00 that are due, 12.00 were paid
    await shop.undo(second);
    expect(await shop.earnings()).toEqual([20, 20]);
    await shop.edit(id, { status: 'unpaid' }); // approved in spite of the cancellation, less the refund
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[26, 26], []]);
  });
});

describe('long stories of subscriptions: the first payment earns 20.00, each renewal 10.00', () => {
  const FIRST = { net: '100.00', subscription: { id: 'sub' } };
  const RENEWAL = { net: '100.00', subscription: { id: 'sub', phase: 'renewal' } } as const;

  async function startSubscription(): Promise<{ shop: MoneyShop; door: Door }> {
    const shop = await startMoney();
    await configure(shop, {
      enable_subscription_renewal: 'yes',
      renewal_rate: 10,
      renewal_rate_type: 'percentage',
      max_renewal_count: 0,
    });
    const door = shop.doors.code;
    await door.order('S-1', FIRST);
    await door.order('S-2', RENEWAL);
    return { shop, door };
  }

  it('the first payment is refunded after a run, renewed, the run and the refund undone, paid and cancelled', async () => {
    const { shop, door } = await startSubscription();
    const run = await shop.payOut(); // 30.00
    await door.refundOne?.('S-1', 'r1', '100.00');
    expect(await shop.earnings()).toEqual([10, -20]);
    await door.order('S-3', RENEWAL);
    // A refund takes back only its own payment.
    expect([await state(door, 'S-3'), await shop.earnings()]).toEqual([
      ['unpaid', 10],
      [20, -10],
    ]);
    await shop.undo(run);
    expect([await state(door, 'S-2'), await shop.earnings()]).toEqual([
      ['unpaid', 10],
      [20, 20],
    ]);
    await door.refundOne?.('S-1', 'r1', '100.00', { undone: true });
    expect(await shop.earnings()).toEqual([40, 40]);
    await shop.payOut();
    await door.cancel('S-1');
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[20, -20], []]);
  });

  it('the first payment is disputed, won, paid, lost, undone, and people decide about each payment', async () => {
    const { shop, door } = await startSubscription();
    await door.dispute?.('S-1', 'opened');
    await shop.edit(await idOf(door, 'S-2'), { status: 'unpaid' });
    expect([await state(door, 'S-2'), await shop.earnings()]).toEqual([
      ['pending', 10], // no person can end a dispute
      [0, 0],
    ]);
    await door.order('S-3', RENEWAL);
    await shop.edit(await idOf(door, 'S-3'), { status: 'rejected' });
    await door.dispute?.('S-1', 'won');
    expect(await shop.earnings()).toEqual([30, 30]);
    const run = await shop.payOut();
    await door.dispute?.('S-1', 'opened');
    await door.dispute?.('S-1', 'lost');
    expect(await shop.earnings()).toEqual([10, -20]);
    await shop.undo(run);
    expect(await shop.earnings()).toEqual([0, 0]);
    await shop.edit(await idOf(door, 'S-3'), { status: 'unpaid' });
    expect(await shop.earnings()).toEqual([10, 10]);
    await shop.edit(await idOf(door, 'S-1'), { status: 'unpaid' });
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[40, 40], []]);
  });

  it('a corrected renewal is rejected with the first payment, comes back, is paid, refunded and undone', async () => {
    const { shop, door } = await startSubscription();
    await shop.edit(await idOf(door, 'S-2'), { amount: '6.00' });
    await shop.edit(await idOf(door, 'S-1'), { status: 'rejected' });
    expect([await state(door, 'S-2'), await shop.earnings()]).toEqual([
      ['rejected', 6],
      [0, 0],
    ]);
    await shop.edit(await idOf(door, 'S-1'), { status: 'unpaid' });
    const run = await shop.payOut(); // 26.00
    await door.refundOne?.('S-2', 'r2', '50.00');
    expect(await shop.earnings()).toEqual([23, -3]);
    await door.dispute?.('S-1', 'lost');
    expect(await shop.earnings()).toEqual([3, -23]);
    await shop.undo(run);
    expect(await shop.earnings()).toEqual([0, 0]);
    await door.dispute?.('S-1', 'won');
    expect([await shop.earnings(), await shop.service.verify()]).toEqual([[23, 23], []]);
  });

  it.each([
    ['won', [undefined, undefined], [0, 0]],
    ['lost', [undefined, undefined], [0, 0]],
  ] as const)(
    'a person deletes the disputed first payment, which ends its renewals, and it is %s',
    async (word, ...then) => {
      const { shop, door } = await startSubscription();
      const remove = async (reference: string): Promise<unknown> =>
        shop.admin.delete(`/referrals/${String(await idOf(door, reference))}`).expect(200);
      await door.dispute?.('S-1', 'opened');
      await remove('S-1');
      await door.order('S-3', RENEWAL);
      await remove('S-2');
      expect([await state(door, 'S-3'), await shop.earnings()]).toEqual([
        [undefined, undefined],
        [0, 0],
      ]);
      await door.dispute?.('S-1', word);
      expect([await state(door, 'S-3'), await shop.earnings()]).toEqual(then);
      expect(await shop.service.verify()).toEqual([]);
    },
  );

  it('a renewal that is refunded takes nothing from the one that names it', async () => {
    const { shop, door } = await startSubscription();
    await shop.service.conversions.record(null, {
      provider: 'shop',
      reference: 'S-3',
      type: 'sale',
      status: 'unpaid',
      order: { subtotal: '100.00' },
      customer: { email: 'jo@buyer.test' },
      subscription: { id: 'sub', phase: 'renewal', parent_id: Number(await idOf(door, 'S-2')) },
    });
    await door.refundOne?.('S-2', 'r1', '100.00');
    expect([await state(door, 'S-3'), await shop.earnings()]).toEqual([
      ['unpaid', 10],
      [30, 30],
    ]);
    await shop.edit(await idOf(door, 'S-1'), { status: 'rejected' });
    expect([await state(door, 'S-3'), await shop.earnings()]).toEqual([
      ['rejected', 10],
      [0, 0],
    ]);
    expect(await shop.service.verify()).toEqual([]);
  });
});
