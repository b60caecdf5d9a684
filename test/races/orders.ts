import type { App } from '../../src/app/app.js';
import { owed, type ModelFact } from '../model/money-model.js';

// Orders that two processes change at once, and what their facts say they are worth.

export const PROVIDER = 'shop';
const TOTAL = 10_000;

export const referenceOf = (n: number): string => `A-${n}`;

export interface Order {
  /** How many changes at once. */
  readonly times: number;
  readonly orders: number;
  /** One of them deletes an affiliate and creates it again. */
  readonly restart: boolean;
}
export interface Outcome {
  readonly codes: readonly string[];
}

/** Orders of 100.00 of these affiliates, 20.00 each. */
export async function recordOrders(app: App, affiliates: readonly number[], count: number): Promise<void> {
  for (let n = 1; n <= count; n++)
    await app.conversions.record(null, {
      provider: PROVIDER,
      reference: referenceOf(n),
      status: 'unpaid',
      order: { subtotal: 100 },
      affiliate: affiliates[n % affiliates.length]!,
    });
}

/** Orders whose books are not what a naive model makes of their stored facts; none. */
export async function disagreements(app: App): Promise<unknown[]> {
  const orders: Record<string, unknown>[] = await app.db('orders').select('*').orderBy('id');
  const facts: Record<string, unknown>[] = await app
    .db('order_facts')
    .select('*')
    .orderBy('at')
    .orderBy('id');
  const referrals: Record<string, unknown>[] = await app.db('referrals').select('*').orderBy('id');
  return orders.flatMap((order) => {
    if (order['deleted_at'] !== null) return [];
    const reported = facts
      .filter((fact) => Number(fact['order_id']) === Number(order['id']))
      .flatMap((fact) => modelFactsOf(JSON.parse(String(fact['data'])) as FactData, Number(fact['at'])));
    const due = owed({ total: TOTAL, facts: reported });
    const booked = bookedOf(referrals, Number(order['referral_id']));
    const should = due.status === 'rejected' ? 0 : due.amount;
    return booked === should ? [] : [{ order: order['order_key'], booked, should, reported }];
  });
}

type FactData = Readonly<Record<string, unknown>>;

function modelFactsOf(data: FactData, at: number): ModelFact[] {
  const gross = Number(data['gross_minor']);
  if (data['kind'] === 'payment') return [{ do: data['state'] === 'paid' ? 'paid' : 'failed', at }];
  if (data['kind'] === 'refund')
    return data['refund_id'] === null
      ? [{ do: 'refundTotal', gross, at }]
      : [{ do: 'refund', id: String(data['refund_id']), gross, undone: data['undone'] === true, at }];
  if (data['kind'] !== 'correction') return [];
  const [top, bottom] = data['left'] as readonly [string, string];
  const left = (TOTAL * Number(top)) / Number(bottom);
  return [{ do: 'correct', amount: Number(data['amount_minor']), left, at }];
}

/** The row unless it is rejected, and what was taken back of it. */
function bookedOf(referrals: readonly Record<string, unknown>[], id: number): number {
  const sum = (rows: readonly Record<string, unknown>[]): number =>
    rows.reduce((all, row) => all + Number(row['amount_minor']), 0);
  const own = referrals.filter((row) => Number(row['id']) === id && row['status'] !== 'rejected');
  const adjusted = referrals.filter((row) => Number(row['parent_id']) === id && row['type'] === 'adjustment');
  return sum(own) + sum(adjusted);
}
