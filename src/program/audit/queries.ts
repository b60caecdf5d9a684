import type { Page } from '../../core/page.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated } from '../../records/filters.js';
import { orderOf, readPage } from '../../records/list.js';
import { entries } from './record.js';
import type { AuditFilter, AuditRow, MadeObject } from './types.js';

const CHUNK = 1000;

/** Deletes entries from before this instant, page by page. */
export async function purgeAudit(db: Db, before: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows: Row[] = await db('audit')
      .select('id')
      .where('created_at', '<', before)
      .orderBy('created_at')
      .orderBy('id')
      .limit(CHUNK);
    if (rows.length === 0) return deleted;
    deleted += await db('audit')
      .whereIn(
        'id',
        rows.map((row) => Number(row['id'])),
      )
      .delete();
  }
}

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
