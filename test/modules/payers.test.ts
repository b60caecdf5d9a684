import { describe, expect, it } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../src/core/duration.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { testPayer, type TestPayer } from '../support/payer.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { outboxOf } from '../support/outbox.js';

interface Desk {
  readonly t: TestApp;
  readonly payer: TestPayer;
  readonly payoutId: number;
  /** The transactions of alice, bob and carol: 10, 20 and 30 dollars. */
  readonly ids: readonly number[];
  readonly affiliates: readonly number[];
}

async function desk(
  options: TestOptions & { readonly over?: Partial<TestPayer>; readonly withoutDetails?: number } = {},
): Promise<Desk> {
  const { over, withoutDetails, ...rest } = options;
  let clock = (): number => 0;
  const payer = testPayer(() => clock(), over);
  const t = await startApp({ ...rest, payouts: { methods: [payer], ...rest.payouts } });
  clock = () => t.clock.now();
  const affiliates: number[] = [];
  for (const [at, user] of [2, 3, 4].entries()) {
    const { id } = await affiliate(t, user, user === withoutDetails ? { payment_email: '' } : {});
    affiliates.push(id);
    await earn(t, id, 1000 * (at + 1));
  }
  const payout = await t.records.payout({ ...FORM, payout_method: 'desk' });
  return { t, payer, payoutId: payout.id, ids: await idsOf(t, payout.id), affiliates };
}

async function idsOf(t: TestApp, payoutId: number): Promise<number[]> {
  const { body } = await t.admin.get(
    `/payouts/${payoutId}/transactions?order_by=affiliate_id&order_type=ASC`,
  );
  return body.transactions.data.map((row: { id: number }) => row.id);
}

const press = (t: TestApp, payoutId: number, more: object = {}) =>
  t.admin.post(`/payouts/${payoutId}/send`).send({ method: 'desk', count: 3, amount: 60, ...more });

async function work(t: TestApp, ms = 0): Promise<void> {
  t.clock.advance(ms);
  await t.app.payers.calls.run();
  await t.app.payers.following.run();
}

async function states(t: TestApp, payoutId: number): Promise<string[]> {
  const { body } = await t.admin.get(`/payouts/${payoutId}/payments?per_page=200`).expect(200);
  return body.payments.data
    .toSorted((a: { id: number }, b: { id: number }) => a.id - b.id)
    .map((row: { state: string }) => row.state);
}

const statuses = async (t: TestApp, payoutId: number): Promise<string[]> =>
  (
    await t.admin.get(`/payouts/${payoutId}/transactions?order_by=affiliate_id&order_type=ASC`)
  ).body.transactions.data.map((row: { status: string }) => row.status);

