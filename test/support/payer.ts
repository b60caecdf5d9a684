import type {
  PaymentRef,
  PaymentTruth,
  PayoutMethod,
  SendResponse,
  SentBatch,
  ReportedState,
} from '../../src/accounting/payouts/types.js';

interface Paid {
  readonly key: string;
  readonly ref: string;
  readonly batch: string;
  readonly amount: number;
  readonly currency: string;
  readonly to: Readonly<Record<string, string>>;
  state: ReportedState;
  at: number;
  message?: string;
  until?: number;
}

/** A payer of a host, with its own books: what it was asked, what it did, and how it misbehaves. */
export interface TestPayer extends PayoutMethod {
  readonly books: Map<string, Paid>;
  readonly calls: SentBatch[];
  /** Does the next call first do the work, and then fail? Each entry is for one call. */
  readonly faults: ('before' | 'after')[];
  /** Refuses payments by key. */
  refuse: (
    key: string,
  ) => { readonly code: string; readonly message: string; readonly again?: boolean } | null;
  /** What becomes of payments when they arrive. */
  arrives: ReportedState;
  move(
    transactionId: number,
    state: ReportedState,
    more?: { readonly message?: string; readonly until?: number },
  ): void;
}

export function testPayer(now: () => number, over: Partial<PayoutMethod> = {}): TestPayer {
  const books = new Map<string, Paid>();
  const calls: SentBatch[] = [];
  const faults: ('before' | 'after')[] = [];
  const pay = (batch: SentBatch): SendResponse[] =>
    batch.payments.map(({ key, amount_minor: amount, currency, details: to }): SendResponse => {
      const refused = payer.refuse(key);
      if (refused) return { key, status: 'refused', ...refused };
      const known = books.get(key);
      const paid = known ?? {
        key,
        ref: `ref-${books.size + 1}`,
        batch: batch.key,
        amount,
        currency,
        to,
        state: payer.arrives,
        at: now(),
      };
      books.set(key, paid);
      return { key, status: 'submitted', ref: paid.ref };
    });
  const payer: TestPayer = {
    key: 'desk',
    title: 'Desk',
    details: 'payment_email',
    limits: { maxItems: 2, keyDays: 3 },
    books,
    calls,
    faults,
    refuse: () => null,
    arrives: 'submitted',
    send: (batch) => {
      calls.push(batch);
      const fault = faults.shift();
      if (fault === 'before') return Promise.reject(new Error('503'));
      const payments = pay(batch);
      return fault === 'after'
        ? Promise.reject(new Error('cut'))
        : Promise.resolve({ ref: `b-${batch.key}`, payments });
    },
    fetch: (refs: readonly PaymentRef[]) =>
      Promise.resolve(refs.flatMap(({ key }) => (books.has(key) ? [truthOf(books.get(key)!)] : []))),
    move: (transactionId, state, more = {}) => {
      for (const paid of books.values())
        if (paid.key.includes(`-T${transactionId}-`)) Object.assign(paid, { state, at: now(), ...more });
    },
    ...over,
  };
  return payer;
}

const truthOf = ({ key, ref, state, at, amount, currency, message, until }: Paid): PaymentTruth => ({
  key,
  ref,
  state,
  at,
  amount_minor: amount,
  currency,
  ...(message !== undefined && { message, code: 'TOLD' }),
  ...(until !== undefined && { until }),
});
