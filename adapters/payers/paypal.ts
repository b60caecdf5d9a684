import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import { DAY } from '../../src/core/duration.js';
import { isMap, type JsonMap } from '../../src/core/is-map.js';
import { currencyDigits, parseAmount } from '../../src/core/money.js';
import type {
  Payment,
  PaymentRef,
  PaymentTruth,
  PayoutMethod,
  SendResponse,
  Sending,
  SentBatch,
  ReportedState,
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

const LIVE = 'https://api-m.paypal.com';
const SANDBOX = 'https://api-m.sandbox.paypal.com';
const PAGE = 1000;
/** Of one batch; with more, reading the whole batch takes fewer requests. */
const SINGLE_ITEMS = 5;
const RECEIVER_MAX = 127;
const NOTE_MAX = 1000;
const CLAIM_MS = 30 * DAY;
/** PayPal takes only whole amounts in these currencies. */
const WHOLE = ['HUF', 'JPY', 'TWD'];
const CURRENCIES =
  'AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'.split(' ');

const STATES: Readonly<Record<string, ReportedState>> = {
  SUCCESS: 'paid',
  FAILED: 'failed',
  BLOCKED: 'failed',
  DENIED: 'failed',
  PENDING: 'processing',
  NEW: 'processing',
  UNCLAIMED: 'unclaimed',
  ONHOLD: 'held',
  RETURNED: 'returned',
  REFUNDED: 'returned',
  REVERSED: 'returned',
  CANCELED: 'canceled',
};

export interface PaypalOptions extends PayerAccess {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: live. */
  readonly sandbox?: boolean;
  /** The id of the webhook, as PayPal shows it; without it no event is accepted, and payments are asked for. */
  readonly webhookId?: string;
  /** Subject of the mail that PayPal sends to receivers. */
  readonly emailSubject?: string;
  /** Another address of the API, for a stand-in. */
  readonly baseUrl?: string;
}

/** Pays by PayPal Payouts (docs/payout-methods.md §3). */
export function paypal(options: PaypalOptions): PayoutMethod {
  const api = new PaypalApi(options);
  return {
    key: 'paypal',
    title: PAYER_TITLES.paypal,
    details: 'payment_email',
    currencies: CURRENCIES,
    sandbox: options.sandbox === true,
    // PayPal remembers an id for 30 days; a day less, so that clocks do not matter
    limits: { smallest_minor: 1, maxItems: 500, keyDays: 29 },
    timeoutMs: 60_000,
    check: (details, payment) => {
      const reason = refusal(details['payment_email'] ?? '', payment);
      return reason === null ? { ok: true } : { ok: false, reason };
    },
    send: (batch) => send(api, batch, options.emailSubject ?? 'You have a payment'),
    fetch: (refs) => fetchItems(api, refs),
    list: async (batches) => {
      const found: PaymentTruth[] = [];
      for (const { ref } of batches) if (ref !== null) found.push(...(await itemsOf(api, ref)));
      return found;
    },
    cancel: async ({ ref }) => {
      const response = await api.call(
        'POST',
        `/v1/payments/payouts-item/${encodeURIComponent(ref ?? '')}/cancel`,
      );
      if (response.status >= 300) throw errorOf(response);
    },
    balance: (currency) => balance(api, currency),
    webhook: ({ headers, rawBody }) => readEvent(api, options.webhookId ?? '', headers, rawBody),
    test: () => api.problem(),
  };
}

class PaypalApi {
  readonly #ask: AskPayer;
  readonly #base: string;
  readonly #basic: string;
  #token: { readonly value: string; readonly until: number } | null = null;

  constructor(options: PaypalOptions) {
    if (options.clientId === '' || options.clientSecret === '')
      throw new TypeError('PayPal needs client ID and secret.');
    this.#ask = payerClient(options);
    this.#base = options.baseUrl ?? (options.sandbox === true ? SANDBOX : LIVE);
    this.#basic = Buffer.from(`${options.clientId}:${options.clientSecret}`).toString('base64');
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
    more: Record<string, string> = {},
  ): Promise<PayerResponse> {
    const response = await this.#send(method, path, body, more);
    if (response.status !== 401) return response;
    this.#token = null; // revoked before its time
    return this.#send(method, path, body, more);
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    more: Record<string, string>,
  ): Promise<PayerResponse> {
    const headers = {
      Authorization: `Bearer ${await this.#bearer()}`,
      'Content-Type': 'application/json',
      ...more,
    };
    return this.#ask(this.#base + path, { method, headers, ...(body !== undefined && { body }) });
  }

  async #bearer(): Promise<string> {
    const now = performance.now();
    if (this.#token !== null && this.#token.until > now) return this.#token.value;
    const response = await this.#signIn();
    const value = textAt(response.body, 'access_token');
    if (response.status !== 200 || value === '') throw errorOf(response);
    this.#token = { value, until: now + (Number(textAt(response.body, 'expires_in')) || 60) * 900 };
    return value;
  }

  #signIn(): Promise<PayerResponse> {
    return this.#ask(`${this.#base}/v1/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${this.#basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
  }

  /** What is wrong with the credentials, in words. */
  async problem(): Promise<string | null> {
    const response = await this.#signIn();
    if (response.status === 401 || response.status === 400)
      return 'PayPal does not know this client ID and secret. Check that both belong to the same app, and that the app is of the chosen environment (sandbox or live).';
    if (response.status !== 200) return `PayPal answered ${response.status}. Try again later.`;
    const scope = textAt(response.body, 'scope');
    return scope === '' || scope.includes('/payments/payouts')
      ? null
      : 'The app may not send payouts. Switch on Payouts in the app at developer.paypal.com, and ask PayPal to enable it for your account.';
  }
}

