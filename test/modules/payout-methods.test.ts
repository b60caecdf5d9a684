import { describe, expect, it } from '@jest/globals';
import type { PaymentBatch, PayoutMethod, PayoutTransaction } from '../../src/accounting/payouts/types.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';

interface Made {
  readonly t: TestApp;
  readonly payoutId: number;
  /** Transactions of alice (with an address), bob (with bank details), carol (with neither). */
  readonly ids: readonly number[];
  readonly affiliates: readonly number[];
}

async function madePayout(config: object, options: TestOptions = {}): Promise<Made> {
  const t = await startApp(options);
  const people = [
    await affiliate(t, 2),
    await affiliate(t, 3, { payment_email: '', bank_details: 'IBAN DE89370400440532013000' }),
    await affiliate(t, 4, { payment_email: '' }),
  ];
  for (const [at, { id }] of people.entries()) await earn(t, id, 1000 * (at + 1));
  const payout = await t.records.payout({ ...FORM, ...config });
  const { body } = await t.admin.get(
    `/payouts/${payout.id}/transactions?order_by=affiliate_id&order_type=ASC`,
  );
  return {
    t,
    payoutId: payout.id,
    ids: body.transactions.data.map((row: { id: number }) => row.id),
    affiliates: people.map(({ id }) => id),
  };
}

/** A bank's own file, as a host would add it. */
function wire(
  over: Partial<PayoutMethod> = {},
): PayoutMethod & { readonly acknowledged: number[]; readonly failed: string[] } {
  const acknowledged: number[] = [];
  const failed: string[] = [];
  return {
    key: 'sepa',
    title: 'SEPA',
    details: 'bank_details',
    prepare: ({ payout, lines }: PaymentBatch) => ({
      kind: 'document',
      name: `pain-${payout.id}.xml`,
      contentType: 'application/xml',
      text: lines.map((line) => `<Tx id="${line.transaction.id}">${line.amount}</Tx>`).join(''),
    }),
    acknowledge: (transaction: PayoutTransaction) => {
      acknowledged.push(transaction.id);
    },
    fail: (_transaction: PayoutTransaction, cause: string) => {
      failed.push(cause);
    },
    acknowledged,
    failed,
    ...over,
  };
}

