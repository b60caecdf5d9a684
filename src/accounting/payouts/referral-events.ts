import { chunks } from '../../core/chunks.js';
import type { Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';

const CHUNK = 1000;

/** Records that the status of these referrals changed; `previous` is the same for all of them. */
export async function appendReferrals(
  app: Deps,
  trx: Db,
  referralIds: readonly number[],
  previous: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const ids of chunks(referralIds, CHUNK)) {
    await app.eventLog.appendRows(trx, 'referral.status_changed', {
      table: 'referrals',
      columns: app.referrals.columns,
      where: `id in (${ids.map(() => '?').join(', ')})`,
      bindings: ids,
      previous,
    });
  }
}