describe('sending a payout', () => {
  it('shows what would be sent, stores the intent, calls the payer, and waits for its word', async () => {
    const { t, payer, payoutId, ids } = await desk();

    const { plan } = (await t.admin.get(`/payouts/${payoutId}/send?method=desk`).expect(200)).body;
    expect(plan).toMatchObject({ count: 3, amount: 60, currency: 'USD', sandbox: false, left_out: [] });
    expect((await t.admin.get(`/payouts/${payoutId}/sending`).expect(200)).body.methods).toEqual([
      { method: 'desk', title: 'Desk', transactions_count: 3, sends: true, sandbox: false },
    ]);
    const sent = (await press(t, payoutId).expect(200)).body;
    expect(sent).toMatchObject({ payments_count: 3, batches: [expect.any(Number), expect.any(Number)] });
    expect(await states(t, payoutId)).toEqual(['prepared', 'prepared', 'prepared']);
    expect(payer.calls).toEqual([]);

    await work(t);
    expect(await states(t, payoutId)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(await statuses(t, payoutId)).toEqual(['processing', 'processing', 'processing']);
    expect([...payer.books.values()].map(({ amount, to }) => [amount, to['payment_email']])).toEqual([
      [1000, 'pay2@shop.test'],
      [2000, 'pay3@shop.test'],
      [3000, 'pay4@shop.test'],
    ]);

    payer.move(ids[0]!, 'paid');
    payer.move(ids[1]!, 'processing');
    await work(t, MINUTE * 2);
    expect(await states(t, payoutId)).toEqual(['paid', 'processing', 'submitted']);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'processing', 'processing']);
  });

  it('sends count and sum that the person saw, and nothing else', async () => {
    const { t, payoutId } = await desk();

    expect((await press(t, payoutId, { count: 2 }).expect(422)).body.code).toBe('payments_changed');
    expect((await press(t, payoutId, { amount: 59.99 }).expect(422)).body.code).toBe('payments_changed');
    expect((await press(t, payoutId, { method: 'manual' }).expect(422)).body.code).toBe('payer_not_ready');
    expect((await press(t, payoutId, { method: 'nobody' }).expect(404)).body.code).toBe('payer_not_found');
    expect(await states(t, payoutId)).toEqual([]);
  });

  it('sends each payment once, also when it is pressed twice or by several at once', async () => {
    const { t, payer, payoutId } = await desk();

    const answers = await Promise.all([press(t, payoutId), press(t, payoutId), press(t, payoutId)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await work(t);
    expect((await press(t, payoutId).expect(422)).body.code).toBe('nothing_to_send');
    await work(t);
    expect(payer.books.size).toBe(3);
  });

  it.each(['before', 'after'] as const)(
    'repeats a call that failed %s the work under the same key',
    async (fault) => {
      const { t, payer, payoutId } = await desk();
      payer.faults.push(fault, fault);
      await press(t, payoutId).expect(200);

      await work(t);
      expect(await states(t, payoutId)).toEqual(['unknown', 'unknown', 'unknown']);
      await work(t, MINUTE);
      expect(await states(t, payoutId)).toEqual(['submitted', 'submitted', 'submitted']);
      expect(payer.books.size).toBe(3);
      expect(new Set(payer.calls.map(({ key }) => key)).size).toBe(2);
      expect(payer.calls[2]).toEqual({ ...payer.calls[0], repeated: true });
    },
  );

  it('sends the same again even when the affiliate changed the address meanwhile', async () => {
    const { t, payer, payoutId, affiliates } = await desk();
    payer.faults.push('before', 'before');
    await press(t, payoutId).expect(200);
    await work(t);
    await t.admin.patch(`/affiliates/${affiliates[0]}`).send({ payment_email: 'new@shop.test' }).expect(200);

    await work(t, MINUTE);
    expect(payer.calls[2]!.payments).toEqual(payer.calls[0]!.payments);
  });

  it('pays the payee of the run, leaves a changed one out until a person confirms or takes the new one', async () => {
    const { t, payer, payoutId, ids, affiliates } = await desk();
    for (const [at, id] of affiliates.slice(0, 2).entries())
      await t.admin
        .patch(`/affiliates/${id}`)
        .send({ payment_email: `new${at}@shop.test` })
        .expect(200);
    const { plan } = (await t.admin.get(`/payouts/${payoutId}/send?method=desk`).expect(200)).body;
    expect(plan.left_out).toMatchObject([
      { transaction_id: ids[0], code: 'payee_changed', affiliate_name: 'Alice Doe' },
      { transaction_id: ids[1], code: 'payee_changed' },
    ]);

    await t.admin.post(`/payouts/${payoutId}/transactions/${ids[1]}/payee`).send({}).expect(200);
    await press(t, payoutId, { confirm: true }).expect(200);
    await work(t);
    expect([...payer.books.values()].map(({ to }) => to['payment_email'])).toEqual([
      'pay2@shop.test',
      'new1@shop.test',
      'pay4@shop.test',
    ]);
  });

  it('never sends a key again that the payer may have forgotten, and lets a person decide', async () => {
    const { t, payer, payoutId, ids } = await desk();
    payer.faults.push('before', 'before');
    await press(t, payoutId).expect(200);
    await work(t);
    const calls = payer.calls.length;

    await work(t, 4 * DAY);
    await work(t, DAY);
    expect(payer.calls).toHaveLength(calls);
    const [first] = (await t.admin.get('/payouts/payments/to-do').expect(200)).body.payments.toReversed();
    expect(first).toMatchObject({ state: 'unknown', transaction_id: ids[0] });
    const settled = { as: 'failed', note: 'PayPal does not know it' };
    const path = `/payouts/${payoutId}/payments/${first.id}`;
    expect((await t.admin.post(`${path}/settle`).send(settled).expect(200)).body.payment).toMatchObject({
      state: 'failed',
      code: 'settled',
    });
    expect(await statuses(t, payoutId)).toEqual(['processing', 'processing', 'processing']);
    await press(t, payoutId, { count: 1, amount: 10 }).expect(200);
    await work(t);
    expect([...payer.books.keys()]).toEqual([expect.stringMatching(/-T\d+-2-/)]);
  });

  it('lets nobody settle what the payer still knows', async () => {
    const { t, payer, payoutId } = await desk();
    payer.faults.push('after', 'after');
    await press(t, payoutId).expect(200);
    await work(t);
    const [row] = (await t.admin.get(`/payouts/${payoutId}/payments`)).body.payments.data;

    const answer = await t.admin
      .post(`/payouts/${payoutId}/payments/${row.id}/settle`)
      .send({ as: 'paid', note: 'looks fine' })
      .expect(409);
    expect(answer.body.code).toBe('payment_in_flight');
  });

  it('owes a failed payment again, marks the details and says so by mail; a correction is paid by the next run', async () => {
    const { t, payer, payoutId, ids, affiliates } = await desk();
    await press(t, payoutId).expect(200);
    await work(t);
    payer.move(ids[0]!, 'failed', { message: 'The account is closed.' });
    payer.move(ids[1]!, 'paid');
    await work(t, MINUTE * 2);

    expect(await statuses(t, payoutId)).toEqual(['paid', 'processing']);
    await t.app.emails.deliverDue();
    const { body: preview } = await t.admin
      .post('/payouts/validate-payout-config')
      .send({ config: { ...FORM, payout_method: 'desk' } });
    expect(preview.unpaid.rows ?? preview.unpaid).toBeDefined();
    expect(preview.payable_affiliates_count).toBe(0);

    await t.admin.patch(`/affiliates/${affiliates[0]}`).send({ payment_email: 'new@shop.test' }).expect(200);
    const next = await t.records.payout({ ...FORM, payout_method: 'desk' });
    await press(t, next.id, { count: 1, amount: 10 }).expect(200);
    await work(t);
    expect([...payer.books.values()].at(-1)).toMatchObject({
      amount: 1000,
      to: { payment_email: 'new@shop.test' },
    });
  });

  it('owes a payment again that comes back weeks after it was paid', async () => {
    const { t, payer, payoutId, ids } = await desk();
    payer.arrives = 'paid';
    await press(t, payoutId).expect(200);
    await work(t);
    await work(t, MINUTE * 2);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid', 'paid']);

    payer.move(ids[2]!, 'returned', { message: 'Bounced.' });
    await work(t, 40 * DAY);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid']);
    expect(await states(t, payoutId)).toEqual(['paid', 'paid', 'returned']);
  });

  it('finds nothing wrong when a payment comes back while another one is booked as paid', async () => {
    const { t, payer, payoutId, ids } = await desk({ over: { limits: { maxItems: 5, keyDays: 3 } } });
    payer.arrives = 'paid';
    await press(t, payoutId).expect(200);
    await t.app.payers.calls.run();
    t.clock.advance(MINUTE * 2);
    let isFirst = true;
    t.service.hooks.addAction('payout/transaction/transaction_updated_to_paid', async ({ id }) => {
      if (!isFirst) return;
      isFirst = false;
      payer.move(
        ids.find((other) => other !== id)!,
        'returned',
      );
      await t.app.payers.reconciling.all(); // as another process would
    });
    await t.app.payers.following.run();

    expect((await states(t, payoutId)).toSorted()).toEqual(['paid', 'paid', 'returned']);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid']);
    expect((await t.admin.get('/payouts/payments/to-do').expect(200)).body.findings).toEqual([]);
  });

  it('lets each payment have its own fate, and a refused one stops no other', async () => {
    const { t, payer, payoutId, ids } = await desk();
    payer.refuse = (key) =>
      key.includes(`-T${ids[0]}-`) ? { code: 'RECEIVER_UNKNOWN', message: 'No such account.' } : null;
    await press(t, payoutId).expect(200);
    await work(t);

    expect(await states(t, payoutId)).toEqual(['failed', 'submitted', 'submitted']);
    expect(await statuses(t, payoutId)).toEqual(['processing', 'processing']);
  });

  it('keeps a payment open that the payer could not make for want of money, and sends it anew', async () => {
    const { t, payer, payoutId } = await desk();
    payer.refuse = () => ({ code: 'INSUFFICIENT_FUNDS', message: 'Add money first.', again: true });
    await press(t, payoutId).expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['failed', 'failed', 'failed']);
    expect(await statuses(t, payoutId)).toEqual(['processing', 'processing', 'processing']);

    payer.refuse = () => null;
    await press(t, payoutId).expect(200);
    await work(t);
    expect((await states(t, payoutId)).slice(3)).toEqual(['submitted', 'submitted', 'submitted']);
  });

  it('follows the payer by its own time, whatever the order of its answers', async () => {
    const { t, payer, payoutId, ids } = await desk();
    await press(t, payoutId).expect(200);
    await work(t);
    const [attempt] = (
      await t.admin.get(`/payouts/${payoutId}/payments?per_page=200`)
    ).body.payments.data.toReversed();
    const at = t.clock.now();
    const tell = (state: 'paid' | 'processing' | 'held' | 'returned', when: number) => {
      payer.move(ids[0]!, state);
      payer.books.get(attempt.key)!.at = when;
      return t.admin.post(`/payouts/${payoutId}/payments/${attempt.id}/retry`).then(() => work(t));
    };

    await tell('held', at + 10);
    await tell('processing', at + 20);
    expect((await states(t, payoutId))[0]).toBe('held');
    await tell('paid', at + 30);
    await tell('processing', at + 5);
    expect((await states(t, payoutId))[0]).toBe('paid');
    expect((await statuses(t, payoutId))[0]).toBe('paid');
  });

  it('guards a payment underway against every other way to pay, release or set it back', async () => {
    const { t, payer, payoutId, ids } = await desk();
    await press(t, payoutId).expect(200);
    const one = `/payouts/${payoutId}/transactions/${ids[0]}`;

    expect((await t.admin.patch(one).send({ status: 'paid' }).expect(409)).body.code).toBe(
      'payment_in_flight',
    );
    expect((await t.admin.delete(one).expect(409)).body.code).toBe('payment_in_flight');
    const bulk = (await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}).expect(200))
      .body;
    expect(bulk.left_out.map(({ code }: { code: string }) => code)).toEqual(
      Array(3).fill('payment_in_flight'),
    );
    expect((await t.admin.post(`/payouts/${payoutId}/undo`).send({}).expect(200)).body).toMatchObject({
      released_count: 0,
    });
    const file = await t.admin.get(`/payouts/${payoutId}/transactions-export?method=manual`).expect(200);
    expect(file.headers['x-export-total']).toBe('0');
    await work(t);
    payer.move(ids[0]!, 'paid');
    await work(t, MINUTE * 2);
    expect((await t.admin.patch(one).send({ status: 'processing' }).expect(409)).body.code).toBe(
      'payment_sent',
    );
    expect((await t.admin.delete(one).expect(409)).body.code).toBe('payment_sent');
  });

  it('leaves out who cannot be paid, and says why', async () => {
    const { t, payoutId } = await desk({
      withoutDetails: 2,
      over: {
        currencies: ['USD'],
        limits: { largest_minor: 2500 },
        check: (details) =>
          details['payment_email'] === 'pay3@shop.test'
            ? { ok: false, reason: 'Country not supported.' }
            : { ok: true },
      },
    });

    const { plan } = (await t.admin.get(`/payouts/${payoutId}/send?method=desk`).expect(200)).body;
    expect(
      plan.left_out.map((row: { code: string; reason: string | null }) => [row.code, row.reason]),
    ).toEqual([
      ['missing_payment_details', null],
      ['details_refused', 'Country not supported.'],
      ['amount_out_of_range', null],
    ]);
  });

  it('shows the affiliate why the details are refused, and pays after a correction', async () => {
    const { t, payer, payoutId, affiliates } = await desk({
      over: {
        check: (details, { amount }) =>
          details['payment_email'] === 'pay2@shop.test'
            ? { ok: false, reason: 'Country not supported.' }
            : amount === '30.00'
              ? { ok: false, reason: 'Too much for one day.' }
              : { ok: true },
      },
    });
    await press(t, payoutId, { count: 1, amount: 20 }).expect(200);
    const methodsOf = async (user: number) =>
      (await t.as(user).get('/portal/payout-methods').expect(200)).body.methods;
    expect(await methodsOf(2)).toMatchObject([
      { key: 'desk', state: 'refused', reason: 'Country not supported.' },
    ]);
    expect(await methodsOf(4)).toEqual([]); // only this amount is refused
    await t.admin.post(`/payouts/${payoutId}/undo`).send({}).expect(200);
    const next = await t.admin
      .post('/payouts/validate-payout-config')
      .send({ config: { ...FORM, payout_method: 'desk' } })
      .expect(200);
    expect(next.body.payable_affiliates_count).toBe(1);
    await t.admin.patch(`/affiliates/${affiliates[0]}`).send({ payment_email: 'new@shop.test' }).expect(200);
    expect(await methodsOf(2)).toEqual([]);
    expect(payer.calls).toEqual([]);
  });

  it('asks for a confirmation when commissions were refunded since', async () => {
    const payer = testPayer(() => t.clock.now());
    const t: TestApp = await startApp({ rate: 10, payouts: { methods: [payer] } });
    const { id } = await affiliate(t, 2, {});
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'R-1',
      type: 'sale',
      status: 'unpaid',
      affiliate: id,
      order: { subtotal: '100.00' },
    });
    const payout = await t.records.payout({ ...FORM, payout_method: 'desk' });
    await t.service.conversions.refund('shop', { reference: 'R-1' }, { refund_id: 'r', amount: '50.00' });
    const planOf = async (confirm: string): Promise<{ count: number; left_out: readonly object[] }> =>
      (await t.admin.get(`/payouts/${payout.id}/send?method=desk${confirm}`).expect(200)).body.plan;
    const { count, left_out } = await planOf('');
    expect([count, left_out]).toEqual([0, [expect.objectContaining({ code: 'commissions_changed' })]]);
    expect((await planOf('&confirm=yes')).count).toBe(1);
  });

  it('calls a payment off before it is sent, and cancels at the payer afterwards', async () => {
    const canceled: string[] = [];
    const { t, payer, payoutId, ids } = await desk({
      over: {
        cancel: ({ ref }) => {
          canceled.push(ref!);
          return Promise.resolve();
        },
      },
    });
    await press(t, payoutId).expect(200);
    const rows = (
      await t.admin.get(`/payouts/${payoutId}/payments?per_page=200`)
    ).body.payments.data.toReversed();
    const cancel = (id: number) => t.admin.post(`/payouts/${payoutId}/payments/${id}/cancel`);

    expect((await cancel(rows[0].id).expect(200)).body.payment.state).toBe('canceled');
    await work(t);
    expect(payer.books.size).toBe(2);
    payer.move(ids[1]!, 'unclaimed', { until: t.clock.now() + 30 * DAY });
    await work(t, MINUTE * 2);
    await cancel(rows[1].id).expect(200);
    expect(canceled).toEqual(['ref-1']);
    payer.move(ids[1]!, 'returned', { message: 'Canceled by the sender.' });
    await work(t);
    expect(await states(t, payoutId)).toEqual(['canceled', 'returned', 'submitted']);
    expect(await statuses(t, payoutId)).toEqual(['processing', 'processing']);
  });

  it('books in a sandbox nothing at all', async () => {
    const { t, payer, payoutId } = await desk({ over: { sandbox: true } });
    payer.arrives = 'paid';
    await press(t, payoutId).expect(200);
    await work(t);
    await work(t, MINUTE * 2);

    expect(await states(t, payoutId)).toEqual(['paid', 'paid', 'paid']);
    expect(await statuses(t, payoutId)).toEqual(['processing', 'processing', 'processing']);
    const [row] = (await t.as(2).get('/portal/payment-states').expect(200)).body.payments.data;
    expect(row).toMatchObject({ state: 'paid', sandbox: true });
    expect((await t.admin.get('/payouts').expect(200)).body.payouts.data).toMatchObject([
      { id: payoutId, status: 'processing', sandbox: true },
    ]);
    expect((await t.admin.get(`/payouts/${payoutId}`).expect(200)).body.payout.sandbox).toBe(true);
    expect((await t.as(2).get(`/portal/payments/${row.transaction_id}`)).body).toMatchObject({
      payment: { status: 'processing' },
      sent: null,
    });
    await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({}).expect(200);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid', 'paid']);
  });

  it('takes the fee from what is sent where the affiliate bears it, and from no commission', async () => {
    const { t, payer, payoutId, ids } = await desk({
      over: {
        quote: ({ payments }) =>
          Promise.resolve(
            Object.fromEntries(payments.map(({ key }) => [key, { amount_minor: 25, currency: 'USD' }])),
          ),
      },
    });
    expect((await t.admin.get(`/payouts/${payoutId}/send?method=desk`)).body.plan.fees).toBe(0.75);
    await t.admin.post('/settings/payers/sending').send({ fee_by: 'affiliate' }).expect(200);
    await press(t, payoutId).expect(200);
    await work(t);

    expect([...payer.books.values()].map(({ amount }) => amount)).toEqual([975, 1975, 2975]);
    const [row] = (await t.as(2).get('/portal/payment-states').expect(200)).body.payments.data;
    expect(row).toMatchObject({ amount: 10, sent_amount: 9.75, fee: 0.25, fee_by: 'affiliate' });
    payer.move(ids[0]!, 'paid');
    await work(t, MINUTE * 2);
    const statement = (await t.as(2).get(`/portal/payments/${ids[0]}`).expect(200)).body;
    expect(statement).toMatchObject({
      payment: { amount: 10, status: 'paid' },
      payee: { details: 'pay2@shop.test' },
      sent: { method: 'desk', title: 'Desk', amount: 9.75, fee: 0.25, fee_by: 'affiliate' },
      commissions: { data: [{ amount: 10 }] },
    });
  });
});