/** The code of PayPal's error and nothing else: its texts may repeat what was sent. */
const errorOf = ({ status, body }: PayerResponse): PayerError =>
  new PayerError(status, `PayPal answered ${status} ${textAt(body, 'name') || textAt(body, 'error')}`.trim());

function refusal(
  receiver: string,
  { amount, currency }: { readonly amount: string | null; readonly currency: string },
): string | null {
  if (Buffer.byteLength(receiver) > RECEIVER_MAX)
    return `PayPal takes e-mail addresses of at most ${RECEIVER_MAX} characters.`;
  if (amount !== null && WHOLE.includes(currency) && !/^\d+(?:\.0+)?$/.test(amount))
    return `PayPal takes only whole amounts in ${currency}.`;
  return null;
}

const valueOf = ({ amount, currency }: Payment): string =>
  WHOLE.includes(currency) || currencyDigits(currency) === 0 ? amount.replace(/\.0+$/, '') : amount;

async function send(api: PaypalApi, batch: SentBatch, subject: string): Promise<Sending> {
  const response = await api.call('POST', '/v1/payments/payouts', JSON.stringify(bodyOf(batch, subject)), {
    'PayPal-Request-Id': batch.key,
  });
  if (response.status === 201 || response.status === 200) {
    const ref = textAt(response.body, 'batch_header', 'payout_batch_id');
    if (ref === '') throw new PayerError(response.status, 'PayPal answered without the id of the batch.');
    return submitted(batch, ref);
  }
  const first = firstBatch(response.body);
  if (first !== null) return submitted(batch, first); // an earlier call did it
  // Only a response that confirms that nothing was done ends the batch.
  if (response.status >= 500 || response.status === 429 || response.status === 401) throw errorOf(response);
  if (batch.repeated && response.status !== 400) throw errorOf(response);
  if (isDuplicate(response.body)) throw errorOf(response);
  return { payments: refusals(batch, response) };
}

const bodyOf = (batch: SentBatch, subject: string): JsonMap => ({
  sender_batch_header: {
    sender_batch_id: batch.key,
    email_subject: subject.slice(0, 255),
    ...(batch.payments[0] && { note: batch.payments[0].note.slice(0, NOTE_MAX) }),
  },
  items: batch.payments.map((payment) => ({
    recipient_type: 'EMAIL',
    receiver: payment.details['payment_email'] ?? '',
    amount: { currency: payment.currency, value: valueOf(payment) },
    note: payment.note.slice(0, NOTE_MAX),
    sender_item_id: payment.key,
  })),
});

const submitted = (batch: SentBatch, ref: string): Sending => ({
  ref,
  payments: batch.payments.map(({ key }) => ({ key, status: 'submitted' })),
});

