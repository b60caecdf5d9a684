import { describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../src/core/duration.js';
import { startApp } from '../support/app.js';
import { testPayer } from '../support/payer.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { storedText } from '../support/rows.js';

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
  expect(await storedText(t, 'payout_payees')).not.toContain('pay.test'); // also under other keys
});

describe('details that an affiliate entered for one method', () => {
  const form = {
    label: 'Wallet',
    schema: { wallet: { label: 'Wallet' } },
    mask: ({ wallet = '' }: Readonly<Record<string, string>>) => `…${wallet.slice(-2)}`,
  };

  async function wallets(prepared: unknown[] = []) {
    let clock = (): number => 0;
    const payer = testPayer(() => clock(), {
      details: form,
      prepare: ({ lines }) => {
        prepared.push(...lines.map(({ details, paid_to }) => [details, paid_to]));
        return { kind: 'document', name: 'pay.txt', contentType: 'text/plain', text: '' };
      },
    });
    const t = await startApp({ payouts: { methods: [payer] } });
    clock = () => t.clock.now();
    await t.admin
      .post('/settings/payers/sending')
      .send({ offered: ['desk'] })
      .expect(200);
    const { id: alice } = await affiliate(t, 2);
    const enter = (wallet: string) =>
      t.as(2).post('/portal/payout-methods/desk').send({ details: { wallet } }).expect(200);
    await enter('wallet-01');
    await earn(t, alice, 1000);
    const payout = async (): Promise<number> =>
      ((await t.records.payout({ ...FORM, payout_method: 'desk' })) as { id: number }).id;
    const listed = async (id: number) =>
      (await t.admin.get(`/payouts/${id}/transactions`).expect(200)).body.transactions.data[0];
    const press = (id: number, more: object = {}) =>
      t.admin.post(`/payouts/${id}/send`).send({ method: 'desk', count: 1, amount: 10, ...more });
    const work = async (): Promise<void> => {
      await t.app.payers.calls.run();
      t.clock.advance(2 * MINUTE);
      await t.app.payers.following.run();
    };
    return { t, payer, alice, enter, payout, listed, press, work };
  }

  it('are those of the run: shown, exported, and paid after a person confirms', async () => {
    const prepared: unknown[] = [];
    const { t, payer, enter, payout, listed, press, work } = await wallets(prepared);
    const id = await payout();
    expect(await listed(id)).toMatchObject({ paid_to: '…01', payee_changed: false });
    await enter('wallet-01');
    expect(await listed(id)).toMatchObject({ payee_changed: false });

    await enter('wallet-02');
    expect(await listed(id)).toMatchObject({ paid_to: '…01', payee_changed: true });
    const csv = (await t.admin.get(`/payouts/${id}/transactions-export`).expect(200)).text;
    expect(csv).toMatch(/paid_to,payee_changed\r?\n.*…01,yes/u);
    await t.admin.get(`/payouts/${id}/transactions-export?method=desk`).expect(200);
    expect(prepared).toEqual([[{ wallet: 'wallet-01' }, '…01']]);
    expect((await press(id).expect(422)).body.code).toBe('nothing_to_send');
    const { plan } = (await t.admin.get(`/payouts/${id}/send?method=desk`).expect(200)).body;
    expect(plan.left_out).toMatchObject([{ code: 'payee_changed' }]);
    await press(id, { confirm: true }).expect(200);
    payer.arrives = 'paid';
    await work();
    expect([...payer.books.values()].map(({ to }) => to)).toEqual([{ wallet: 'wallet-01' }]);
    expect(await listed(id)).toMatchObject({ status: 'paid', paid_to: '…01', payee_changed: false });
    const statement = (
      await t
        .as(2)
        .get(`/portal/payments/${(await listed(id)).id}`)
        .expect(200)
    ).body;
    expect(statement).toMatchObject({ payee: { details: '…01' }, sent: { to: '…01' } });
  });

  it('can be taken anew', async () => {
    const { t, payer, enter, payout, listed, press, work } = await wallets();
    const id = await payout();
    await enter('wallet-02');
    const { id: transaction } = await listed(id);
    await t.admin.post(`/payouts/${id}/transactions/${transaction}/payee`).send({}).expect(200);
    expect(await listed(id)).toMatchObject({ paid_to: '…02', payee_changed: false });
    await press(id).expect(200);
    await work();
    expect([...payer.books.values()].map(({ to }) => to)).toEqual([{ wallet: 'wallet-02' }]);
  });

  it('that changed since the last payment are named by the preview of the next one', async () => {
    const { t, alice, enter, payout } = await wallets();
    const preview = async () =>
      (
        await t.admin
          .post('/payouts/validate-payout-config')
          .send({ config: { ...FORM, payout_method: 'desk' } })
          .expect(200)
      ).body;
    expect((await preview()).payable_affiliates).toMatchObject([{ paid_to: '…01' }]);
    await payout();
    await earn(t, alice, 1000);
    expect((await preview()).warnings).toEqual([]);
    await enter('wallet-02');
    const after = await preview();
    expect(after.payable_affiliates).toMatchObject([{ id: alice, paid_to: '…02' }]);
    expect(after.warnings).toEqual([{ affiliate_id: alice, code: 'payee_changed' }]);
  });

  it('are forgotten with the affiliate', async () => {
    const { t, payout } = await wallets();
    await payout();
    expect(await storedText(t, 'payout_payee_forms')).toContain('…01');
    await t.service.users.deleted(2);
    expect(await storedText(t, 'payout_payee_forms')).toBe('[[]]');
  });
});
