import { afterEach, describe, expect, it } from '@jest/globals';
import { paypalPayer } from '../../adapters/index.js';
import { DAY, MINUTE } from '../../src/core/duration.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { PaypalPayer } from '../support/paypal-payer.mjs';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { storedText } from '../support/rows.js';

const open: PaypalPayer[] = [];
afterEach(() => {
  for (const payer of open.splice(0)) {
    payer.stop();
    expect(payer.invalid).toEqual([]); // each request is one that PayPal describes
  }
});

interface Made {
  readonly t: TestApp;
  readonly paypal: PaypalPayer;
  readonly payoutId: number;
  readonly ids: readonly number[];
}

async function sent(
  options: TestOptions = {},
  setUp: (paypal: PaypalPayer) => void = () => {},
): Promise<Made> {
  let now = (): number => 0;
  const paypal = await new PaypalPayer(() => now()).start();
  open.push(paypal);
  setUp(paypal);
  const method = paypalPayer({
    clientId: 'client',
    clientSecret: 'secret',
    webhookId: 'WH1',
    baseUrl: paypal.url,
    allowPrivateNetworks: true,
  });
  const t = await startApp({ ...options, payouts: { methods: [method], ...options.payouts } });
  now = () => t.clock.now();
  for (const [at, user] of [2, 3, 4].entries()) await earn(t, (await affiliate(t, user)).id, 1000 * (at + 1));
  const payout = await t.records.payout({ ...FORM, payout_method: 'paypal' });
  const { body } = await t.admin.get(
    `/payouts/${payout.id}/transactions?order_by=affiliate_id&order_type=ASC`,
  );
  await t.admin
    .post(`/payouts/${payout.id}/send`)
    .send({ method: 'paypal', count: 3, amount: 60 })
    .expect(200);
  return { t, paypal, payoutId: payout.id, ids: body.transactions.data.map(({ id }: { id: number }) => id) };
}

async function work(t: TestApp, ms = 0): Promise<void> {
  t.clock.advance(ms);
  await t.app.payers.calls.run();
  await t.app.payers.following.run();
}

async function rows(t: TestApp, payoutId: number) {
  const { body } = await t.admin.get(`/payouts/${payoutId}/payments?per_page=200`).expect(200);
  return body.payments.data.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id) as {
    id: number;
    state: string;
    fee: number | null;
    until: string | null;
    message: string | null;
    reference: string | null;
  }[];
}
const states = async (t: TestApp, payoutId: number): Promise<string[]> =>
  (await rows(t, payoutId)).map(({ state }) => state);

