import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { stripeConnect, wisePayer } from '../../adapters/index.js';
import type { PayoutMethod } from '../../src/accounting/payouts/types.js';
import { DAY, HOUR, MINUTE } from '../../src/core/duration.js';
import { startApp, type TestApp } from '../support/app.js';
import { faultsOfRequest } from '../support/payer-requests.mjs';
import { affiliate, earn, FORM } from '../support/payouts.js';

const faults: string[] = [];
afterEach(() => expect(faults.splice(0)).toEqual([]));

type Row = Record<string, unknown>;
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly body: Row;
  readonly key: string | null;
}
type Answer = readonly [status: number, body: unknown];

/**
 * The `fetch` of a payer that a test writes; `cut` loses the answer of the next requests it matches. Each request is
 * checked against the description of the payer.
 */
function standIn(
  payer: 'stripe' | 'wise',
  answer: (asked: Asked) => Answer,
): { fetch: typeof fetch; asked: Asked[]; cut: string[] } {
  const asked: Asked[] = [];
  const cut: string[] = [];
  const send = async (
    url: URL,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) => {
    const { method = 'GET', headers = {}, body: text = '' } = init;
    faults.push(...faultsOfRequest(payer, { method, url: String(url), headers, text }));
    const isJson = text.startsWith('{');
    const one: Asked = {
      method,
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(isJson ? '' : text),
      body: isJson ? (JSON.parse(text) as Row) : {},
      key: headers['Idempotency-Key'] ?? null,
    };
    asked.push(one);
    const [status, body] = answer(one);
    const at = cut.findIndex((path) => `${one.method} ${one.path}`.endsWith(path));
    if (at >= 0) {
      cut.splice(at, 1);
      throw new Error('cut');
    }
    return new Response(JSON.stringify(body), { status });
  };
  return { fetch: send as unknown as typeof fetch, asked, cut };
}

async function work(t: TestApp, ms = 0): Promise<void> {
  t.clock.advance(ms);
  await t.app.payers.calls.run();
  await t.app.payers.following.run();
}

const states = async (t: TestApp, payoutId: number): Promise<string[]> =>
  (await t.admin.get(`/payouts/${payoutId}/payments?per_page=200`)).body.payments.data
    .toSorted((a: { id: number }, b: { id: number }) => a.id - b.id)
    .map(({ state }: { state: string }) => state);

async function withMethod(method: PayoutMethod, currency: string): Promise<TestApp> {
  const t = await startApp({ payouts: { methods: [method] }, currency });
  await t.admin
    .post('/settings/payers/sending')
    .send({ offered: [method.key] })
    .expect(200);
  for (const [at, user] of [2, 3].entries())
    await earn(t, (await affiliate(t, user)).id, 1000 * (at + 1), { currency });
  return t;
}

async function send(t: TestApp, method: string, count = 2, amount = 30): Promise<number> {
  const payout = await t.records.payout({ ...FORM, payout_method: method });
  await t.admin.post(`/payouts/${payout.id}/send`).send({ method, count, amount }).expect(200);
  return payout.id;
}

