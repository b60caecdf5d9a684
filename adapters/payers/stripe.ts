import { createHmac } from 'node:crypto';
import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import { sameBytes } from '../../src/core/constant-time.js';
import { systemClock } from '../../src/core/clock.js';
import { isMap, type JsonMap } from '../../src/core/is-map.js';
import { currencyDigits } from '../../src/core/money.js';
import type {
  Payment,
  PaymentCheck,
  PaymentRef,
  PayerNews,
  PaymentTruth,
  PayoutMethod,
  SendResponse,
  Sending,
  SentBatch,
} from '../payers.js';
import {
  mapsAt,
  payerClient,
  PayerError,
  textAt,
  type AskPayer,
  type PayerAccess,
  type PayerResponse,
} from './client.js';

const BASE = 'https://api.stripe.com/v1';
const TOLERANCE_S = 300;
/** Where Stripe counts other decimals than ISO 4217; transfers of whole units end in 00. */
const STRIPE_DIGITS: Readonly<Record<string, number>> = { ISK: 2, UGX: 2 };

export interface StripePayerOptions extends PayerAccess {
  /** A restricted key that may write transfers, accounts and account links, and read the balance. */
  readonly key: string;
  /**
   * Signing secrets (`whsec_…`) of the webhooks: that of your own account and that of connected accounts. Without one
   * no event is accepted, and transfers are asked for.
   */
  readonly webhookSecret?: string | readonly string[];
  /** Another address of the API, for a stand-in. */
  readonly baseUrl?: string;
  /** The time against which signatures are checked; default: the system's. */
  readonly now?: () => number;
}

/** Pays by transfers to connected accounts (docs/payout-methods.md §3). */
export function stripeConnect(options: StripePayerOptions): PayoutMethod {
  const api = new StripeApi(options);
  return {
    key: 'stripe',
    title: PAYER_TITLES.stripe,
    sandbox: /^(?:sk|rk)_test_/.test(options.key),
    // Stripe remembers keys for at least 24 hours; afterwards transfers are found by their group
    limits: { smallest_minor: 1, maxItems: 50, keyDays: 0.9 },
    timeoutMs: 120_000,
    details: {
      label: 'Stripe account',
      schema: { account: { label: 'Stripe account', maxLength: 60 } },
      mask: ({ account = '' }) => `acct_•••${account.slice(-4)}`,
    },
    check: (details, { amount }) => check(api, details['account'] ?? '', amount === null),
    connect: (account) => connect(api, account),
    send: (batch) => send(api, batch),
    fetch: (refs) => fetchTransfers(api, refs),
    balance: async (currency) => ({ available_minor: await api.available(currency) }),
    webhook: ({ headers, rawBody }) =>
      Promise.resolve(readEvent(options, headers['stripe-signature'] ?? '', rawBody)),
    test: () => api.problem(),
  };
}

class StripeApi {
  readonly #ask: AskPayer;
  readonly #base: string;

  constructor(private readonly options: StripePayerOptions) {
    if (options.key === '') throw new TypeError('Stripe needs a restricted key.');
    this.#ask = payerClient(options);
    this.#base = options.baseUrl ?? BASE;
  }

  get(path: string): Promise<PayerResponse> {
    return this.#ask(this.#base + path, { headers: this.#headers() });
  }

  post(path: string, form: Readonly<Record<string, string>>, key?: string): Promise<PayerResponse> {
    const headers = {
      ...this.#headers(),
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(key !== undefined && { 'Idempotency-Key': key }),
    };
    return this.#ask(this.#base + path, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form).toString(),
    });
  }

  #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.options.key}` };
  }

  async available(currency: string): Promise<number> {
    const response = await this.get('/balance');
    if (response.status !== 200) throw errorOf(response);
    const row = mapsAt(response.body, 'available').find(
      (each) => textAt(each, 'currency') === currency.toLowerCase(),
    );
    return fromStripe(Number(textAt(row, 'amount')) || 0, currency);
  }

  async problem(): Promise<string | null> {
    const response = await this.get('/balance');
    if (response.status === 401)
      return 'Stripe does not know this key. Check that it was copied whole and was not deleted.';
    if (response.status === 403)
      return 'The key may not read the balance. Give it Balance: read, Transfers: write, Accounts: write, Account Links: write.';
    return response.status === 200 ? null : `Stripe answered ${response.status}. Try again later.`;
  }
}