describe('events of a payer', () => {
  it('only start a request for the status; their content is not trusted', async () => {
    const { t, payer, payoutId, ids } = await desk({
      over: {
        webhook: ({ headers, rawBody }) =>
          Promise.resolve(
            headers['x-signature'] === 'right' ? [JSON.parse(rawBody.toString()).ref as string] : null,
          ),
      },
    });
    await press(t, payoutId).expect(200);
    await work(t);
    const event = (signature: string) =>
      t.anonymous
        .post('/webhooks/payers/desk')
        .set('X-Signature', signature)
        .set('Content-Type', 'application/json')
        .send(JSON.stringify({ ref: 'ref-1', state: 'paid' }));

    await event('wrong').expect(400);
    await event('right').expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['submitted', 'submitted', 'submitted']);
    payer.move(ids[0]!, 'paid');
    await event('right').expect(200);
    await event('right').expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['paid', 'submitted', 'submitted']);
  });
});

describe('reconciliation', () => {
  it('finds missing, unknown and different payments, and shows them until a person settles them', async () => {
    const { t, payer, payoutId, ids } = await desk({
      over: {
        list: () =>
          Promise.resolve([
            { key: 'foreign', ref: 'ref-9', state: 'paid', at: 1, amount_minor: 500, currency: 'USD' },
          ]),
      },
    });
    await press(t, payoutId).expect(200);
    await work(t);
    const byId = (id: number) => [...payer.books.values()].find(({ key }) => key.includes(`-T${id}-`))!;
    payer.books.delete(byId(ids[0]!).key);
    Object.assign(byId(ids[1]!), { amount: 1 });
    t.clock.advance(HOUR);

    const { body } = await t.admin.post(`/payouts/${payoutId}/reconcile`).expect(200);
    expect(body.result).toEqual({
      matched: 1,
      missing_at_payer: 1,
      unknown_to_us: 1,
      amount_differs: 1,
      not_asked: 0,
    });
    expect(body.findings.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      'amount_differs',
      'missing_at_payer',
      'unknown_to_us',
    ]);
    await t.app.payers.reconciling.all();
    const { findings } = (await t.admin.get('/payouts/payments/to-do').expect(200)).body;
    expect(findings).toHaveLength(3);
    await t.admin.post(`/payouts/findings/${findings[0].id}/settle`).send({ note: 'known' }).expect(200);
    await t.admin.post(`/payouts/findings/${findings[0].id}/settle`).send({ note: 'known' }).expect(404);
    expect((await t.admin.get('/payouts/payments/to-do')).body.findings).toHaveLength(2);
  });
});

