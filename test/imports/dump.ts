import { createHash } from 'node:crypto';
import type { Db } from '../../src/platform/database/db.js';
import type { TableName } from '../../adapters/database/tables.js';

const TABLES: readonly TableName[] = [
  'meta',
  'affiliates',
  'customers',
  'visits',
  'referrals',
  'payouts',
  'payout_transactions',
  'payout_items',
  'ledger_entries',
  'creatives',
  'creative_affiliates',
  'creative_groups',
  'daily_stats',
  'import_rows',
];
const ORDER: Partial<Record<TableName, readonly string[]>> = {
  payout_items: ['referral_id'],
  daily_stats: ['scope', 'day'],
  creative_affiliates: ['creative_id', 'affiliate_id'],
  creative_groups: ['creative_id', 'group_id'],
  import_rows: ['stage', 'source_id'],
};
/** Not part of the result: the number of a remark, and when it was written. */
const LEFT_OUT = new Set(['import_rows.id', 'import_rows.created_at']);

/** Number of rows and a fingerprint of everything in each table an import writes. */
export async function dump(db: Db): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const table of TABLES) {
    const rows: Record<string, unknown>[] = await db(table)
      .select()
      .orderBy([...(ORDER[table] ?? ['id'])]);
    const hash = createHash('sha256');
    for (const row of rows)
      hash.update(
        JSON.stringify(
          Object.entries(row)
            .filter(([column]) => !LEFT_OUT.has(`${table}.${column}`))
            .map(([, value]) => (value === null ? null : String(value))),
        ),
      );
    result[table] = `${rows.length} ${hash.digest('hex').slice(0, 16)}`;
  }
  return result;
}