describe('PayPal', () => {
  it('gets one batch, and each item is followed to its own end with its fee', async () => {
    const { t, paypal, payoutId } = await sent({}, (payer) => {
      payer.fate = ({ receiver }) =>
        receiver === 'pay2@shop.test'
          ? [
              [0, 'PENDING'],
              [MINUTE, 'SUCCESS'],
            ]
          : receiver === 'pay3@shop.test'
            ? [
                [0, 'UNCLAIMED'],
                [30 * DAY, 'RETURNED'],
              ]
            : [
                [0, 'ONHOLD'],
                [DAY, 'FAILED'],
              ];
    });
    await work(t);
    await work(t, MINUTE * 2);
    const found = await rows(t, payoutId);
    expect(found.map(({ state, fee }) => [state, fee])).toEqual([
      ['paid', 0.25],
      ['unclaimed', null],
      ['held', null],
    ]);
    expect(found[1]!.until).toBe('2026-02-14T15:00:00+00:00');
    await work(t, 2 * DAY);
    await work(t, 30 * DAY);
    expect(await states(t, payoutId)).toEqual(['paid', 'returned', 'failed']);
    expect((await rows(t, payoutId))[2]!.message).toBe('The account is locked.');
    expect(paypal.batches.size).toBe(1);
  });

  it.each(['5xx-before', '5xx-after', 'cut-before', 'cut-after'])(
    'is asked again after %s and pays once',
    async (bad) => {
      const { t, paypal, payoutId } = await sent({}, (payer) => {
        const weather = [bad, bad];
        payer.weather = () => weather.shift() ?? 'fine';
      });
      await work(t);
      expect(await states(t, payoutId)).toEqual(['unknown', 'unknown', 'unknown']);
      await work(t, MINUTE);
      await work(t, 2 * MINUTE);
      await work(t, 5 * MINUTE);
      expect(await states(t, payoutId)).toEqual(['paid', 'paid', 'paid']);
      expect(paypal.items.size).toBe(3);
    },
  );

  it('keeps payments open when the account has no money, and sends a new batch afterwards', async () => {
    const { t, paypal, payoutId } = await sent({}, (payer) => {
      payer.balance = 100;
    });
    await work(t);
    await work(t, MINUTE * 2);
    expect(await states(t, payoutId)).toEqual(['failed', 'failed', 'failed']);
    paypal.balance = Infinity;
    await t.admin
      .post(`/payouts/${payoutId}/send`)
      .send({ method: 'paypal', count: 3, amount: 60 })
      .expect(200);
    await work(t);
    await work(t, MINUTE * 2);
    expect((await states(t, payoutId)).slice(3)).toEqual(['paid', 'paid', 'paid']);
    expect([...paypal.batches.values()].map(({ denied }) => denied)).toEqual([true, false]);
  });

  it('has its events verified by PayPal and then asks', async () => {
    const { t, paypal, payoutId, ids } = await sent({}, (payer) => {
      payer.fate = () => [[0, 'PENDING']];
    });
    await work(t);
    await work(t, MINUTE);
    const [item] = paypal.itemOf(ids[0]!);
    paypal.move(item!, 'SUCCESS');
    const { headers, body } = paypal.event(item!);
    const post = (signed: Record<string, string>) =>
      t.anonymous.post('/webhooks/payers/paypal').set(signed).send(body);

    await post(paypal.sign('forged')).expect(400);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['processing', 'processing', 'processing']);
    await post(headers).expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['paid', 'processing', 'processing']);
  });

  it('takes an unclaimed item back', async () => {
    const { t, payoutId } = await sent({}, (payer) => {
      payer.fate = () => [[0, 'UNCLAIMED']];
    });
    await work(t);
    await work(t, MINUTE);
    const [row] = await rows(t, payoutId);
    await t.admin.post(`/payouts/${payoutId}/payments/${row!.id}/cancel`).expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['returned', 'unclaimed', 'unclaimed']);
  });

  it('does not take back what was claimed meanwhile, and says what became of it', async () => {
    const { t, paypal, payoutId, ids } = await sent({}, (payer) => {
      payer.fate = () => [[0, 'UNCLAIMED']];
    });
    await work(t);
    await work(t, MINUTE);
    paypal.move(paypal.itemOf(ids[0]!)[0]!, 'SUCCESS');
    const [row] = await rows(t, payoutId);
    const { body } = await t.admin.post(`/payouts/${payoutId}/payments/${row!.id}/cancel`).expect(502);
    expect(body.code).toBe('payer_failed');
    await work(t);
    expect(await states(t, payoutId)).toEqual(['paid', 'unclaimed', 'unclaimed']);
    await t.admin.post(`/payouts/${payoutId}/payments/${row!.id}/cancel`).expect(409);
  });

  it('says in an event of the batch only that its items can be asked about', async () => {
    const { t, paypal, payoutId, ids } = await sent({}, (payer) => {
      payer.fate = () => [[0, 'PENDING']];
    });
    await work(t);
    await work(t, MINUTE);
    const [batch] = paypal.batches.values();
    const tell = async (type: 'PROCESSING' | 'SUCCESS' | 'DENIED'): Promise<void> => {
      const { headers, body } = paypal.batchEvent(batch!, type);
      await t.anonymous.post('/webhooks/payers/paypal').set(headers).send(body).expect(200);
      await work(t);
    };
    for (const type of ['SUCCESS', 'DENIED', 'PROCESSING'] as const) await tell(type);
    expect(await states(t, payoutId)).toEqual(['processing', 'processing', 'processing']);
    paypal.move(paypal.itemOf(ids[0]!)[0]!, 'SUCCESS');
    paypal.move(paypal.itemOf(ids[1]!)[0]!, 'UNCLAIMED');
    await tell('SUCCESS');
    await tell('PROCESSING'); // late, and twice
    await tell('SUCCESS');
    expect(await states(t, payoutId)).toEqual(['paid', 'unclaimed', 'processing']);
  });

  it('has its items read page by page', async () => {
    const { t, payoutId } = await sent({}, (payer) => {
      payer.pageMax = 2;
    });
    await work(t);
    await work(t, MINUTE);
    expect(await states(t, payoutId)).toEqual(['paid', 'paid', 'paid']);
    expect((await t.admin.post(`/payouts/${payoutId}/reconcile`).send({}).expect(200)).body.findings).toEqual(
      [],
    );
  });

  it.each([
    ['SUCCESS', 'paid'],
    ['FAILED', 'failed'],
    ['PENDING', 'processing'],
    ['UNCLAIMED', 'unclaimed'],
    ['RETURNED', 'returned'],
    ['ONHOLD', 'held'],
    ['BLOCKED', 'failed'],
    ['REFUNDED', 'returned'],
    ['REVERSED', 'returned'],
    ['CANCELED', 'canceled'],
    ['SOMETHING_NEW', 'submitted'],
  ])('calls an item %s that is %s here', async (theirs, ours) => {
    const { t, payoutId } = await sent({}, (payer) => {
      payer.fate = () => [[0, theirs]];
    });
    await work(t);
    await work(t, MINUTE);
    expect(new Set(await states(t, payoutId))).toEqual(new Set([ours]));
    const { body } = await t.admin.get(`/payouts/${payoutId}`).expect(200);
    expect(body.payout.status === 'paid' && body.payout.total_amount > 0).toBe(ours === 'paid');
  });

  it.each([
    ['DENIED', ['failed', 'failed', 'failed'], 'BATCH_DENIED'],
    ['CANCELED', ['failed', 'failed', 'failed'], 'BATCH_CANCELED'],
    ['PROCESSING', ['paid', 'paid', 'paid'], null],
  ] as const)(
    'ends a batch %s, and its items with it only where they have no end of their own',
    async (end, found, code) => {
      const { t, payoutId } = await sent({}, (payer) => {
        payer.batchEnd = end;
      });
      await work(t);
      await work(t, MINUTE);
      expect(await states(t, payoutId)).toEqual(found);
      const { body } = await t.admin.get(`/payouts/${payoutId}/payments`).expect(200);
      expect(body.payments.data[0].code).toBe(code);
      const { data } = (await t.admin.get(`/payouts/${payoutId}/transactions`).expect(200)).body.transactions;
      expect(new Set(data.map(({ status }: { status: string }) => status))).toEqual(
        new Set([code === null ? 'paid' : 'processing']),
      );
    },
  );

  it('shows the fee of a payment when it is known, which may be later', async () => {
    const { t, payoutId } = await sent({}, (payer) => {
      payer.feeAfter = DAY;
    });
    await work(t);
    await work(t, MINUTE);
    expect((await rows(t, payoutId)).map(({ state, fee }) => [state, fee])[0]).toEqual(['paid', null]);
    await work(t, 10 * DAY);
    expect((await rows(t, payoutId)).map(({ state, fee }) => [state, fee])[0]).toEqual(['paid', 0.25]);
  });

  it('shows the balance before sending, where the app may read it', async () => {
    const { t, paypal, payoutId } = await sent();
    const plan = async () =>
      (await t.admin.get(`/payouts/${payoutId}/send?method=paypal`).expect(200)).body.plan;
    expect(await plan()).toMatchObject({ balance: null, enough: null });
    paypal.balance = 12_345;
    expect(await plan()).toMatchObject({ balance: 123.45, enough: true });
  });
});

