import { fail } from '../../errors.js';
import type { Db, Row } from '../../platform/database/db.js';

// Payments that a payer was asked to make (docs/payout-methods.md §2): until it says how they ended, nobody may pay,
// release or set back their transactions. Payments of a sandbox do not count.

const OPEN = ['prepared', 'unknown', 'submitted', 'processing', 'unclaimed', 'held'] as const;

/** The transactions of a payout whose payment is underway, or paid by a payer. */
export async function readInFlight(db: Db, payoutId: number): Promise<ReadonlySet<number>> {
  const rows: Row[] = await db('payout_attempts')
    .select('transaction_id')
    .where({ payout_id: payoutId, sandbox: 0 })
    .whereIn('state', [...OPEN, 'paid']);
  return new Set(rows.map((row) => Number(row['transaction_id'])));
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
