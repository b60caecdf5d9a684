// A stand-in of PayPal Payouts with books of its own, made from PayPal's published description of the interface:
// it answers slowly, with 5xx before and after doing the work, cuts connections, holds and returns payments, runs out
// of money, and repeats and reorders its events. Each request is checked against the description.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { faultsOfRequest } from './payer-requests.mjs';

const CLIENT = Buffer.from('client:secret').toString('base64');
const error = (name, message, more = {}) => ({ name, message, debug_id: 'd1', ...more });

export class PaypalPayer {
  /** By payout_batch_id. */
  batches = new Map();
  /** By sender_batch_id. */
  bySender = new Map();
  /** By payout_item_id. */
  items = new Map();
  /** Requests that the description does not allow. */
  invalid = [];
  requests = 0;
  balance = Infinity;
  /** What happens to a request that pays: 'fine', '5xx-before', '5xx-after', 'cut-before', 'cut-after', 'slow'. */
  weather = () => 'fine';
  /** The states an item goes through: `[after ms, state]`. */
  fate = () => [[0, 'SUCCESS']];
  slowMs = 50;
  /** The most items of a page, whatever is asked for. */
  pageMax = 1000;
  /** The end of batches that are made from now on; null: SUCCESS, or DENIED without money. */
  batchEnd = null;
  /** How long after its payment an item has a fee. */
  feeAfter = 0;
  #server;
  #now;
  #made = 0;