describe('Stripe Connect', () => {
  function stripe() {
    const transfers = new Map<string, Row>();
    const accounts = new Map<string, Row>();
    const world = { balance: 100_000, created: 1_768_489_200 };
    // oxlint-disable-next-line complexity -- a payer's whole interface
    const payer = standIn('stripe', ({ method, path, query, form, key }) => {
      if (path === '/v1/balance') return [200, { available: [{ currency: 'usd', amount: world.balance }] }];
      if (method === 'POST' && path === '/v1/accounts') {
        const id = `acct_${String(accounts.size + 1).padStart(10, '0')}`;
        accounts.set(id, { id, payouts_enabled: false, capabilities: { transfers: 'inactive' } });
        return [200, { id }];
      }
      if (path === '/v1/account_links')
        return [200, { url: `https://connect.stripe.test/${form.get('account')}` }];
      if (path.startsWith('/v1/accounts/')) {
        const account = accounts.get(path.slice(13));
        return account ? [200, account] : [404, { error: { code: 'resource_missing' } }];
      }
      if (method === 'POST' && path === '/v1/transfers') {
        const known = transfers.get(key!);
        if (known) return [200, known];
        const amount = Number(form.get('amount'));
        if (amount > world.balance)
          return [400, { error: { code: 'balance_insufficient', type: 'invalid_request_error' } }];
        world.balance -= amount;
        const transfer = {
          id: `tr_${transfers.size + 1}`,
          object: 'transfer',
          amount,
          amount_reversed: 0,
          reversed: false,
          created: world.created,
          currency: form.get('currency'),
          destination: form.get('destination'),
          transfer_group: form.get('transfer_group'),
          metadata: { payment: form.get('metadata[payment]') },
        };
        transfers.set(key!, transfer);
        return [200, transfer];
      }
      const group = query.get('transfer_group');
      if (path === '/v1/transfers')
        return [200, { data: [...transfers.values()].filter((each) => each['transfer_group'] === group) }];
      const found = [...transfers.values()].find(({ id }) => path === `/v1/transfers/${String(id)}`);
      return found ? [200, found] : [404, {}];
    });
    return { ...payer, transfers, accounts, world };
  }

  async function connected() {
    const payer = stripe();
    let now = (): number => 0;
    const method = stripeConnect({
      key: 'rk_live_1',
      webhookSecret: ['whsec_1', 'whsec_accounts'],
      fetch: payer.fetch,
      now: () => now(),
    });
    const t = await withMethod(method, 'USD');
    now = () => t.clock.now();
    for (const user of [2, 3]) {
      const { url } = (await t.as(user).post('/portal/payout-methods/stripe/connect').expect(200)).body;
      expect(url).toMatch(/^https:\/\/connect\.stripe\.test\/acct_/);
    }
    return { t, payer };
  }

  function tell(t: TestApp, event: object, secret: string) {
    const body = JSON.stringify(event);
    const time = Math.floor(t.clock.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return t.anonymous
      .post('/webhooks/payers/stripe')
      .set('Content-Type', 'application/json')
      .set('Stripe-Signature', `t=${time},v1=${signature}`)
      .send(body);
  }

  const finish = async (t: TestApp, accounts: Map<string, Row>): Promise<void> => {
    for (const account of accounts.values())
      Object.assign(account, { payouts_enabled: true, capabilities: { transfers: 'active' } });
    for (const user of [2, 3])
      await t.as(user).post('/portal/payout-methods/stripe').send({ details: {} }).expect(200);
  };

  it('pays accounts that finished their set-up, each transfer once', async () => {
    const { t, payer } = await connected();
    const refused = await t.as(2).post('/portal/payout-methods/stripe').send({ details: {} }).expect(422);
    expect(refused.body.message).toContain('Finish the set-up');
    await finish(t, payer.accounts);
    payer.cut.push('/v1/transfers');
    const payoutId = await send(t, 'stripe');
    await work(t);
    expect(await states(t, payoutId)).toEqual(['unknown', 'unknown']);
    await work(t, HOUR);
    await work(t, MINUTE * 2);
    expect(await states(t, payoutId)).toEqual(['paid', 'paid']);
    expect(payer.transfers.size).toBe(2);
    expect([...payer.transfers.values()].map(({ destination }) => destination)).toEqual([
      ...payer.accounts.keys(),
    ]);
    expect((await t.admin.get(`/payouts/${payoutId}/send?method=stripe`)).body.plan).toMatchObject({
      balance: 970,
      enough: true,
    });
  });

  it('keeps payments open without money, and finds reversed transfers by their event', async () => {
    const { t, payer } = await connected();
    await finish(t, payer.accounts);
    payer.world.balance = 1500;
    const payoutId = await send(t, 'stripe');
    await work(t);
    await work(t, MINUTE * 2);
    expect(await states(t, payoutId)).toEqual(['paid', 'failed']);

    const [transfer] = payer.transfers.values();
    Object.assign(transfer!, { reversed: true, amount_reversed: 1000 });
    const event = { type: 'transfer.reversed', data: { object: transfer } };
    await tell(t, event, 'other').expect(400);
    await tell(t, event, 'whsec_1').expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['returned', 'failed']);
    expect((await t.admin.get(`/payouts/${payoutId}/transactions`)).body.transactions.data).toHaveLength(1);
  });

  it('says of a transfer that was reversed in part how much is missing, and pays nothing anew', async () => {
    const { t, payer } = await connected();
    await finish(t, payer.accounts);
    const payoutId = await send(t, 'stripe');
    await work(t);
    await work(t, MINUTE * 2);
    const [transfer] = payer.transfers.values();
    Object.assign(transfer!, { amount_reversed: 400 });
    await tell(t, { type: 'transfer.reversed', data: { object: transfer } }, 'whsec_1').expect(200);
    await work(t);
    expect(await states(t, payoutId)).toEqual(['paid', 'paid']);
    const { findings } = (await t.admin.post(`/payouts/${payoutId}/reconcile`).send({}).expect(200)).body;
    expect(findings).toMatchObject([{ kind: 'amount_differs', amount: 10, found_amount: 6 }]);
  });

  it('learns from account.updated who can be paid, by asking Stripe', async () => {
    const { t, payer } = await connected();
    const [first, second] = [...payer.accounts.values()];
    const updated = (account: Row | undefined) =>
      tell(
        t,
        {
          type: 'account.updated',
          data: { object: { object: 'account', ...account, payouts_enabled: true } },
        },
        'whsec_accounts',
      ).expect(200);
    const stateOf = async (user: number): Promise<string[]> =>
      (await t.as(user).get('/portal/payout-methods').expect(200)).body.methods.map(
        ({ state, reason }: { state: string; reason: string | null }) => `${state} ${reason ?? ''}`.trim(),
      );

    await updated(first); // says so, but Stripe does not
    expect((await stateOf(2))[0]).toMatch(/^refused Stripe still needs information/);
    Object.assign(first!, { payouts_enabled: true, capabilities: { transfers: 'active' } });
    await updated(first);
    await updated({ id: 'acct_of_another' });
    expect([await stateOf(2), await stateOf(3)]).toEqual([
      ['ok'],
      ['refused Finish the set-up at the payer.'],
    ]);

    Object.assign(second!, { payouts_enabled: true, capabilities: { transfers: 'active' } });
    await updated(second);
    Object.assign(first!, { payouts_enabled: false });
    await updated(first);
    const { body } = await t.admin
      .post('/payouts/validate-payout-config')
      .send({ config: { ...FORM, payout_method: 'stripe' } })
      .expect(200);
    expect([body.payable_affiliates_count, (await stateOf(3))[0]]).toEqual([1, 'ok']);
  });

  it('finds a transfer by its group after Stripe has forgotten the key', async () => {
    const { t, payer } = await connected();
    await finish(t, payer.accounts);
    payer.cut.push('/v1/transfers');
    const payoutId = await send(t, 'stripe');
    await work(t);
    await work(t, 2 * DAY);
    expect(await states(t, payoutId)).toEqual(['paid', 'unknown']);
    expect(payer.transfers.size).toBe(1);
  });
});

