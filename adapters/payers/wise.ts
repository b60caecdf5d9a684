import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import { createHash, createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { readIban } from '../../src/core/iban.js';
import { isMap, type JsonMap } from '../../src/core/is-map.js';
import { parseAmount } from '../../src/core/money.js';
import type {
  Payment,
  PaymentCheck,
  PaymentFee,
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

const LIVE = 'https://api.wise.com';
const SANDBOX = 'https://api.wise-sandbox.com';

/**
 * In the order in which a transfer goes through them; the position is used as the time, which Wise does not
 * report.
 */
const STATES: readonly (readonly [string, ReportedState])[] = [
  ['incoming_payment_waiting', 'submitted'],
  ['incoming_payment_initiated', 'submitted'],
  ['processing', 'processing'],
  ['funds_converted', 'processing'],
  ['outgoing_payment_sent', 'paid'],
  ['bounced_back', 'returned'],
  ['funds_refunded', 'returned'],
  ['cancelled', 'canceled'],
  ['charged_back', 'returned'],
];

export interface WiseOptions extends PayerAccess {
  readonly token: string;
  readonly profileId: string;
  /** Currency of the balance that pays. */
  readonly sourceCurrency: string;
  /** Default: live. */
  readonly sandbox?: boolean;
  /** Wise's public key for webhooks, in PEM; without it no event is accepted, and transfers are asked for. */
  readonly publicKey?: string;
  /** Another address of the API, for a stand-in. */
  readonly baseUrl?: string;
}

/** Pays by a batch group that is funded from a balance (docs/payout-methods.md §3). */
export function wise(options: WiseOptions): PayoutMethod {
  const api = new WiseApi(options);
  const publicKey = options.publicKey ? keyOf(options.publicKey) : null;
  return {
    key: 'wise',
    title: PAYER_TITLES.wise,
    currencies: ['EUR', 'GBP'],
    sandbox: options.sandbox === true,
    limits: { smallest_minor: 100, maxItems: 200, keyDays: 30 },
    timeoutMs: 300_000,
    details: {
      label: 'Bank account',
      schema: {
        name: { label: 'Account holder', maxLength: 140 },
        iban: { label: 'IBAN (euro accounts)', required: false, maxLength: 42 },
        sort_code: { label: 'Sort code (accounts in the UK)', required: false, maxLength: 8 },
        account: { label: 'Account number (accounts in the UK)', required: false, maxLength: 8 },
      },
      mask: ({ iban = '', account = '' }) => `•••• ${(iban || account).replaceAll(' ', '').slice(-4)}`,
    },
    check,
    send: (batch) => send(api, batch, options.sourceCurrency),
    fetch: (refs) => fetchTransfers(api, refs),
    cancel: async ({ ref }) => {
      const response = await api.call('PUT', `/v1/transfers/${encodeURIComponent(ref ?? '')}/cancel`);
      if (response.status >= 300) throw errorOf(response);
    },
    balance: (currency) => balance(api, currency, options.sourceCurrency),
    webhook: ({ headers, rawBody }) =>
      Promise.resolve(readEvent(publicKey, headers['x-signature-sha256'] ?? '', rawBody)),
    test: () => api.problem(),
  };
}

class WiseApi {
  readonly #ask: AskPayer;
  readonly #base: string;

  constructor(private readonly options: WiseOptions) {
    if (options.token === '' || !/^\d+$/.test(options.profileId))
      throw new TypeError('Wise needs an API token and the number of the profile.');
    this.#ask = payerClient(options);
    this.#base = options.baseUrl ?? (options.sandbox === true ? SANDBOX : LIVE);
  }

  call(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: JsonMap): Promise<PayerResponse> {
    const headers = { Authorization: `Bearer ${this.options.token}`, 'Content-Type': 'application/json' };
    return this.#ask(this.#base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** Of the profile: `/v3/profiles/12/batch-groups`. */
  ofProfile(version: string, path: string): string {
    return `/${version}/profiles/${this.options.profileId}${path}`;
  }

  get profileId(): number {
    return Number(this.options.profileId);
  }

  async problem(): Promise<string | null> {
    const response = await this.call('GET', this.ofProfile('v4', '/balances?types=STANDARD'));
    if (response.status === 401)
      return 'Wise does not know this token, or it is for the other environment (sandbox or live).';
    if (response.status === 403 || response.status === 404)
      return 'The token may not use this profile. Check the number of the profile and the rights of the token.';
    return response.status === 200 ? null : `Wise answered ${response.status}. Try again later.`;
  }
}

const errorOf = ({ status, body }: PayerResponse): PayerError =>
  new PayerError(status, `Wise answered ${status} ${textAt(mapsAt(body, 'errors')[0], 'code')}`.trim());

function check(
  details: Readonly<Record<string, string>>,
  { currency }: { readonly currency: string },
): PaymentCheck {
  if (currency === 'EUR')
    return readIban(details['iban'] ?? '') === null
      ? { ok: false, reason: 'This IBAN is not valid. Check each digit.' }
      : { ok: true };
  const isUk =
    /^\d{2}-?\d{2}-?\d{2}$/.test(details['sort_code'] ?? '') && /^\d{6,8}$/.test(details['account'] ?? '');
  return isUk ? { ok: true } : { ok: false, reason: 'Enter sort code and account number.' };
}

/** Wise wants a UUID; the same key always makes the same one. */
function uuidOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The group is made and stored in a first call, because Wise has no key for it; the same group is filled,
 * closed and funded in the next one. Each step may be repeated.
 */
async function send(api: WiseApi, batch: SentBatch, source: string): Promise<Sending> {
  if (batch.ref === null) return { ref: await newGroup(api, batch.key, source), payments: [] };
  const group = await groupOf(api, batch.ref);
  const isOpen = textAt(group, 'status') === 'NEW';
  const payments = isOpen
    ? await filled(api, batch, { group: batch.ref, source })
    : await closed(api, batch, group);
  if (payments.every(({ status }) => status === 'refused')) return { payments };
  if (isOpen) await close(api, batch.ref);
  await fund(api, batch.ref);
  return { payments };
}

async function filled(
  api: WiseApi,
  batch: SentBatch,
  into: { readonly group: string; readonly source: string },
): Promise<SendResponse[]> {
  const payments: SendResponse[] = [];
  for (const payment of batch.payments) payments.push(await transfer(api, payment, into));
  return payments;
}

/** An earlier call closed the group: what it holds is all that is paid with it. */
async function closed(api: WiseApi, batch: SentBatch, group: JsonMap): Promise<SendResponse[]> {
  const ids = Array.isArray(group['transferIds']) ? group['transferIds'] : [];
  const byUuid = new Map<string, string>();
  for (const id of ids) {
    const response = await api.call('GET', `/v1/transfers/${encodeURIComponent(String(id))}`);
    if (response.status !== 200) throw errorOf(response);
    byUuid.set(textAt(response.body, 'customerTransactionId'), String(id));
  }
  return batch.payments.map(({ key }) => {
    const ref = byUuid.get(uuidOf(key));
    return ref === undefined
      ? {
          key,
          status: 'refused',
          code: 'not_in_batch',
          message: 'Wise did not take this payment. Send it again.',
          again: true,
        }
      : { key, status: 'submitted', ref };
  });
}

async function newGroup(api: WiseApi, name: string, source: string): Promise<string> {
  const body = { name, sourceCurrency: source };
  const response = await api.call('POST', api.ofProfile('v3', '/batch-groups'), body);
  const id = textAt(response.body, 'id');
  if (response.status >= 300 || id === '') throw errorOf(response);
  return id;
}

async function groupOf(api: WiseApi, id: string): Promise<JsonMap> {
  const response = await api.call('GET', api.ofProfile('v3', `/batch-groups/${encodeURIComponent(id)}`));
  if (response.status !== 200) throw errorOf(response);
  return response.body;
}

async function close(api: WiseApi, id: string): Promise<void> {
  const { version } = await groupOf(api, id); // it grew with each transfer
  const response = await api.call('PATCH', api.ofProfile('v3', `/batch-groups/${encodeURIComponent(id)}`), {
    status: 'COMPLETED',
    version,
  });
  if (response.status >= 300) throw errorOf(response);
}

/** Funding what was funded before changes nothing. Without money it is tried again. */
async function fund(api: WiseApi, id: string): Promise<void> {
  const path = api.ofProfile('v3', `/batch-payments/${encodeURIComponent(id)}/payments`);
  const response = await api.call('POST', path, { type: 'BALANCE' });
  if (response.status >= 300) throw errorOf(response);
  const status = textAt(response.body, 'status');
  if (status !== 'COMPLETED')
    throw new PayerError(
      response.status,
      `Wise did not fund the batch: ${textAt(response.body, 'errorCode') || status}`,
    );
}

async function transfer(
  api: WiseApi,
  payment: Payment,
  { group, source }: { readonly group: string; readonly source: string },
): Promise<SendResponse> {
  const recipient = await api.call('POST', '/v1/accounts', recipientOf(api.profileId, payment));
  if (recipient.status >= 300) return refusal(payment.key, recipient);
  const target = Number(textAt(recipient.body, 'id'));
  const quote = await api.call('POST', api.ofProfile('v3', '/quotes'), {
    sourceCurrency: source,
    targetCurrency: payment.currency,
    targetAmount: Number(payment.amount),
    targetAccount: target,
    payOut: 'BANK_TRANSFER',
  });
  if (quote.status >= 300) return refusal(payment.key, quote);
  const response = await api.call(
    'POST',
    api.ofProfile('v3', `/batch-groups/${encodeURIComponent(group)}/transfers`),
    {
      targetAccount: target,
      quoteUuid: textAt(quote.body, 'id'),
      customerTransactionId: uuidOf(payment.key),
      details: { reference: payment.key.slice(0, 35) },
    },
  );
  const ref = textAt(response.body, 'id');
  if (response.status >= 300 || ref === '') return refusal(payment.key, response);
  const fee = feeOf(quote.body, source);
  return { key: payment.key, status: 'submitted', ref, ...(fee && { fee }) };
}

function recipientOf(profile: number, { details, name, currency }: Payment): JsonMap {
  const account =
    currency === 'EUR'
      ? { type: 'iban', details: { legalType: 'PRIVATE', IBAN: readIban(details['iban'] ?? '') ?? '' } }
      : {
          type: 'sort_code',
          details: {
            legalType: 'PRIVATE',
            sortCode: (details['sort_code'] ?? '').replaceAll('-', ''),
            accountNumber: details['account'] ?? '',
          },
        };
  return { profile, accountHolderName: details['name'] ?? name, currency, ...account };
}

/** Wise checks an account before it makes a transfer. Only its clear no is a refusal. */
function refusal(key: string, response: PayerResponse): SendResponse {
  if (response.status !== 400 && response.status !== 422) throw errorOf(response);
  const code = textAt(mapsAt(response.body, 'errors')[0], 'code') || `HTTP_${response.status}`;
  return { key, status: 'refused', code, message: 'Wise cannot pay this bank account. Check the details.' };
}

function feeOf(quote: JsonMap, source: string): PaymentFee | null {
  const option = mapsAt(quote, 'paymentOptions').find((each) => textAt(each, 'payIn') === 'BALANCE');
  const amount = parseAmount(textAt(option, 'fee', 'total'), source);
  return amount === null || option === undefined ? null : { amount_minor: amount, currency: source };
}

async function fetchTransfers(api: WiseApi, refs: readonly PaymentRef[]): Promise<PaymentTruth[]> {
  const found: PaymentTruth[] = [];
  for (const { ref, key } of refs) {
    if (ref === null) continue;
    const response = await api.call('GET', `/v1/transfers/${encodeURIComponent(ref)}`);
    if (response.status === 404) continue;
    if (response.status !== 200) throw errorOf(response);
    found.push(...truthOf(response.body, key));
  }
  return found;
}

function truthOf(transfer: JsonMap, key: string): PaymentTruth[] {
  const status = textAt(transfer, 'status');
  const at = STATES.findIndex(([name]) => name === status);
  const state = STATES[at]?.[1];
  if (state === undefined) return [];
  const currency = textAt(transfer, 'targetCurrency');
  const amount = parseAmount(textAt(transfer, 'targetValue'), currency);
  const isBack = state === 'returned' || state === 'canceled';
  return [
    {
      key,
      ref: textAt(transfer, 'id'),
      state,
      at: (Date.parse(`${textAt(transfer, 'created').replace(' ', 'T').slice(0, 19)}Z`) || 0) + at,
      ...(amount !== null && currency !== '' && { amount_minor: amount, currency }),
      ...(isBack && {
        code: status,
        message: 'The money came back from the bank. Check the account details.',
      }),
    },
  ];
}

async function balance(
  api: WiseApi,
  currency: string,
  source: string,
): Promise<{ readonly available_minor: number } | null> {
  if (currency !== source) return null; // converted at a rate that only the quotes know
  const response = await api.call('GET', api.ofProfile('v4', '/balances?types=STANDARD'));
  if (response.status !== 200) throw errorOf(response);
  const row = response.list.find((each) => textAt(each, 'currency') === source);
  return { available_minor: parseAmount(textAt(row, 'amount', 'value'), source) ?? 0 };
}

/** A key that was pasted into one line has lost its line breaks. */
function keyOf(pem: string): KeyObject {
  const [begin, end] = ['-----BEGIN PUBLIC KEY-----', '-----END PUBLIC KEY-----'];
  const lines = pem.replaceAll(/-----[A-Z ]+-----|\s/g, '').match(/.{1,64}/g) ?? [];
  try {
    return createPublicKey([begin, ...lines, end].join('\n'));
  } catch (cause) {
    throw new TypeError("Wise's public key cannot be read. Copy it whole, from BEGIN to END.", { cause });
  }
}

function readEvent(publicKey: KeyObject | null, signature: string, rawBody: Buffer): string[] | null {
  if (publicKey === null || signature === '') return null;
  const verify = createVerify('RSA-SHA256').update(rawBody);
  if (!verify.verify(publicKey, signature, 'base64')) return null;
  const event: unknown = JSON.parse(rawBody.toString('utf8'));
  const resource = isMap(event) && isMap(event['data']) ? event['data']['resource'] : null;
  return [textAt(resource, 'id')].filter((ref) => ref !== '');
}
