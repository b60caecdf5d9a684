import type { Page } from '../../core/page.js';
import type { Db } from '../../platform/database/db.js';
import { orderOf, readPage } from '../../records/list.js';
import { entries } from './record.js';
import type { AuditFilter, AuditRow } from './types.js';

export const pageOfAudit = (db: Db, filter: AuditFilter): Promise<Page<AuditRow>> =>
  readPage(
    db,
    entries,
    (query) => {
      query.where(filter.equals);
      if (filter.days) query.whereBetween('created_at', [filter.days.from, filter.days.to]);
    },
    { ...filter, order: orderOf(entries, filter) },
  );
