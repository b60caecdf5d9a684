import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';

type Started = Awaited<ReturnType<typeof startApp>>;

async function run(): Promise<Started & { alice: number; payout: number; transaction: number }> {
  const t = await startApp();
  const alice = (await t.records.affiliate({
    user_id: 2,
    status: 'active',
    payment_email: 'first@pay.test',
  })) as { id: number };
  await t.records.referral({ affiliate_id: alice.id, amount: '5.00', status: 'unpaid' });
  const { id } = (await t.records.payout({ payout_method: 'paypal' })) as { id: number };
  const { body } = await t.admin.get(`/payouts/${id}/transactions`).expect(200);
  return { ...t, alice: alice.id, payout: id, transaction: body.transactions.data[0].id };
}

const file = async (t: Started, payout: number): Promise<string> =>
  (await t.admin.get(`/payouts/${payout}/transactions-export?method=paypal`).expect(200)).text;
const shown = async (t: Started, payout: number): Promise<boolean> =>
  (await t.admin.get(`/payouts/${payout}/transactions`).expect(200)).body.transactions.data[0].payee_changed;

it('pays where the affiliate wanted the money when the payout was run; a change is shown and asked about', async () => {
  const t = await run();
  expect(await shown(t, t.payout)).toBe(false);
  await t.admin.patch(`/affiliates/${t.alice}`).send({ payment_email: 'second@pay.test' }).expect(200);

  expect(await file(t, t.payout)).toContain('first@pay.test');
  expect(await file(t, t.payout)).not.toContain('second@pay.test');
  expect(await shown(t, t.payout)).toBe(true);
  const at = `/payouts/${t.payout}/transactions`;
  const { body } = await t.admin.patch(`${at}/${t.transaction}`).send({ status: 'paid' }).expect(422);
  expect(body.code).toBe('payee_changed');
  const bulk = await t.admin.patch(`${at}/bulk-action`).send({}).expect(200);
  expect(bulk.body.left_out).toMatchObject([{ transaction_id: t.transaction, code: 'payee_changed' }]);

  await t.admin.post(`${at}/${t.transaction}/payee`).send({}).expect(200);
  expect(await shown(t, t.payout)).toBe(false);
  expect(await file(t, t.payout)).toContain('second@pay.test');
  await t.admin.patch(`${at}/${t.transaction}`).send({ status: 'paid' }).expect(200);
  await t.admin.post(`${at}/${t.transaction}/payee`).send({}).expect(422);
});

it('marks paid after a change when a person confirms it', async () => {
  const t = await run();
  await t.admin.patch(`/affiliates/${t.alice}`).send({ payment_email: 'second@pay.test' }).expect(200);
  await t.admin
    .patch(`/payouts/${t.payout}/transactions/${t.transaction}`)
    .send({ status: 'paid', confirm: true })
    .expect(200);
  expect(await shown(t, t.payout)).toBe(false);
});

it('forgets the payee with the affiliate', async () => {
  const t = await run();
  await t.service.users.deleted(2);
  expect(JSON.stringify(await t.app.db('payout_payees').select('*'))).not.toContain('pay.test');
});
