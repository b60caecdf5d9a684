import type { Db } from '../../../platform/database/db.js';
import type { Batch } from '../batch.js';
import { rowsBy } from '../repository.js';

/** An imported commission that a customer or a click names. */
export interface ListedReferral {
  readonly id: number;
  readonly affiliate_id: number | null;
  readonly visit_id: number | null;
}

/** The imported commissions that these rows name, by their keys. */
export async function listedReferrals(
  trx: Db,
  batch: Batch,
  rows: readonly { readonly referral_ids: readonly string[] }[],
): Promise<Map<string, ListedReferral>> {
  const keys = rows.flatMap((row) => row.referral_ids.map((id) => batch.key(id)));
  const columns = ['id', 'source_key', 'affiliate_id', 'visit_id'];
  const found = await rowsBy(trx, 'referrals', 'source_key', keys, columns);
  return new Map(
    found.map((row) => [
      String(row['source_key']),
      {
        id: Number(row['id']),
        affiliate_id: row['affiliate_id'] === null ? null : Number(row['affiliate_id']),
        visit_id: row['visit_id'] === null ? null : Number(row['visit_id']),
      },
    ]),
  );
}
