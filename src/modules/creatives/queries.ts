import type { Knex } from 'knex';
import type { Db, Row } from '../../database/db.js';
import { COLUMNS, withTargets } from './repository.js';
import type { Creative, CreativeFilter, CreativeStatus, Viewer } from './types.js';

type Query = Knex.QueryBuilder;
interface Window {
  readonly limit: number;
  readonly offset: number;
}

const notEnded = (query: Query, now: number): Query =>
  query.where((q) => void q.whereNull('ends_at').orWhere('ends_at', '>', now));

// The same rules as schedule.ts, so that lists do not wait for the clock's job.
const IN_FORCE: Readonly<Record<CreativeStatus, (query: Query, now: number) => void>> = {
  inactive: (query) => {
    query.where({ status: 'inactive' });
  },
  scheduled: (query, now) => {
    notEnded(query.where({ status: 'scheduled' }).where('starts_at', '>', now), now);
  },
  active: (query, now) => {
    notEnded(query, now).where((q) => {
      q.where({ status: 'active' }).orWhere(
        (begun) =>
          void begun
            .where({ status: 'scheduled' })
            .where((start) => void start.whereNull('starts_at').orWhere('starts_at', '<=', now)),
      );
    });
  },
  expired: (query, now) => {
    query.where(
      (q) =>
        void q
          .where({ status: 'expired' })
          .orWhere(
            (ended) => void ended.whereIn('status', ['active', 'scheduled']).where('ends_at', '<=', now),
          ),
    );
  },
};

function matching(db: Db, { search, status, type, now }: CreativeFilter): Query {
  const query = db('creatives');
  if (type !== null) query.where({ type });
  if (status !== null) IN_FORCE[status](query, now);
  if (search !== '') db.dialect.contains(query, ['name', 'description', 'url'], search);
  return query;
}

export async function countCreatives(db: Db, filter: CreativeFilter): Promise<number> {
  return countOf(matching(db, filter));
}

export async function listCreatives(db: Db, filter: CreativeFilter, window: Window): Promise<Creative[]> {
  const rows: Row[] = await matching(db, filter)
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return withTargets(db, rows);
}

// Public material, and private material this affiliate or its group is named in.
// No group never matches a group.
function visible(db: Db, filter: CreativeFilter, { affiliateId, groupId }: Viewer): Query {
  return matching(db, filter).where((q) => {
    q.where({ privacy: 'public' });
    q.orWhereIn('id', db('creative_affiliates').select('creative_id').where({ affiliate_id: affiliateId }));
    if (groupId !== null)
      q.orWhereIn('id', db('creative_groups').select('creative_id').where({ group_id: groupId }));
  });
}

export async function countVisible(db: Db, filter: CreativeFilter, viewer: Viewer): Promise<number> {
  return countOf(visible(db, filter, viewer));
}

export async function listVisible(
  db: Db,
  filter: CreativeFilter,
  viewer: Viewer,
  window: Window,
): Promise<Creative[]> {
  const rows: Row[] = await visible(db, filter, viewer)
    .select(COLUMNS)
    .orderBy([
      { column: 'updated_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(window.limit)
    .offset(window.offset);
  return withTargets(db, rows);
}

export async function findVisible(
  db: Db,
  filter: CreativeFilter,
  viewer: Viewer,
  id: number,
): Promise<Creative | null> {
  const rows: Row[] = await visible(db, filter, viewer).select(COLUMNS).where({ id });
  return (await withTargets(db, rows))[0] ?? null;
}

async function countOf(query: Query): Promise<number> {
  const row = (await query.count({ n: '*' }).first()) as Row | undefined;
  return Number(row?.n ?? 0);
}
