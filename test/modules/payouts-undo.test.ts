import { expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';

/** One payout of three affiliates: 50.00 in two referrals, 7.00 and 9.00. */
async function madePayout(): Promise<{ t: TestApp; id: number; transactions: number[] }> {
  const t = await startApp();
  const people = [await affiliate(t, 2), await affiliate(t, 3), await affiliate(t, 4)];
  await earn(t, people[0]!.id, 3000);
  await earn(t, people[0]!.id, 2000);
  await earn(t, people[1]!.id, 700);
  await earn(t, people[2]!.id, 900);
  const { id } = await t.records.payout(FORM);
  const { body } = await t.admin.get(`/payouts/${id}/transactions?order_type=ASC`).expect(200);
  return { t, id, transactions: body.transactions.data.map((row: { id: number }) => row.id) };
}

it('says what it releases, and releases it in one press', async () => {
  const { t, id } = await madePayout();

  const { body: before } = await t.admin.get(`/payouts/${id}/undo`).expect(200);
  expect(before.undo).toEqual({
    currency: 'USD',
    transactions_count: 3,
    total_amount: 66,
    referrals_count: 4,
    not_due_amount: 0,
    paid_count: 0,
    paid_amount: 0,
  });

  const { body } = await t.admin.post(`/payouts/${id}/undo`).send({}).expect(200);
  expect(body).toMatchObject({
    released_count: 3,
    released_amount: 66,
    left_out: [],
    next_after_id: null,
    processing_count: 0,
    payout: { id, total_amount: 0, transactions_count: 0 },
  });
  const { payout } = (await t.admin.get(`/payouts/${id}`).expect(200)).body;
  expect(payout.was).toMatchObject({
    total_amount: 66,
    transactions_count: 3,
    referrals_count: 4,
    undone_at: expect.any(String),
    undone_by: { ID: 1 },
  });
  expect((await t.records.payout()).total_amount).toBe(66); // all of it is due again
  expect(await t.service.verify()).toEqual([]);
});

it('leaves what is paid, and names what an extension keeps', async () => {
  const { t, id, transactions } = await madePayout();
  const [paid, kept] = transactions;
  await t.admin.patch(`/payouts/${id}/transactions/${paid}`).send({ status: 'paid' }).expect(200);
  t.service.hooks.addAction('payout/transaction/deleting', (transaction) => {
    if (transaction.id === kept) throw new HookVeto('Sent to the bank already.');
  });

  const { body: before } = await t.admin.get(`/payouts/${id}/undo`).expect(200);
  expect(before.undo).toMatchObject({
    transactions_count: 2,
    total_amount: 16,
    paid_count: 1,
    paid_amount: 50,
  });
  const { body } = await t.admin.post(`/payouts/${id}/undo`).send({}).expect(200);

  expect(body).toMatchObject({
    released_count: 1,
    released_amount: 9,
    left_out: [
      { transaction_id: kept, amount: 7, code: 'hook_aborted', message: 'Sent to the bank already.' },
    ],
    processing_count: 1,
    payout: { total_amount: 57, status: 'processing' },
  });
  const { body: again } = await t.admin.post(`/payouts/${id}/undo`).send({ after_id: kept }).expect(200);
  expect(again).toMatchObject({ released_count: 0, next_after_id: null });
  expect(await t.service.verify()).toEqual([]);
});

it('releases each one once, however often it is pressed at the same time', async () => {
  const { t, id } = await madePayout();

  const answers = await Promise.all(
    Array.from({ length: 4 }, () => t.admin.post(`/payouts/${id}/undo`).send({}).expect(200)),
  );

  const sum = answers.reduce((total, { body }) => total + body.released_amount, 0);
  expect(sum).toBe(66);
  expect(await t.service.verify()).toEqual([]);
});

it('keeps how far it is for everybody until the last payment was looked at', async () => {
  const t = await startApp();
  const people = Array.from({ length: 205 }, (_, at) => at + 100);
  for (const user of people) {
    t.host.addUser({ id: user, login: `u${user}`, email: `u${user}@shop.test` });
    await earn(t, (await affiliate(t, user)).id, 100);
  }
  const { id } = await t.records.payout(FORM);
  const running = async (): Promise<Record<string, unknown>[]> =>
    (await t.admin.get('/payouts/running').expect(200)).body.works;
  const kept = (await t.admin.get(`/payouts/${id}/transactions?per_page=1&order_type=ASC`).expect(200)).body
    .transactions.data[0].id as number;
  const veto = t.service.hooks.addAction('payout/transaction/deleting', (transaction) => {
    if (transaction.id === kept) throw new HookVeto('Sent to the bank already.');
  });
  expect(await running()).toEqual([]);

  const { body: first } = await t.admin.post(`/payouts/${id}/undo`).send({}).expect(200);

  expect(first.next_after_id).toBeGreaterThan(0);
  expect(await running()).toMatchObject([
    {
      kind: 'undo',
      payout_id: id,
      running: true,
      done: 200,
      total: 205,
      next_after_id: first.next_after_id,
      left_out: [{ transaction_id: kept, message: 'Sent to the bank already.' }],
    },
  ]);
  t.clock.advance(60_000);
  expect(await running()).toMatchObject([{ running: false, done: 200 }]); // left, to be gone on with
  const { body: state } = await t.admin.get('/system/state').expect(200);
  expect(state.works).toMatchObject([{ kind: 'payout_undo', payout_id: id, done: 200, total: 205 }]);

  veto();
  await t.admin.post(`/payouts/${id}/undo`).send({ after_id: first.next_after_id }).expect(200);
  expect(await running()).toEqual([]);
});
