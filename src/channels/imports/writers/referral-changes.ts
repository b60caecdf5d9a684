import type { Db, Row } from '../../../platform/database/db.js';
import type { ReferralStatus } from '../../../accounting/ledger/types.js';
import type { Batch } from '../batch.js';
import { rowsBy } from '../repository.js';
import type { SourceReferral } from '../../../../adapters/imports.js';
import { changedColumns, hashOf, type Comparable } from './changes.js';

/** A correction of a balance: of either sign, without an order and without a commission it belongs to. */
export const ADJUSTMENT = 'adjustment';

/** A commission of an earlier run as it is now. */
export interface ReferralSnapshot {
  readonly id: number;
  readonly affiliate_id: number;
  readonly status: ReferralStatus;
  readonly type: string;
  readonly amount: number;
  readonly currency: string;
  readonly provider: string | null;
  readonly order_total_minor: number | null;
  readonly source_hash: string | null;
  /** In a payout of ours. */
  readonly claimed: boolean;
}

export async function findStored(trx: Db, keys: readonly string[]): Promise<Map<string, ReferralSnapshot>> {
  const columns = [
    'id',
    'source_key',
    'affiliate_id',
    'status',
    'type',
    'amount_minor',
    'currency',
    'provider',
    'order_total_minor',
    'source_hash',
    'payout_transaction_id',
  ];
  const rows = await rowsBy(trx, 'referrals', 'source_key', keys, columns);
  return new Map(rows.map((row) => [String(row['source_key']), toStored(row)]));
}

const toStored = (row: Row): ReferralSnapshot => ({
  id: Number(row['id']),
  affiliate_id: Number(row['affiliate_id']),
  status: row['status'] as ReferralStatus, // written by this program only
  type: String(row['type']),
  amount: Number(row['amount_minor']),
  currency: String(row['currency'] ?? ''),
  provider: row['provider'] === null ? null : String(row['provider']),
  order_total_minor: row['order_total_minor'] === null ? null : Number(row['order_total_minor']),
  source_hash: row['source_hash'] === null ? null : String(row['source_hash']),
  claimed: row['payout_transaction_id'] !== null,
});

/** The part of a commission that is compared between runs. */
export const comparableReferral = (status: string, amount: number, currency: string): Comparable => ({
  status,
  amount_minor: amount,
  currency,
});

export interface RepeatedRow {
  readonly row: SourceReferral;
  readonly stored: ReferralSnapshot;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
}

/**
 * Status and amount that changed in the old system are taken over by commissions that were not changed here;
 * others are reported.
 */
export async function takeReferralChanges(
  batch: Batch,
  trx: Db,
  seen: readonly RepeatedRow[],
): Promise<void> {
  for (const each of seen) {
    const { row, stored, status, amount, currency } = each;
    const there = comparableReferral(status, amount, currency);
    const here = comparableReferral(stored.status, stored.amount, stored.currency);
    // a payment on its way holds what the old system calls unpaid
    const changed =
      stored.claimed && stored.source_hash === hashOf({ ...here, status: 'unpaid' }) && status === 'paid'
        ? 'same'
        : changedColumns({ stored: stored.source_hash, here, there });
    if (changed === 'same') continue;
    if (changed === 'changed_here' || stored.claimed || currency !== stored.currency)
      batch.note(row, 'changed_here');
    else {
      await change(batch, trx, each, hashOf(there));
      batch.note(row, 'changed_there');
    }
  }
}

async function change(
  batch: Batch,
  trx: Db,
  { stored, status, amount }: RepeatedRow,
  hash: string,
): Promise<void> {
  await trx('referrals')
    .where({ id: stored.id })
    .update({
      status,
      amount_minor: amount,
      paid_elsewhere: status === 'paid' ? 1 : 0,
      source_hash: hash,
      updated_at: batch.app.clock.now(),
    });
  const before = { ...stored, amount_minor: stored.amount };
  // the words of the source are translated to ours before
  const after = { ...before, status: status as ReferralStatus, amount_minor: amount };
  const [was, is] = [earned(before), earned(after)];
  await batch.app.ledger.post(trx, {
    affiliateId: stored.affiliate_id,
    referralId: stored.id,
    kind: 'adjusted',
    currency: stored.currency,
    totalDelta: is.total - was.total,
    unpaidDelta: is.unpaid - was.unpaid,
    reason: 'import',
  });
  await batch.app.ledger.count(trx, before, after);
  // what was taken back of it becomes a correction of the balance, as in a new import
  if (status === 'rejected')
    await trx('referrals')
      .where({ parent_id: stored.id, type: ADJUSTMENT })
      .whereNotNull('source_key')
      .update({ parent_id: null });
  await batch.app.orders.followImported(trx, [stored.id]);
  await batch.app.audit.write(trx, 'import.referral_changed', ['referral', stored.id], {
    before: { status: stored.status, amount_minor: stored.amount },
    after: { status, amount_minor: amount },
  });
}

const earned = ({ status, amount_minor: amount }: { status: string; amount_minor: number }) => ({
  total: status === 'unpaid' || status === 'paid' ? amount : 0,
  unpaid: status === 'unpaid' ? amount : 0,
});
