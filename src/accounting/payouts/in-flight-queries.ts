import { chunks } from '../../core/chunks.js';
import { fail } from '../../errors.js';
import type { Db, Row } from '../../platform/database/db.js';
import { OPEN_PAYMENTS } from './words.js';

// Payments that a payer was asked to make (docs/payout-methods.md §2): until the payer reports their result,
// their transactions cannot be paid, released or set back. Payments of a sandbox do not count.

const CHUNK = 1000;

/** Those of these transactions whose payment is underway, or paid by a payer. */
export async function readInFlight(db: Db, transactionIds: readonly number[]): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const chunk of chunks(transactionIds, CHUNK)) {
    const rows: Row[] = await db('payout_attempts')
      .select('transaction_id')
      .where({ sandbox: 0 })
      .whereIn('transaction_id', chunk)
      .whereIn('state', [...OPEN_PAYMENTS, 'paid']);
    for (const row of rows) found.add(Number(row['transaction_id']));
  }
  return found;
}

/** Called when the transaction's row is locked. */
export async function refuseInFlight(
  db: Db,
  transactionId: number,
  next: 'paid' | 'processing' | 'released',
): Promise<void> {
  const rows: Row[] = await db('payout_attempts')
    .select('state')
    .where({ transaction_id: transactionId, sandbox: 0 });
  const states = rows.map((row) => row['state']);
  if (OPEN_PAYMENTS.some((state) => states.includes(state))) fail('payment_in_flight');
  if (next !== 'paid' && states.includes('paid')) fail('payment_sent');
}
