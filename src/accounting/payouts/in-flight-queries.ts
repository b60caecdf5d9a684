import { fail } from '../../errors.js';
import type { Db, Row } from '../../platform/database/db.js';

// Payments that a payer was asked to make (docs/payout-methods.md §2): until it says how they ended, nobody may pay,
// release or set back their transactions. Payments of a sandbox do not count.

const OPEN = ['prepared', 'unknown', 'submitted', 'processing', 'unclaimed', 'held'] as const;

const CHUNK = 1000;

/** Those of these transactions whose payment is underway, or paid by a payer. */
export async function readInFlight(db: Db, transactionIds: readonly number[]): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (let at = 0; at < transactionIds.length; at += CHUNK) {
    const rows: Row[] = await db('payout_attempts')
      .select('transaction_id')
      .where({ sandbox: 0 })
      .whereIn('transaction_id', transactionIds.slice(at, at + CHUNK))
      .whereIn('state', [...OPEN, 'paid']);
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
  if (OPEN.some((state) => states.includes(state))) fail('payment_in_flight');
  if (next !== 'paid' && states.includes('paid')) fail('payment_sent');
}