/** The code of Stripe's error and nothing else: its texts may repeat what was sent. */
const errorOf = ({ status, body }: PayerResponse): PayerError =>
  new PayerError(
    status,
    `Stripe answered ${status} ${textAt(body, 'error', 'code') || textAt(body, 'error', 'type')}`.trim(),
  );

const shift = (currency: string): number =>
  (STRIPE_DIGITS[currency] ?? currencyDigits(currency)) - currencyDigits(currency);
const toStripe = (amount: number, currency: string): number => amount * 10 ** shift(currency);
const fromStripe = (amount: number, currency: string): number => amount / 10 ** shift(currency);

/** The account is asked for when an affiliate enters it; a payment run would ask thousands of times. */
async function check(api: StripeApi, account: string, ask: boolean): Promise<PaymentCheck> {
  if (!/^acct_[A-Za-z0-9]{8,50}$/.test(account))
    return { ok: false, reason: 'Connect your Stripe account first.' };
  if (!ask) return { ok: true };
  const response = await api.get(`/accounts/${account}`);
  if (response.status === 403 || response.status === 404)
    return { ok: false, reason: 'This Stripe account is not connected to us. Connect it again.' };
  if (response.status !== 200) throw errorOf(response);
  const isReady =
    textAt(response.body, 'capabilities', 'transfers') === 'active' &&
    response.body['payouts_enabled'] === true;
  return isReady
    ? { ok: true }
    : { ok: false, reason: 'Stripe still needs information from you. Finish the set-up there.' };
}

async function connect(
  api: StripeApi,
  { details, email, returnUrl }: Parameters<NonNullable<PayoutMethod['connect']>>[0],
): Promise<{ readonly url: string; readonly details: Readonly<Record<string, string>> }> {
  const account = details['account'] ?? (await newAccount(api, email));
  const link = await api.post('/account_links', {
    account,
    type: 'account_onboarding',
    refresh_url: returnUrl,
    return_url: returnUrl,
  });
  const url = textAt(link.body, 'url');
  if (link.status !== 200 || url === '') throw errorOf(link);
  return { url, details: { account } };
}

async function newAccount(api: StripeApi, email: string): Promise<string> {
  const response = await api.post('/accounts', {
    type: 'express',
    'capabilities[transfers][requested]': 'true',
    ...(email !== '' && { email }),
  });
  const id = textAt(response.body, 'id');
  if (response.status !== 200 || id === '') throw errorOf(response);
  return id;
}

/** One transfer after the other. Those after a lost connection have no result, and are repeated. */
async function send(api: StripeApi, batch: SentBatch): Promise<Sending> {
  const payments: SendResponse[] = [];
  for (const payment of batch.payments) {
    try {
      payments.push(await transfer(api, payment, batch));
    } catch (error) {
      if (payments.length === 0) throw error;
      break;
    }
  }
  return { payments };
}

async function transfer(
  api: StripeApi,
  payment: Payment,
  { repeated, key: batch }: SentBatch,
): Promise<SendResponse> {
  const { key, currency } = payment;
  const form = {
    amount: String(toStripe(payment.amount_minor, currency)),
    currency: currency.toLowerCase(),
    destination: payment.details['account'] ?? '',
    transfer_group: key,
    'metadata[payment]': key,
    'metadata[batch]': batch,
  };
  const response = await api.post('/transfers', form, key);
  const ref = textAt(response.body, 'id');
  if (response.status === 200 && ref !== '') return { key, status: 'submitted', ref };
  return refusal(key, response, repeated);
}

const PAYEE = /^(?:account_|insufficient_capabilities|transfers_not_allowed|resource_missing)/;
const SENTENCES: Readonly<Record<string, string>> = {
  balance_insufficient: 'There is not enough money in the Stripe balance.',
  insufficient_capabilities_for_transfer: 'The Stripe account cannot receive transfers yet.',
};

