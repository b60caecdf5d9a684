import { toWire, type Minor } from '../../core/money.js';
import { AffiliateError } from '../../errors.js';
import { HookVeto } from '../../../hooks/errors.js';
import type { Db } from '../../platform/database/db.js';
import type { Needs } from './needs.js';
import { changedTransactions } from './changed-queries.js';
import type { TransactionChanges } from './changes.js';
import * as store from './undo-queries.js';
import type { WireUndo, WireUndone } from './schemas.js';
import type { Payout, PayoutTransaction } from './types.js';

/** So many transactions are released by one request; the caller asks again for the rest. */
const PART = 200;

/** What undoing a payout would release now. Transactions that are paid stay as they are. */
export async function undoPreview(db: Db, { id, currency }: Payout): Promise<WireUndo> {
  const sums = await store.sumsByStatus(db, id);
  const changed = [...(await changedTransactions(db, { payoutId: id })).values()];
  const amount = (value: number): number => toWire(value as Minor, currency ?? ''); // sums of whole coins
  return {
    currency: currency ?? '',
    transactions_count: sums.processing.count,
    total_amount: amount(sums.processing.total),
    referrals_count: await store.countOpenItems(db, id),
    not_due_amount: amount(changed.reduce((sum, each) => sum + each.not_due_minor, 0)),
    paid_count: sums.paid.count,
    paid_amount: amount(sums.paid.total),
  };
}

/**
 * Releases a part of the open transactions, each in a database transaction of its own;
 * one that somebody paid or released meanwhile, or an extension keeps, is left out and named.
 */
export async function undoPart(
  app: Needs,
  changes: TransactionChanges,
  { id, currency }: Payout,
  afterId: number,
): Promise<Omit<WireUndone, 'payout' | 'message' | 'processing_count'>> {
  const open = await store.openAfter(app.db, id, afterId, PART);
  const leftOut: WireUndone['left_out'][number][] = [];
  let released = 0;
  for (const transaction of open) {
    const refusal = await refusalOf(changes, transaction);
    const amount = toWire(transaction.total_amount_minor, currency ?? '');
    if (refusal === null) released += transaction.total_amount_minor;
    else
      leftOut.push({
        transaction_id: transaction.id,
        affiliate_id: transaction.affiliate_id,
        amount,
        ...refusal,
      });
  }
  return {
    released_count: open.length - leftOut.length,
    released_amount: toWire(released as Minor, currency ?? ''), // a sum of whole coins
    left_out: leftOut,
    next_after_id: open.length === PART ? open.at(-1)!.id : null,
  };
}

/** Null when it was released, else why not. A fault goes up. */
async function refusalOf(
  changes: TransactionChanges,
  { payout_id, id }: PayoutTransaction,
): Promise<{ readonly code: string; readonly message: string } | null> {
  try {
    await changes.remove(payout_id, id, { paidToo: false });
    return null;
  } catch (error) {
    if (error instanceof HookVeto) return { code: 'hook_aborted', message: error.message };
    if (error instanceof AffiliateError && error.status < 500)
      return { code: error.code, message: error.message };
    throw error;
  }
}
