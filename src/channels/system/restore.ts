import { toIso } from '../../core/dates.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { Deps } from './deps.js';
import * as store from './queries.js';

/**
 * Tables whose ids other systems have seen: in webhooks, mails, exports, payment files, links and responses.
 * Ids that were given after the backup must not be given again to other rows.
 */
const SEEN_OUTSIDE: readonly TableName[] = [
  'affiliates',
  'customers',
  'visits',
  'referrals',
  'payouts',
  'payout_transactions',
  'ledger_entries',
  'orders',
  'creatives',
  'redirect_links',
  'connected_sites',
  'webhook_endpoints',
  'api_keys',
  'events',
  'outbox',
  'audit',
];

/** How many ids are left free in each table: more than any program gives between two backups. */
const GAP = 1_000_000;

export interface RestoreReport {
  /** When the last row of the backup was written. */
  readonly backup_at: string | null;
  /** The highest payout and payment in the backup: higher ones in mails and webhooks are missing here. */
  readonly last_payout_id: number;
  readonly last_transaction_id: number;
  /** Messages that were waiting in the backup, and so were probably sent after it. */
  readonly waiting: number;
  readonly skipped: number;
}

/**
 * What a restored database needs before the host starts: new ids far above those of the lost days, a decision
 * on waiting messages, and shops that are asked again from the backup's time on.
 */
export async function afterRestore(app: Deps, waiting: 'send' | 'skip'): Promise<RestoreReport> {
  const { db, commerce } = app;
  const last = await store.lastRows(db);
  // outside the transaction: MySQL commits when a table is altered
  for (const table of SEEN_OUTSIDE)
    await db.dialect.idsFrom(db, table, (await store.highestId(db, table)) + GAP);
  return app.transaction(async (trx, afterCommit) => {
    const count = await store.countWaiting(trx);
    const skipped = waiting === 'skip' ? await store.skipWaiting(trx, app.clock.now()) : 0;
    await store.makeJobsDue(trx);
    await commerce.sweeping.soon(trx, afterCommit);
    const report: RestoreReport = {
      backup_at: last.at === 0 ? null : toIso(last.at),
      last_payout_id: last.payout,
      last_transaction_id: last.transaction,
      waiting: count,
      skipped,
    };
    await app.audit.write(trx, 'system.restored', ['system', 'database'], { after: { ...report } });
    return report;
  });
}