it.each([
  ['USD', '10.50', true, '10.50'],
  ['JPY', '1500', true, '1500'],
  ['HUF', '1500.00', true, '1500'],
  ['HUF', '1500.50', false, ''],
])('PayPal gets an amount in %s as it takes it: %s', async (currency, amount, isFine, value) => {
  const sentTexts: string[] = [];
  const answer = (_url: URL, { body = '' }: { body?: string }) => {
    sentTexts.push(body);
    return Promise.resolve(Response.json({ access_token: 't', batch_header: { payout_batch_id: 'X' } }));
  };
  const payer = paypalPayer({
    clientId: 'a',
    clientSecret: 'b',
    fetch: answer as unknown as typeof fetch,
  });
  const details = { payment_email: 'a@shop.test' };
  expect(await payer.check!(details, { amount, currency })).toMatchObject({ ok: isFine });
  if (!isFine) return;

  const payment = {
    id: 1,
    key: 'K',
    amount,
    amount_minor: 1,
    currency,
    details,
    name: '',
    user_id: 1,
    note: '',
  };
  await payer.send!({ key: 'B', ref: null, created_at: 0, repeated: false, payments: [payment] });
  expect(JSON.parse(sentTexts.at(-1)!).items[0].amount).toEqual({ currency, value });
});

