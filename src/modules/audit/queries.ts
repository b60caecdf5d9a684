import { readJson } from '../../core/json.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { Db, Row } from '../../database/db.js';
import type { AuditFilter, AuditRow } from './types.js';

const COLUMNS = [
  'id',
  'actor_id',
  'api_key_id',
  'action',
  'object_type',
  'object_id',
  'before',
  'after',
  'request_id',
  'created_at',
] as const;

export async function pageOfAudit(db: Db, filter: AuditFilter): Promise<Page<AuditRow>> {
  const found: Row | undefined = await matching(db, filter).count({ n: '*' }).first();
  const total = Number(found?.['n'] ?? 0);
  const offset = offsetOf(filter);
  const rows: Row[] =
    offset >= total
      ? []
      : await matching(db, filter)
          .select(COLUMNS)
          .orderBy('id', filter.order_type === 'ASC' ? 'asc' : 'desc')
          .limit(filter.per_page)
          .offset(offset);
  return { rows: rows.map(toEntry), total, page: filter.page, per_page: filter.per_page };
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- knex's builder; the callers end it
function matching(db: Db, filter: AuditFilter) {
  const query = db('audit').where(filter.equals);
  if (filter.days) query.whereBetween('created_at', [filter.days.from, filter.days.to]);
  return query;
}

const toEntry = (row: Row): AuditRow => ({
  id: Number(row['id']),
  actor_id: row['actor_id'] === null ? null : Number(row['actor_id']),
  api_key_id: row['api_key_id'] === null ? null : Number(row['api_key_id']),
  action: String(row['action']),
  object_type: String(row['object_type']),
  object_id: row['object_id'] === null ? null : String(row['object_id']),
  before: readJson<unknown>(row['before'], null),
  after: readJson<unknown>(row['after'], null),
  request_id: row['request_id'] === null ? null : String(row['request_id']),
  created_at: Number(row['created_at']),
});
