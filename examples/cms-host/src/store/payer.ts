import type { Sqlite } from './open.js';

export interface StandInPayment {
  readonly id: number;
  readonly batch: string;
  readonly item: string;
  readonly receiver: string;
  readonly currency: string;
  readonly value: string;
  readonly state: string;
  readonly at: string;
}

interface Sent {
  readonly sender_batch_header: { readonly sender_batch_id: string };
  readonly items: readonly {
    readonly receiver: string;
    readonly sender_item_id: string;
    readonly amount: { readonly currency: string; readonly value: string };
  }[];
}

type Answer = readonly [status: number, body: object];

/** What the page can do to a payment. */
export const PAYER_STATES = ['SUCCESS', 'ONHOLD', 'UNCLAIMED', 'FAILED', 'RETURNED'] as const;

/** A small PayPal on this machine: payments arrive as pending, and a page decides what becomes of them. */
export class StandInPayer {
  constructor(private readonly db: Sqlite) {}

  newest(limit: number): StandInPayment[] {
    return this.db
      .prepare<[number], StandInPayment>('SELECT * FROM payer_payments ORDER BY id DESC LIMIT ?')
      .all(limit);
  }

  /** The payment after it; null when there is none. */
  move(id: number, state: string): StandInPayment | null {
    this.db
      .prepare('UPDATE payer_payments SET state = ?, at = ? WHERE id = ?')
      .run(state, new Date().toISOString(), id);
    return this.#find(id);
  }

  #find(id: number): StandInPayment | null {
    return (
      this.db.prepare<[number], StandInPayment>('SELECT * FROM payer_payments WHERE id = ?').get(id) ?? null
    );
  }

  /** Takes the place of `fetch`, so that no request leaves this machine. */
  readonly fetch: typeof fetch = (input, init) => {
    const { pathname } = new URL(String(input));
    const [status, body] = this.#answer(pathname, typeof init?.body === 'string' ? init.body : '');
    return Promise.resolve(Response.json(body, { status }));
  };

  #answer(path: string, body: string): Answer {
    if (path === '/v1/oauth2/token') return [200, { access_token: 'demo', expires_in: 3600 }];
    if (path === '/v1/notifications/verify-webhook-signature')
      return [200, { verification_status: 'SUCCESS' }];
    if (path === '/v1/payments/payouts') return this.#pay(JSON.parse(body) as Sent);
    const [, batch] = /^\/v1\/payments\/payouts\/([\w-]+)$/.exec(path) ?? [];
    if (batch !== undefined) return this.#batch(batch);
    const [, id, cancel] = /^\/v1\/payments\/payouts-item\/(\d+)(\/cancel)?$/.exec(path) ?? [];
    if (id === undefined) return [404, { name: 'NOT_FOUND' }];
    if (cancel !== undefined) this.move(Number(id), 'RETURNED');
    const row = this.#find(Number(id));
    return row ? [200, itemOf(row)] : [404, { name: 'INVALID_RESOURCE_ID' }];
  }

  /** Only the id of the batch is unique, as at PayPal. */
  #pay({ sender_batch_header: { sender_batch_id: batch }, items }: Sent): Answer {
    if (this.#rows(batch).length === 0) {
      const insert = this.db.prepare(
        'INSERT INTO payer_payments (batch, item, receiver, currency, value, state, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      );
      const at = new Date().toISOString();
      for (const { receiver, sender_item_id: item, amount } of items)
        insert.run(batch, item, receiver, amount.currency, amount.value, 'PENDING', at);
    }
    return [201, { batch_header: { payout_batch_id: batch, batch_status: 'PENDING' } }];
  }

  #batch(batch: string): Answer {
    const items = this.#rows(batch).map(itemOf);
    return [
      200,
      { total_pages: 1, batch_header: { payout_batch_id: batch, batch_status: 'SUCCESS' }, items },
    ];
  }

  #rows(batch: string): StandInPayment[] {
    return this.db
      .prepare<[string], StandInPayment>('SELECT * FROM payer_payments WHERE batch = ? ORDER BY id')
      .all(batch);
  }
}

const itemOf = (row: StandInPayment): object => ({
  payout_item_id: String(row.id),
  payout_batch_id: row.batch,
  transaction_status: row.state,
  time_processed: row.at,
  payout_item: {
    receiver: row.receiver,
    sender_item_id: row.item,
    amount: { currency: row.currency, value: row.value },
  },
  ...(row.state === 'FAILED' && {
    errors: { name: 'RECEIVER_UNCONFIRMED', message: 'The account is closed.' },
  }),
});