describe('credentials', () => {
  const credentials = {
    environment: 'live',
    client_id: 'AY-public',
    client_secret: 'EK-very-secret',
    webhook_id: '',
  };

  it('are kept encrypted and never shown, logged, audited or exported', async () => {
    const t = await startApp();
    await t.admin.post('/settings/payers/paypal').send({ credentials }).expect(200);

    const { body } = await t.admin.get('/settings/payers').expect(200);
    expect(body.payers.find(({ key }: { key: string }) => key === 'paypal')).toMatchObject({
      ready: true,
      sandbox: false,
      credentials: { shown: { environment: 'live', client_id: 'AY-public' }, secrets: ['client_secret'] },
    });
    const everything = JSON.stringify([
      body,
      t.log,
      (await t.admin.get('/audit?per_page=200')).body,
      await storedText(t, 'options', 'audit', 'idempotency_keys'),
    ]);
    expect(everything).not.toContain('EK-very-secret');
    await t.admin
      .post('/settings/payers/paypal')
      .send({ credentials: { ...credentials, client_secret: '', environment: 'sandbox' } })
      .expect(200);
    expect(await t.app.payers.list()).toMatchObject({
      payers: expect.arrayContaining([expect.objectContaining({ key: 'paypal', sandbox: true })]),
    });
    const choices = async () =>
      (await t.admin.get('/payouts/methods').expect(200)).body.methods.map(
        ({ key, title, sandbox }: Record<string, unknown>) => [key, title, sandbox],
      );
    expect(await choices()).toEqual([
      ['paypal', 'PayPal', true],
      ['manual', 'Manual', false],
      ['bank', 'Bank transfer list', false],
    ]);
    await t.admin.delete('/settings/payers/paypal').expect(200);
    expect(await choices()).toContainEqual(['paypal', 'PayPal mass payment file', false]);
    expect((await t.app.payers.list()).payers.find(({ key }) => key === 'paypal')).toMatchObject({
      ready: false,
      credentials: null,
    });
  });

  it('name the field that is wrong', async () => {
    const t = await startApp();
    const answer = await t.admin
      .post('/settings/payers/paypal')
      .send({ credentials: { ...credentials, environment: 'moon', client_secret: '' } })
      .expect(422);
    expect(answer.body.errors).toEqual({
      environment: { in: 'Environment must be one of: live, sandbox.' },
      client_secret: { required: 'Client secret is required.' },
    });
    await t.admin.post('/settings/payers/nobody').send({ credentials: {} }).expect(404);
    expect((await t.admin.post('/settings/payers/paypal/test').expect(422)).body.code).toBe(
      'payer_not_ready',
    );
  });
});