describe('payout methods', () => {
  it("are listed, the host's own first and in place of a built-in one", async () => {
    const t = await startApp({
      payouts: { methods: [wire(), wire({ key: 'paypal', title: 'PayPal API' })] },
    });

    expect((await t.admin.get('/payouts/methods').expect(200)).body.methods).toEqual([
      { key: 'sepa', title: 'SEPA', details: 'bank_details', sandbox: false },
      { key: 'paypal', title: 'PayPal API', details: 'bank_details', sandbox: false },
      { key: 'manual', title: 'Manual', details: null, sandbox: false },
      { key: 'bank', title: 'Bank transfer list', details: 'bank_details', sandbox: false },
    ]);
  });

  it('are named by the run, stored on payout and transactions, and called when a payment ends', async () => {
    const sepa = wire();
    const { t, payoutId, ids } = await madePayout(
      { payout_method: 'sepa' },
      { payouts: { methods: [sepa] } },
    );
    const { payout } = (await t.admin.get(`/payouts/${payoutId}`).expect(200)).body;
    const { transactions } = (await t.admin.get(`/payouts/${payoutId}/transactions`).expect(200)).body;
    expect([
      payout.payout_method,
      ...transactions.data.map((row: PayoutTransaction) => row.payout_method),
    ]).toEqual(Array.from({ length: 4 }, () => 'sepa'));

    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[1]}`).send({ status: 'paid' }).expect(200);
    await t.service.payouts.failTransaction(ids[1]!, 'account closed');

    expect([sepa.acknowledged, sepa.failed]).toEqual([[ids[1]], ['account closed']]);
  });

  it('that are not known are refused by preview and run', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 500);
    for (const path of ['validate-payout-config', 'process-payout']) {
      const { body } = await t.admin
        .post(`/payouts/${path}`)
        .send({ config: { ...FORM, payout_method: 'pigeon' } })
        .expect(422);
      expect(body.errors).toEqual({
        payout_method: { in: expect.stringMatching(/^The payout method must be one of: .*manual/) },
      });
    }
    expect((await t.records.payout({ ...FORM, payout_method: '' })).payout_method).toBe('manual');
  });

  it('decide whose details the preview misses', async () => {
    const t = await startApp();
    const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3, { payment_email: '' })];
    for (const { id } of [alice, bob]) await earn(t, id, 500);
    const missing = async (method: string): Promise<number[]> => {
      const { body } = await t.admin
        .post('/payouts/validate-payout-config')
        .send({ config: { ...FORM, payout_method: method } })
        .expect(200);
      return body.warnings.map((row: { affiliate_id: number }) => row.affiliate_id);
    };

    expect(await missing('paypal')).toEqual([bob.id]);
    expect(await missing('bank')).toEqual([alice.id, bob.id]);
  });
});

describe('affiliates who cannot be paid in the way of the payout', () => {
  it('are named for each method, with what they would get', async () => {
    const { t, payoutId, ids, affiliates } = await madePayout({ payout_method: 'paypal' });

    const { methods } = (await t.admin.get(`/payouts/${payoutId}/methods`).expect(200)).body;

    expect(methods.map(({ left_out: _, ...method }: { left_out: unknown }) => method)).toEqual([
      {
        key: 'manual',
        title: 'Manual',
        details: null,
        transactions_count: 3,
        total_amount: 60,
        left_out_count: 0,
        left_out_amount: 0,
      },
      {
        key: 'paypal',
        title: 'PayPal mass payment file',
        details: 'payment_email',
        transactions_count: 1,
        total_amount: 10,
        left_out_count: 2,
        left_out_amount: 50,
      },
      {
        key: 'bank',
        title: 'Bank transfer list',
        details: 'bank_details',
        transactions_count: 1,
        total_amount: 20,
        left_out_count: 2,
        left_out_amount: 40,
      },
    ]);
    expect(methods[1].left_out).toMatchObject([
      {
        transaction_id: ids[1],
        affiliate_id: affiliates[1],
        amount: 20,
        code: 'missing_payment_details',
        affiliate: { id: affiliates[1] },
      },
      { transaction_id: ids[2], affiliate_id: affiliates[2], amount: 30, affiliate: { id: affiliates[2] } },
    ]);
    await t.admin.get('/payouts/99/methods').expect(404);
  });

  it('are not in the file, which says how many, and stay open when all are marked paid', async () => {
    const { t, payoutId, ids } = await madePayout({ payout_method: 'paypal' });
    const bulk = async (): Promise<Record<string, unknown>> =>
      (await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}).expect(200)).body;

    const file = await t.admin.get(`/payouts/${payoutId}/transactions-export?method=paypal`).expect(200);
    expect(file.headers).toMatchObject({ 'x-export-total': '1', 'x-export-left-out': '2' });

    const first = await bulk();
    expect(first).toMatchObject({
      processing_count: 0,
      left_out_count: 2,
      left_out: [
        { transaction_id: ids[1], amount: 20, code: 'missing_payment_details' },
        { transaction_id: ids[2], amount: 30 },
      ],
    });
    expect((await t.app.payouts.get(payoutId)).status).toBe('processing');
    expect(await bulk()).toMatchObject({ processing_count: 0, left_out_count: 2 });
    const { body } = await t.admin.get(`/payouts/${payoutId}/transactions?order_type=ASC`).expect(200);
    expect(body.transactions.data.map((row: { status: string }) => row.status)).toEqual([
      'paid',
      'processing',
      'processing',
    ]);

    // paid some other way
    await t.admin.patch(`/payouts/${payoutId}/transactions/${ids[1]}`).send({ status: 'paid' }).expect(200);
    expect(await bulk()).toMatchObject({ left_out_count: 1 });
    const late = await t.service.affiliates.findByUser(4);
    await t.admin.patch(`/affiliates/${late?.id}`).send({ payment_email: 'late@shop.test' }).expect(200);
    expect(await bulk()).toMatchObject({ left_out_count: 0, message: 'Payments marked as paid.' });
    expect((await t.app.payouts.get(payoutId)).status).toBe('paid');
  });

  it('are none when the money is handed out by hand', async () => {
    const { t, payoutId } = await madePayout({});
    const { body } = await t.admin
      .patch(`/payouts/${payoutId}/transactions/bulk-action`)
      .send({})
      .expect(200);
    expect(body).toMatchObject({ left_out_count: 0, left_out: [] });
    expect((await t.app.payouts.get(payoutId)).status).toBe('paid');
  });
});

describe('files of a method', () => {
  it('that are documents come whole and once', async () => {
    const { t, payoutId, ids } = await madePayout({}, { payouts: { methods: [wire()] } });
    const part = (number: number): Promise<{ text: string; status: number; body: { code?: string } }> =>
      t.admin
        .get(`/payouts/${payoutId}/transactions-export?method=sepa&part=${number}`)
        .buffer(true)
        .parse(readText);

    const first = await part(1);
    expect([first.status, first.body]).toEqual([200, `<Tx id="${ids[1]}">20.00</Tx>`]);
    const second = await t.admin
      .get(`/payouts/${payoutId}/transactions-export?method=sepa&part=2`)
      .expect(404);
    expect(second.body.code).toBe('payment_file_part_not_found');
  });

  it('that are tables are split, and end with the last part', async () => {
    const rows = wire({
      details: undefined as never,
      prepare: ({ lines }) => ({
        kind: 'csv',
        name: 'bank.csv',
        contentType: 'text/csv',
        header: true,
        columns: ['id', 'amount'],
        rows: lines.map(({ transaction, amount }) => ({ id: transaction.id, amount })),
        maxRows: 2,
      }),
    });
    const { t, payoutId, ids } = await madePayout({}, { payouts: { methods: [rows] } });
    const address = `/payouts/${payoutId}/transactions-export?method=sepa&order_type=ASC`;

    const first = await t.admin.get(address).expect(200);
    expect(first.text).toBe(`id,amount\n${ids[0]},10.00\n${ids[1]},20.00\n`);
    expect(first.headers).toMatchObject({
      'x-export-parts': '2',
      'x-export-total': '3',
      'x-export-left-out': '0',
    });
    expect((await t.admin.get(`${address}&part=2`).expect(200)).text).toBe(`id,amount\n${ids[2]},30.00\n`);
    await t.admin.get(`${address}&part=3`).expect(404);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('vault is closed');
      },
    ],
    ['answers no file', () => ({ name: 'x' }) as never],
  ])('are no fault of the request when the method %s', async (_case, prepare) => {
    const { t, payoutId } = await madePayout({}, { payouts: { methods: [wire({ prepare })] } });
    const { body } = await t.admin.get(`/payouts/${payoutId}/transactions-export?method=sepa`).expect(502);
    expect(body.code).toBe('payout_method_failed');
    expect(JSON.stringify(body)).not.toContain('vault');
  });
});

describe('four eyes', () => {
  const mark = (t: TestApp, user: number, payoutId: number): Promise<{ status: number }> =>
    t.as(user).patch(`/payouts/${payoutId}/transactions/bulk-action`).send({});

  it('count what one user makes in 24 hours, however it is cut', async () => {
    const t = await startApp({ payouts: { approvalAbove: 100 } });
    t.host.grant(5, 'manage_options');
    const { id } = await affiliate(t, 2);
    const made = async (amount: number): Promise<number> => {
      await earn(t, id, amount);
      return (await t.records.payout(FORM)).id;
    };
    const first = await made(6000);
    expect((await mark(t, 1, first)).status).toBe(200);
    const second = await made(4100);
    expect((await mark(t, 1, second)).status).toBe(403);
    expect((await mark(t, 5, second)).status).toBe(200);

    t.clock.advance(86_400_000);
    const nextDay = await made(9000);
    expect((await mark(t, 1, nextDay)).status).toBe(200);
    await earn(t, id, 9000, { currency: 'EUR' });
    const euros = await t.records.payout({ ...FORM, currency: 'EUR' });
    expect((await mark(t, 1, euros.id)).status).toBe(200); // without a rate, a currency has its own sum
  });

  it('count a payout at its highest, whatever was deleted since', async () => {
    const t = await startApp({ payouts: { approvalAbove: 100 } });
    const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3)];
    await earn(t, alice.id, 9000);
    await earn(t, bob.id, 2000);
    const { id } = await t.records.payout(FORM);
    const { data } = (await t.admin.get(`/payouts/${id}/transactions?order_by=total_amount`)).body
      .transactions;

    await t.admin.delete(`/payouts/${id}/transactions/${data[1].id}`).expect(200);

    expect((await t.app.payouts.get(id)).total_amount_minor).toBe(9000);
    const { body } = await t.admin
      .patch(`/payouts/${id}/transactions/${data[0].id}`)
      .send({ status: 'paid' })
      .expect(403);
    expect([body.code, body.data.approval_above]).toEqual(['approval_required', 100]);
  });
});

describe('with allowDeletePaid off', () => {
  it('a paid transaction cannot be set back either', async () => {
    const { t, payoutId, ids } = await madePayout({}, { payouts: { allowDeletePaid: false } });
    const mark = `/payouts/${payoutId}/transactions/${ids[0]}`;
    await t.admin.patch(mark).send({ status: 'processing' }).expect(200); // as it is
    await t.admin.patch(mark).send({ status: 'paid' }).expect(200);

    const { body } = await t.admin.patch(mark).send({ status: 'processing' }).expect(422);

    expect(body.code).toBe('transaction_paid');
    expect((await t.app.payouts.findTransaction(ids[0]!))?.status).toBe('paid');
    await t.admin.patch(mark).send({ status: 'paid' }).expect(200);
  });
});

function readText(res: unknown, done: (error: Error | null, text: string) => void): void {
  const stream = res as NodeJS.ReadableStream;
  let text = '';
  stream.on('data', (part: Buffer) => {
    text += part.toString();
  });
  stream.on('end', () => done(null, text));
}