  constructor(now = () => Date.now()) {
    this.#now = now;
    this.#server = createServer((req, res) => {
      void this.#answer(req, res).catch(() => res.destroy());
    });
  }

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Where an item is now. */
  stateOf(item) {
    const age = this.#now() - item.created;
    let found = item.fate[0];
    for (const step of item.fate) if (age >= step[0]) found = step;
    return { state: found[1], at: item.created + found[0] };
  }

  /** From now on the item has this state. */
  move(item, state) {
    const { state: before, at } = this.stateOf(item);
    item.fate = [
      [at - item.created, before],
      [this.#now() - item.created, state],
    ];
  }

  itemOf(transactionId) {
    return [...this.items.values()].filter(({ sender }) => sender.includes(`-T${transactionId}-`));
  }

  /** An event as PayPal sends it, with headers that `verify-webhook-signature` accepts. */
  event(item) {
    const { state } = this.stateOf(item);
    const event = {
      id: `WH-${item.id}-${state}`,
      event_type: `PAYMENT.PAYOUTS-ITEM.${state}`,
      resource: this.#show(item),
    };
    return { headers: this.sign('right'), body: JSON.stringify(event) };
  }

  /** An event about a whole batch: it names no items. */
  batchEvent(batch, type) {
    const event = {
      id: `WH-${batch.id}-${type}`,
      event_type: `PAYMENT.PAYOUTSBATCH.${type}`,
      resource_type: 'payouts',
      resource: { batch_header: this.#header(batch, type === 'SUCCESS' ? 'SUCCESS' : type) },
    };
    return { headers: this.sign('right'), body: JSON.stringify(event) };
  }

  sign(signature) {
    return {
      'content-type': 'application/json',
      'paypal-auth-algo': 'SHA256withRSA',
      'paypal-cert-url': 'https://api.paypal.com/cert',
      'paypal-transmission-id': 'ab-12',
      'paypal-transmission-sig': signature,
      'paypal-transmission-time': '2026-01-15T15:00:00Z',
    };
  }

  async #answer(req, res) {
    this.requests += 1;
    const parts = [];
    for await (const part of req) parts.push(part);
    const body = Buffer.concat(parts).toString();
    const { pathname, searchParams } = new URL(req.url, 'http://payer');
    const faults = faultsOfRequest('paypal', {
      method: req.method,
      url: req.url,
      headers: req.headers,
      text: body,
    });
    this.invalid.push(...faults);
    const send = (status, value) => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(value));
    };
    if (pathname === '/v1/oauth2/token')
      return req.headers.authorization === `Basic ${CLIENT}`
        ? send(200, {
            access_token: 'token',
            token_type: 'Bearer',
            expires_in: 3600,
            scope: 'https://uri.paypal.com/payments/payouts',
          })
        : send(401, { error: 'invalid_client' });
    if (req.headers.authorization !== 'Bearer token') return send(401, error('AUTHENTICATION_FAILURE', 'no'));
    if (req.method === 'POST' && pathname === '/v1/payments/payouts')
      return this.#create(body, send, res, faults);
    if (pathname === '/v1/notifications/verify-webhook-signature') return this.#verify(body, send);
    if (pathname === '/v1/reporting/balances') return this.#balances(searchParams.get('currency_code'), send);
    const [, batch] = /^\/v1\/payments\/payouts\/([\w-]+)$/.exec(pathname) ?? [];
    if (batch) return this.#showBatch(batch, searchParams, send);
    const [, id, cancel] = /^\/v1\/payments\/payouts-item\/([\w-]+)(\/cancel)?$/.exec(pathname) ?? [];
    const item = this.items.get(id);
    if (!item) return send(404, error('INVALID_RESOURCE_ID', 'no such item'));
    if (cancel) {
      if (this.stateOf(item).state !== 'UNCLAIMED')
        return send(400, error('ITEM_INCORRECT_STATUS', 'not unclaimed'));
      this.move(item, 'RETURNED');
    }
    return send(200, this.#show(item));
  }

  #verify(body, send) {
    const sent = JSON.parse(body);
    send(200, { verification_status: sent.transmission_sig === 'right' ? 'SUCCESS' : 'FAILURE' });
  }

  #balances(currency, send) {
    if (this.balance === Infinity) return send(403, error('NOT_AUTHORIZED', 'no Transaction Search'));
    const value = { currency_code: currency, value: (this.balance / 100).toFixed(2) };
    return send(200, {
      balances: [{ currency, primary: true, total_balance: value, available_balance: value }],
    });
  }

  async #create(body, send, res, faults) {
    const weather = this.weather();
    if (weather === '5xx-before') return send(503, error('SERVICE_UNAVAILABLE', 'later'));
    if (weather === 'cut-before') return res.destroy();
    if (weather === 'slow') await new Promise((resolve) => setTimeout(resolve, this.slowMs));
    const [status, answer] = this.#pay(body, faults);
    if (weather === '5xx-after') return send(500, error('INTERNAL_SERVICE_ERROR', 'lost'));
    if (weather === 'cut-after') return res.destroy();
    return send(status, answer);
  }

  #pay(body, faults) {
    const sent = JSON.parse(body);
    if (faults.length > 0)
      return [
        400,
        error('VALIDATION_ERROR', 'Invalid request', {
          details: [{ field: '/items/0/receiver', issue: 'bad' }],
        }),
      ];
    const sender = sent.sender_batch_header.sender_batch_id;
    const known = this.bySender.get(sender);
    if (known) {
      if (known.body !== body) this.invalid.push({ changed: sender });
      return [
        400,
        error('USER_BUSINESS_ERROR', 'Batch with given sender_batch_id already exists', {
          links: [{ href: `${this.url}/v1/payments/payouts/${known.id}`, rel: 'self', method: 'GET' }],
        }),
      ];
    }
    const id = `PB${++this.#made}`;
    const sum = sent.items.reduce((total, { amount }) => total + Math.round(Number(amount.value) * 100), 0);
    const denied = sum > this.balance || this.batchEnd === 'DENIED';
    const batch = { id, sender, body, denied, items: [], created: this.#now(), end: this.batchEnd };
    this.batches.set(id, batch);
    this.bySender.set(sender, batch);
    if (!batch.denied && batch.end !== 'CANCELED') {
      this.balance -= sum;
      for (const each of sent.items) this.#add(batch, each);
    }
    return [201, { batch_header: this.#header(batch, 'PENDING') }];
  }

  #add(batch, { receiver, amount, sender_item_id: sender }) {
    const item = {
      id: `PI${++this.#made}`,
      batch: batch.id,
      sender,
      receiver,
      amount,
      minor: Math.round(Number(amount.value) * 100),
      created: this.#now(),
      fate: this.fate({ receiver, sender }),
    };
    this.items.set(item.id, item);
    batch.items.push(item);
  }

  #header({ id, sender, denied, created, end }, status) {
    return {
      payout_batch_id: id,
      batch_status: status ?? (denied ? 'DENIED' : (end ?? 'SUCCESS')),
      time_created: new Date(created).toISOString(),
      sender_batch_header: { sender_batch_id: sender },
    };
  }

  #showBatch(id, query, send) {
    const batch = this.batches.get(id);
    if (!batch) return send(404, error('INVALID_RESOURCE_ID', 'no such batch'));
    const size = Math.min(Number(query.get('page_size') ?? 1000), this.pageMax);
    const page = Number(query.get('page') ?? 1);
    return send(200, {
      total_items: batch.items.length,
      total_pages: Math.max(1, Math.ceil(batch.items.length / size)),
      batch_header: this.#header(batch, null),
      items: batch.items.slice((page - 1) * size, page * size).map((item) => this.#show(item)),
    });
  }

  #show(item) {
    const { state, at } = this.stateOf(item);
    return {
      payout_item_id: item.id,
      payout_batch_id: item.batch,
      transaction_status: state,
      payout_item: {
        recipient_type: 'EMAIL',
        amount: item.amount,
        receiver: item.receiver,
        sender_item_id: item.sender,
      },
      time_processed: new Date(at).toISOString(),
      ...(state === 'SUCCESS' &&
        this.#now() >= at + this.feeAfter && { payout_item_fee: { currency: 'USD', value: '0.25' } }),
      ...(state === 'FAILED' && { errors: error('RECEIVER_ACCOUNT_LOCKED', 'The account is locked.') }),
    };
  }
}