describe('who may send', () => {
  it('an API key needs its own right, and is never the second person', async () => {
    const { t, payoutId } = await desk({ payouts: { approvalAbove: 50 } });
    const keyWith = async (rights: readonly string[]): Promise<string> =>
      (await t.app.apiKeys.create({ name: 'x', rights, user_id: 1 })).key;
    const pressWith = (key: string) =>
      t.anonymous
        .post(`/payouts/${payoutId}/send`)
        .set('Authorization', `Bearer ${key}`)
        .send({ method: 'desk', count: 3, amount: 60 });

    await pressWith(await keyWith(['manage_all_data'])).expect(403);
    await pressWith(await keyWith(['send_payouts'])).expect(403);
    const answer = await pressWith(await keyWith(['manage_all_payouts', 'send_payouts'])).expect(403);
    expect(answer.body.code).toBe('approval_required');
  });

  it('needs a second person above the limit, and never sends to oneself', async () => {
    const { t, payoutId } = await desk({ payouts: { approvalAbove: 50 }, forbidSelfManagement: true });
    await t.app.managers.save({ user_id: 2, permissions: ['manage_all_payouts'] });

    expect((await press(t, payoutId).expect(403)).body.code).toBe('approval_required');
    const own = await t
      .as(2)
      .post(`/payouts/${payoutId}/send`)
      .send({ method: 'desk', count: 3, amount: 60 })
      .expect(403);
    expect(own.body.code).toBe('self_management_forbidden');
    await t.app.managers.save({ user_id: 5, permissions: ['manage_all_payouts'] });
    await t
      .as(5)
      .post(`/payouts/${payoutId}/send`)
      .send({ method: 'desk', count: 3, amount: 60 })
      .expect(200);
  });
});