const BATCH_LINK = /\/v1\/payments\/payouts\/([A-Za-z0-9_-]{1,30})(?:[?#]|$)/;

/** PayPal refuses an id that it knows, with a link to the first batch. */
function firstBatch(body: JsonMap): string | null {
  const links = [
    ...mapsAt(body, 'links'),
    ...mapsAt(body, 'details').flatMap((detail) => mapsAt(detail, 'link')),
  ];
  const found = links
    .map((link) => BATCH_LINK.exec(textAt(link, 'href'))?.[1])
    .find((id) => id !== undefined);
  return isDuplicate(body) || links.length > 0 ? (found ?? null) : null;
}

const isDuplicate = (body: JsonMap): boolean =>
  /sender_batch_id/i.test(JSON.stringify([body['message'], body['details']])) &&
  /duplicate|already|exist/i.test(JSON.stringify([body['name'], body['message'], body['details']]));

/** The syntax was refused, or the account may not: no item was paid. Those at fault are named. */
function refusals(batch: SentBatch, response: PayerResponse): SendResponse[] {
  const name = textAt(response.body, 'name') || `HTTP_${response.status}`;
  const faults = new Map(
    mapsAt(response.body, 'details').flatMap((detail) => {
      const at = /items[/[](\d+)/.exec(textAt(detail, 'field'))?.[1];
      return at === undefined ? [] : [[Number(at), textAt(detail, 'issue') || name] as const];
    }),
  );
  return batch.payments.map(({ key }, at) => {
    const issue = faults.get(at);
    return issue === undefined
      ? { key, status: 'refused', code: name, message: sentenceOf(name), again: true }
      : { key, status: 'refused', code: name, message: issue };
  });
}

const SENTENCES: Readonly<Record<string, string>> = {
  INSUFFICIENT_FUNDS: 'There is not enough money in the PayPal account.',
  AUTHORIZATION_ERROR: 'PayPal has not enabled Payouts for this account.',
  NOT_AUTHORIZED: 'PayPal has not enabled Payouts for this account.',
  VALIDATION_ERROR: 'PayPal refused another payment of the same batch. Send this one again.',
};
const sentenceOf = (name: string): string => SENTENCES[name] ?? `PayPal refused the batch (${name}).`;

async function fetchItems(api: PaypalApi, refs: readonly PaymentRef[]): Promise<PaymentTruth[]> {
  const batches = new Map<string, PaymentRef[]>();
  for (const ref of refs)
    if (ref.batch_ref !== null) batches.set(ref.batch_ref, [...(batches.get(ref.batch_ref) ?? []), ref]);
  const found: PaymentTruth[] = [];
  for (const [batch, wanted] of batches) {
    const isFew = wanted.length <= SINGLE_ITEMS && wanted.every(({ ref }) => ref !== null);
    if (isFew) for (const { ref } of wanted) found.push(...(await itemOf(api, ref!)));
    else found.push(...(await wholeBatch(api, batch, wanted)));
  }
  return found;
}

async function itemOf(api: PaypalApi, ref: string): Promise<PaymentTruth[]> {
  const response = await api.call('GET', `/v1/payments/payouts-item/${encodeURIComponent(ref)}`);
  if (response.status === 404) return [];
  if (response.status !== 200) throw errorOf(response);
  return truthOf(response.body);
}

/** All items, and for those that a denied or canceled batch does not list, its own end. */
async function wholeBatch(
  api: PaypalApi,
  ref: string,
  wanted: readonly PaymentRef[],
): Promise<PaymentTruth[]> {
  const header: JsonMap[] = [];
  const items = await itemsOf(api, ref, (head) => header.push(head));
  const status = textAt(header[0], 'batch_status');
  if (status !== 'DENIED' && status !== 'CANCELED') return items;
  const listed = new Set(items.map(({ key }) => key));
  const at = timeOf(header[0], 'time_completed', 'time_created');
  return [
    ...items,
    ...wanted
      .filter(({ key }) => !listed.has(key))
      .map(({ key }) => ({
        key,
        ref: null,
        at,
        state: 'failed' as const,
        code: `BATCH_${status}`,
        message: 'PayPal refused the whole batch. Check the balance and the limits of the account.',
        again: true,
      })),
  ];
}

async function itemsOf(
  api: PaypalApi,
  ref: string,
  onHeader?: (header: JsonMap) => void,
): Promise<PaymentTruth[]> {
  const found: PaymentTruth[] = [];
  for (let page = 1; page <= PAGE; page++) {
    const path = `/v1/payments/payouts/${encodeURIComponent(ref)}?page=${page}&page_size=${PAGE}&total_required=true`;
    const response = await api.call('GET', path);
    if (response.status === 404) return found;
    if (response.status !== 200) throw errorOf(response);
    if (page === 1 && isMap(response.body['batch_header'])) onHeader?.(response.body['batch_header']);
    const items = mapsAt(response.body, 'items');
    found.push(...items.flatMap(truthOf));
    const pages = Number(textAt(response.body, 'total_pages')) || 0;
    if (items.length === 0 || (pages > 0 ? page >= pages : items.length < PAGE)) return found;
  }
  return found;
}

function truthOf(item: JsonMap): PaymentTruth[] {
  const state = STATES[textAt(item, 'transaction_status')];
  const ref = textAt(item, 'payout_item_id');
  if (state === undefined || ref === '') return [];
  const currency = textAt(item, 'payout_item', 'amount', 'currency');
  const amount = parseAmount(textAt(item, 'payout_item', 'amount', 'value'), currency);
  const feeCurrency = textAt(item, 'payout_item_fee', 'currency');
  const fee = parseAmount(textAt(item, 'payout_item_fee', 'value'), feeCurrency);
  const at = timeOf(item, 'time_processed');
  const code = textAt(item, 'errors', 'name');
  const message = textAt(item, 'errors', 'message');
  return [
    {
      key: textAt(item, 'payout_item', 'sender_item_id') || null,
      ref,
      state,
      at,
      ...(amount !== null && currency !== '' && { amount_minor: amount, currency }),
      ...(fee !== null && feeCurrency !== '' && { fee: { amount_minor: fee, currency: feeCurrency } }),
      ...(code !== '' && { code }),
      ...(message !== '' && { message }),
      ...(state === 'unclaimed' && { until: at + CLAIM_MS }),
    },
  ];
}

/** Null where the app lacks the right to read it (*Transaction search*). */
async function balance(
  api: PaypalApi,
  currency: string,
): Promise<{ readonly available_minor: number } | null> {
  const response = await api.call(
    'GET',
    `/v1/reporting/balances?currency_code=${encodeURIComponent(currency)}`,
  );
  if (response.status >= 500) throw errorOf(response);
  const row = mapsAt(response.body, 'balances').find((each) => textAt(each, 'currency') === currency);
  const available = parseAmount(textAt(row, 'available_balance', 'value'), currency);
  return response.status !== 200 || available === null ? null : { available_minor: available };
}

/** The first of these times that is there, epoch ms. */
function timeOf(map: unknown, ...names: readonly string[]): number {
  const times = names.map((name) => Date.parse(textAt(map, name)));
  return times.find((time) => !Number.isNaN(time)) ?? 0;
}

/** PayPal is asked whether it sent the event; then its ids are fetched. */
async function readEvent(
  api: PaypalApi,
  webhookId: string,
  headers: Readonly<Record<string, string>>,
  rawBody: Buffer,
): Promise<string[] | null> {
  const text = rawBody.toString('utf8');
  const event = eventOf(text);
  const signed = {
    auth_algo: headers['paypal-auth-algo'],
    cert_url: headers['paypal-cert-url'],
    transmission_id: headers['paypal-transmission-id'],
    transmission_sig: headers['paypal-transmission-sig'],
    transmission_time: headers['paypal-transmission-time'],
  };
  if (webhookId === '' || event === null || Object.values(signed).some((value) => !value)) return null;
  // The event goes back byte for byte: its signature is over these bytes.
  const body = `${JSON.stringify({ ...signed, webhook_id: webhookId }).slice(0, -1)},"webhook_event":${text}}`;
  const response = await api.call('POST', '/v1/notifications/verify-webhook-signature', body);
  if (response.status >= 500) throw errorOf(response);
  if (textAt(response.body, 'verification_status') !== 'SUCCESS') return null;
  const resource = event['resource'];
  return [
    textAt(resource, 'payout_item_id'),
    textAt(resource, 'payout_item', 'sender_item_id'),
    textAt(resource, 'batch_header', 'payout_batch_id'),
  ].filter((ref) => ref !== '');
}

function eventOf(text: string): JsonMap | null {
  try {
    const event: unknown = JSON.parse(text);
    return isMap(event) ? event : null;
  } catch {
    return null;
  }
}