/** Throws unless the response confirms that nothing was done. */
function refusal(key: string, response: PayerResponse, repeated: boolean): SendResponse {
  if (!isClear(response.status, repeated)) throw errorOf(response);
  const { body, status } = response;
  const code = textAt(body, 'error', 'code') || textAt(body, 'error', 'type') || `http_${status}`;
  const isPayee = PAYEE.test(code) || textAt(body, 'error', 'param') === 'destination';
  const other = isPayee ? 'Stripe cannot pay this account.' : `Stripe refused the transfer (${code}).`;
  return {
    key,
    status: 'refused',
    code,
    message: SENTENCES[code] ?? other,
    ...(!isPayee && { again: true }),
  };
}

/** Does this status confirm that nothing was done, now and in an earlier call with the same key? */
function isClear(status: number, repeated: boolean): boolean {
  if (status === 400 || status === 402) return true;
  return !repeated && status > 402 && status < 500 && status !== 409 && status !== 429;
}

async function fetchTransfers(api: StripeApi, refs: readonly PaymentRef[]): Promise<PaymentTruth[]> {
  const found: PaymentTruth[] = [];
  for (const { ref, key } of refs) {
    const response = await api.get(
      ref === null
        ? `/transfers?limit=1&transfer_group=${encodeURIComponent(key)}`
        : `/transfers/${encodeURIComponent(ref)}`,
    );
    if (response.status === 404) continue;
    if (response.status !== 200) throw errorOf(response);
    const transfer = ref === null ? mapsAt(response.body, 'data')[0] : response.body;
    if (transfer !== undefined) found.push(...truthOf(transfer));
  }
  return found;
}

/** A transfer is in the account at once; it may be reversed later. */
function truthOf(transfer: JsonMap): PaymentTruth[] {
  const ref = textAt(transfer, 'id');
  const currency = textAt(transfer, 'currency').toUpperCase();
  if (ref === '' || currency === '') return [];
  const amount = Number(textAt(transfer, 'amount'));
  const reversed = Number(textAt(transfer, 'amount_reversed')) || 0;
  const isBack = transfer['reversed'] === true || reversed >= amount;
  const times = mapsAt(transfer['reversals'], 'data').map((each) => Number(textAt(each, 'created')) * 1000);
  const created = Number(textAt(transfer, 'created')) * 1000;
  return [
    {
      key: textAt(transfer, 'metadata', 'payment') || textAt(transfer, 'transfer_group') || null,
      ref,
      state: isBack ? 'returned' : 'paid',
      at: Math.max(isBack ? created + 1 : created, ...times),
      // a part that was taken back is a difference that a person has to settle
      amount_minor: fromStripe(isBack ? amount : amount - reversed, currency),
      currency,
      ...(isBack && { code: 'reversed', message: 'The transfer was reversed.' }),
    },
  ];
}

function readEvent(
  { webhookSecret = [], now = () => systemClock.now() }: StripePayerOptions,
  header: string,
  body: Buffer,
): PayerNews | null {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string?]);
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time) || Math.abs(now() / 1000 - Number(time)) > TOLERANCE_S) return null;
  const isRight = [webhookSecret].flat().some((secret) => {
    const wanted = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
    const isSame = ([name, value = '']: readonly [string, string?]): boolean =>
      name === 'v1' && sameBytes(wanted, Buffer.from(value, 'hex'));
    return secret !== '' && parts.some(isSame);
  });
  if (!isRight) return null;
  const event: unknown = JSON.parse(body.toString('utf8'));
  const object = isMap(event) && isMap(event['data']) ? event['data']['object'] : null;
  const [kind, id] = [textAt(object, 'object'), textAt(object, 'id')];
  return {
    payments: kind === 'transfer' ? [id, textAt(object, 'transfer_group')].filter(Boolean) : [],
    details: kind === 'account' ? [{ account: id }] : [],
  };
}