describe('the schedule', () => {
  const schedule = {
    every: 'month',
    day: 20,
    cut_off_days: 0,
    method: 'desk',
    auto_send: true,
    approval_above: null,
  };

  async function scheduled(more: object = {}, options: TestOptions = {}) {
    let clock = (): number => 0;
    const payer = testPayer(() => clock());
    const t = await startApp({ ...options, payouts: { methods: [payer], ...options.payouts } });
    clock = () => t.clock.now();
    for (const user of [2, 3]) await earn(t, (await affiliate(t, user)).id, 1000);
    const sending = { schedule: { ...schedule, ...more } };
    await t.admin.post('/settings/payers/sending').send(sending).expect(200);
    return { t, payer };
  }
  const payouts = async (t: TestApp) =>
    (await t.admin.get('/payouts')).body.payouts.data as { id: number; title: string }[];

  it('makes a payout on its day, once, and sends it', async () => {
    const { t, payer } = await scheduled();
    await t.app.payers.scheduling.run();
    expect(await payouts(t)).toEqual([]);
    t.clock.advance(5 * DAY);
    await t.app.payers.scheduling.run();
    await t.app.payers.scheduling.run();
    await work(t);
    expect((await payouts(t)).map(({ title }) => title)).toEqual(['Payout 2026-01-20']);
    expect(payer.books.size).toBe(2);
    t.clock.advance(31 * DAY);
    await t.app.payers.scheduling.run();
    expect(await payouts(t)).toHaveLength(1);
  });

  it.each([
    ['it does not send by itself', { auto_send: false }, {}],
    ['the sum is above its limit', { approval_above: 10 }, {}],
    ['the sum needs a second person', {}, { payouts: { approvalAbove: 10 } }],
  ])('waits for a person and says so by mail when %s', async (_, more, options) => {
    const { t, payer } = await scheduled(more, options);
    t.clock.advance(5 * DAY);
    await t.app.payers.scheduling.run();
    await work(t);
    expect(await payouts(t)).toHaveLength(1);
    expect(payer.calls).toEqual([]);
    expect(await outboxOf(t, 'payout_waits')).toHaveLength(1);
  });

  it('pays commissions up to its cut-off', async () => {
    const { t } = await scheduled({ cut_off_days: 10 });
    t.clock.advance(5 * DAY);
    await t.app.payers.scheduling.run();
    expect(await payouts(t)).toEqual([]);
  });

  it('refuses what it cannot do', async () => {
    const { t } = await scheduled();
    const save = (more: object) =>
      t.admin.post('/settings/payers/sending').send({ schedule: { ...schedule, ...more } });
    await save({ method: 'nobody' }).expect(422);
    await save({ every: 'week', day: 8 }).expect(422);
    await save({ day: 29 }).expect(422);
    await t.admin
      .post('/settings/payers/sending')
      .send({ offered: ['nobody'] })
      .expect(422);
    await t.admin.post('/settings/payers/sending').send({ schedule: null }).expect(200);
  });
});