describe('Wise', () => {
  function wise() {
    const transfers = new Map<string, Row & { id: number }>();
    const world = {
      status: 'NEW',
      version: 0,
      ids: [] as number[],
      funded: 0,
      groups: 0,
      money: true,
      stuck: false,
    };
    // oxlint-disable-next-line complexity -- a payer's whole interface
    const payer = standIn('wise', ({ method, path, body }) => {
      if (path.endsWith('/batch-groups') && method === 'POST') {
        world.groups += 1;
        return [200, { id: 'group-1', status: 'NEW', version: 0 }];
      }
      if (path.endsWith('/batch-groups/group-1'))
        return method === 'GET'
          ? [200, { id: 'group-1', status: world.status, version: world.version, transferIds: world.ids }]
          : body['version'] === world.version
            ? [200, { status: (world.status = String(body['status'])) }]
            : [409, {}];
      if (path === '/v1/accounts')
        return String((body['details'] as Row)['IBAN']).startsWith('FR')
          ? [422, { errors: [{ code: 'NOT_VALID' }] }]
          : [200, { id: 77 }];
      if (path.endsWith('/quotes'))
        return [200, { id: 'quote', paymentOptions: [{ payIn: 'BALANCE', fee: { total: 0.31 } }], ...body }];
      if (path.endsWith('/batch-groups/group-1/transfers')) {
        const uuid = String(body['customerTransactionId']);
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
        const known = transfers.get(uuid);
        if (known) return [200, known];
        const transfer = {
          id: 500 + transfers.size,
          customerTransactionId: uuid,
          status: 'incoming_payment_waiting',
          created: '2026-01-15 15:00:00',
          targetCurrency: 'EUR',
          targetValue: 10,
        };
        transfers.set(uuid, transfer);
        world.ids.push(transfer.id);
        world.version += 1;
        return [200, transfer];
      }
      if (path.endsWith('/batch-payments/group-1/payments')) {
        if (!world.money)
          return [200, { status: 'REJECTED', errorCode: 'balance.payment-option-unavailable' }];
        world.funded += 1;
        if (!world.stuck) for (const transfer of transfers.values()) transfer['status'] = 'processing';
        return [200, { type: 'BALANCE', status: 'COMPLETED' }];
      }
      if (path.endsWith('/balances'))
        return [200, [{ currency: 'EUR', amount: { value: 25.5, currency: 'EUR' } }]];
      const found = [...transfers.values()].find(({ id }) => path.startsWith(`/v1/transfers/${id}`));
      if (found && path.endsWith('/cancel')) found['status'] = 'cancelled';
      return found ? [200, found] : [404, {}];
    });
    return { ...payer, transfers, world };
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

  it('takes its public key in one line, too, and says when it is none', async () => {
    const t = await startApp();
    const credentials = { environment: 'live', token: 't', profile_id: '12', source_currency: 'EUR' };
    const save = (public_key: string) =>
      t.admin.post('/settings/payers/wise').send({ credentials: { ...credentials, public_key } });
    const wrong = await save('-----BEGIN PUBLIC KEY-----MIIB').expect(422);
    expect(wrong.body.errors).toEqual({
      credentials: { invalid: "Wise's public key cannot be read. Copy it whole, from BEGIN to END." },
    });
    await save(pem.replaceAll('\n', ' ')).expect(200);
    const body = JSON.stringify({ data: { resource: { type: 'transfer', id: 1 } } });
    await t.anonymous
      .post('/webhooks/payers/wise')
      .set('Content-Type', 'application/json')
      .set('X-Signature-SHA256', createSign('RSA-SHA256').update(body).sign(privateKey, 'base64'))
      .send(body)
      .expect(200);
  });

  async function opened() {
    const payer = wise();
    const method = wisePayer({
      token: 't',
      profileId: '12',
      sourceCurrency: 'EUR',
      publicKey: pem,
      fetch: payer.fetch,
    });
    const t = await withMethod(method, 'EUR');
    const ibans = ['NL91ABNA0417164300', 'FR1420041010050500013M02606'];
    for (const [at, user] of [2, 3].entries())
      await t
        .as(user)
        .post('/portal/payout-methods/wise')
        .send({ details: { name: 'A', iban: ibans[at]! } })
        .expect(200);
    return { t, payer };
  }

  it.each(['/batch-groups/group-1/transfers', '/batch-groups/group-1', '/batch-payments/group-1/payments'])(
    'goes on with the same group when %s is cut, and pays once',
    async (cut) => {
      const { t, payer } = await opened();
      payer.cut.push(cut);
      const payoutId = await send(t, 'wise');
      await work(t);
      for (let at = 0; at < 3; at++) await work(t, HOUR);
      expect(await states(t, payoutId)).toEqual(['processing', 'failed']);
      expect(payer.world).toMatchObject({ groups: 1, status: 'COMPLETED' });
      expect(payer.transfers.size).toBe(1);
    },
  );

  it.each([
    ['incoming_payment_waiting', 'submitted'],
    ['incoming_payment_initiated', 'submitted'],
    ['processing', 'processing'],
    ['funds_converted', 'processing'],
    ['outgoing_payment_sent', 'paid'],
    ['bounced_back', 'returned'],
    ['funds_refunded', 'returned'],
    ['cancelled', 'canceled'],
    ['charged_back', 'returned'],
    ['something_new', 'submitted'],
  ])('calls a transfer %s that is %s here', async (theirs, ours) => {
    const { t, payer } = await opened();
    const payoutId = await send(t, 'wise');
    await work(t);
    await work(t);
    const [transfer] = payer.transfers.values();
    transfer!['status'] = theirs;
    await work(t, MINUTE);
    expect((await states(t, payoutId))[0]).toBe(ours);
  });

  it('goes no step back, in whatever order the events come, but from paid to returned', async () => {
    const { t, payer } = await opened();
    const payoutId = await send(t, 'wise');
    await work(t);
    await work(t);
    const [transfer] = payer.transfers.values();
    const seen: string[] = [];
    for (const [days, status] of [
      [1, 'outgoing_payment_sent'],
      [2, 'processing'],
      [7, 'bounced_back'],
      [20, 'outgoing_payment_sent'],
    ] as const) {
      transfer!['status'] = status;
      await work(t, days * DAY);
      seen.push((await states(t, payoutId))[0]!);
    }
    expect(seen).toEqual(['paid', 'paid', 'returned', 'returned']);
  });

  it('shows the balance before sending, and takes a transfer back that still waits', async () => {
    const { t, payer } = await opened();
    const payout = await t.records.payout({ ...FORM, payout_method: 'wise' });
    expect((await t.admin.get(`/payouts/${payout.id}/send?method=wise`)).body.plan).toMatchObject({
      balance: 25.5,
      enough: false,
    });
    payer.world.stuck = true;
    await t.admin
      .post(`/payouts/${payout.id}/send`)
      .send({ method: 'wise', count: 2, amount: 30 })
      .expect(200);
    await work(t);
    await work(t);
    expect((await states(t, payout.id))[0]).toBe('submitted');
    const { data } = (await t.admin.get(`/payouts/${payout.id}/payments`).expect(200)).body.payments;
    const { id } = data.find(({ state }: { state: string }) => state === 'submitted');
    await t.admin.post(`/payouts/${payout.id}/payments/${id}/cancel`).expect(200);
    await work(t);
    expect((await states(t, payout.id))[0]).toBe('canceled');
  });

  it('waits for money, and follows a transfer until it bounces weeks later', async () => {
    const { t, payer } = await opened();
    payer.world.money = false;
    const payoutId = await send(t, 'wise');
    await work(t);
    expect((await states(t, payoutId))[0]).toBe('unknown');
    payer.world.money = true;
    await work(t, HOUR);
    const [transfer] = payer.transfers.values();
    transfer!['status'] = 'outgoing_payment_sent';
    await work(t, HOUR);
    expect((await states(t, payoutId))[0]).toBe('paid');

    transfer!['status'] = 'bounced_back';
    const body = JSON.stringify({
      data: { resource: { type: 'transfer', id: transfer!.id }, occurred_at: '2026-02-01T00:00:00Z' },
    });
    const signed = createSign('RSA-SHA256').update(body).sign(privateKey, 'base64');
    const post = (signature: string) =>
      t.anonymous
        .post('/webhooks/payers/wise')
        .set('Content-Type', 'application/json')
        .set('X-Signature-SHA256', signature)
        .send(body);
    await post(signed.replace(/^./, (char) => (char === 'A' ? 'B' : 'A'))).expect(400);
    await post(signed).expect(200);
    await work(t);
    expect((await states(t, payoutId))[0]).toBe('returned');
  });
});
