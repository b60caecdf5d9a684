import type { Page } from '../../core/page.js';
import type { Db, Row } from '../../platform/database/db.js';
import { whereCreated } from '../../records/filters.js';
import { orderOf, readPage } from '../../records/list.js';
import { entries } from './record.js';
import type { AuditFilter, AuditRow } from './types.js';

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
