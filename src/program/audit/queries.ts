import type { Page } from '../../core/page.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated } from '../../records/filters.js';
import { orderOf, readPage } from '../../records/list.js';
import { entries } from './record.js';
import type { AuditFilter, AuditRow, MadeObject } from './types.js';

export const pageOfAudit = (db: Db, filter: AuditFilter): Promise<Page<AuditRow>> =>
  readPage(
    db,
    entries,
    (query) => {
      query.where(filter.equals);
      if (filter.affiliateId !== null)
        query.where({ object_type: 'affiliate', object_id: String(filter.affiliateId) });
      for (const created of filter.created) whereCreated(query, created);
    },
    { ...filter, order: orderOf(entries, filter) },
  );

const MADE = 200;

export async function madeWithKey(db: Db, apiKeyId: number): Promise<MadeObject[]> {
  const rows: Row[] = await db('audit')
    .select(['object_type', 'object_id', 'created_at'])
    .where({ api_key_id: apiKeyId })
    .where((made) => void made.where('action', 'like', '%.created').orWhere({ action: 'payout.processed' }))
    .orderBy('id', 'desc')
    .limit(MADE);
  return rows.map((row) => ({
    object_type: String(row['object_type']),
    object_id: row['object_id'] === null ? null : String(row['object_id']),
    created_at: Number(row['created_at']),
  }));
}
