import type { Page } from '../../core/page.js';
import type { Db } from '../../platform/database/db.js';
import { whereCreated } from '../../records/filters.js';
import { orderOf, readPage } from '../../records/list.js';
import { entries } from './record.js';
import type { AuditFilter, AuditRow } from './types.js';

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
