import { minor, toWire } from '../../core/money.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { releaseItems, type ClaimedItem } from './claim-queries.js';
import { presentPayout, presentTransaction } from './presenter.js';
import { appendReferrals } from './referral-events.js';
import { findPayout, type PayoutChange } from './repository.js';
import type { Payout, PayoutTransaction } from './types.js';

/**
 * Releases items of transactions whose affiliates are locked: their referrals are owed again, and settled
 * where their orders have changed since. The total of the payout is the caller's.
 */
export async function releaseSlice(
  app: Deps,
  { trx, afterCommit }: { readonly trx: Db; readonly afterCommit: AfterCommit },
  { payoutId, items }: { readonly payoutId: number; readonly items: readonly ClaimedItem[] },
): Promise<void> {
  if (items.length === 0) return;
  const ids = items.map(({ id }) => id);
  await app.ledger.postReversed(trx, ids);
  await releaseItems(trx, items, app.clock.now());
  await app.orders.released(trx, afterCommit, ids);
  for (const [transactionId, of] of byTransaction(items)) {
    const previous = { status: 'paid', payout_id: payoutId, payout_transaction_id: transactionId };
    await appendReferrals(app, trx, of, previous);
  }
}

/** Reports that payments were taken back. */
export async function appendReleased(
  app: Deps,
  trx: Db,
  transactions: readonly PayoutTransaction[],
  change: PayoutChange,
): Promise<void> {
  await app.eventLog.append(
    trx,
    'payout_transaction.deleted',
    ...transactions.map((transaction) => ({ id: transaction.id, data: presentTransaction(transaction) })),
  );
  await appendUpdated(app, trx, change);
}

/** Reports the change of a payout, unless nothing of its record changed. */
export async function appendUpdated(app: Deps, trx: Db, { before, payout }: PayoutChange): Promise<void> {
  const [data, was] = [presentPayout(payout), presentPayout(before)];
  await app.eventLog.appendChange(trx, 'payout.updated', { id: payout.id, data, before: was });
}

/** Reports that an undo has ended, with the payout as it is then; a draft may have been deleted. */
export async function appendUndone(
  app: Deps,
  trx: Db,
  { id, currency }: Pick<Payout, 'id' | 'currency'>,
  undone: { readonly released: number; readonly released_minor: number; readonly left_out: number },
): Promise<void> {
  const payout = await findPayout(trx, id);
  if (payout === null) return;
  await app.eventLog.append(trx, 'payout.undone', {
    id,
    data: {
      ...presentPayout(payout),
      undone: {
        transactions_count: undone.released,
        total_amount: toWire(minor(undone.released_minor), currency ?? ''),
        left_out_count: undone.left_out,
      },
    },
  });
}

/** The referral ids of the items of each transaction. */
function byTransaction(items: readonly ClaimedItem[]): ReadonlyMap<number, readonly number[]> {
  const ids = new Map<number, number[]>();
  for (const { id, transaction_id } of items) {
    const known = ids.get(transaction_id);
    if (known) known.push(id);
    else ids.set(transaction_id, [id]);
  }
  return ids;
}
