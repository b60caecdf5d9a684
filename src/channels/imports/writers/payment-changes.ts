import type { Db, Row } from '../../../platform/database/db.js';
import type { Batch } from '../batch.js';
import { rowsBy } from '../repository.js';
import type { SourcePayment } from '../../../../adapters/imports.js';

/**
 * A payment that was on its way and has arrived since is paid here too, unless it was changed here. One that
 * has failed since is reported.
 */
export async function takePaymentChange(
  batch: Batch,
  trx: Db,
  row: SourcePayment,
  transactionIds: readonly number[],
): Promise<void> {
  const stored = await rowsBy(trx, 'payout_transactions', 'id', transactionIds, [
    'id',
    'payout_id',
    'status',
  ]);
  const open = stored.filter((each) => each['status'] === 'processing');
  if (open.length === 0) return;
  if (row.status !== 'paid') return;
  for (const each of open) await markPaid(batch, trx, each);
  batch.note(row, 'changed_there');
}

async function markPaid(batch: Batch, trx: Db, transaction: Row): Promise<void> {
  const now = batch.app.clock.now();
  const [id, payoutId] = [Number(transaction['id']), Number(transaction['payout_id'])];
  await trx('payout_transactions').where({ id }).update({ status: 'paid', updated_at: now });
  const rest: Row | undefined = await trx('payout_transactions')
    .where({ payout_id: payoutId, status: 'processing' })
    .first('id');
  if (rest === undefined)
    await trx('payouts').where({ id: payoutId }).update({ status: 'paid', updated_at: now });
  await batch.app.audit.write(trx, 'import.payment_arrived', ['payout_transaction', id], {
    before: { status: 'processing' },
    after: { status: 'paid' },
  });
}
