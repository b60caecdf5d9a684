import type { Db, Row } from '../../database/db.js';
import type { RedirectLink } from './types.js';

const COLUMNS = [
  'id',
  'slug',
  'affiliate_id',
  'creative_id',
  'url',
  'utm_campaign',
  'status',
  'created_at',
  'updated_at',
] as const;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const fromRow = (row: Row): RedirectLink => ({
  id: Number(row['id']),
  slug: String(row['slug']),
  affiliate_id: Number(row['affiliate_id']),
  creative_id: row['creative_id'] === null ? null : Number(row['creative_id']),
  url: text(row['url']),
  utm_campaign: text(row['utm_campaign']),
  status: row['status'] === 'active' ? 'active' : 'inactive',
  created_at: Number(row['created_at']),
  updated_at: Number(row['updated_at']),
});

export async function findLink(
  db: Db,
  where: { readonly id: number } | { readonly slug: string },
): Promise<RedirectLink | null> {
  const row = await db.lookUp('redirect_links', COLUMNS, where);
  return row ? fromRow(row) : null;
}

/** The new id, or null when the slug is taken. */
export async function insertLink(db: Db, link: Omit<RedirectLink, 'id'>): Promise<number | null> {
  return db.dialect.insertIfAbsent(db, 'redirect_links', { ...link }, ['slug']);
}

/** False when there is no such link; throws the driver's unique violation when the slug is taken. */
export async function updateLink(
  db: Db,
  id: number,
  changes: Partial<Omit<RedirectLink, 'id'>>,
): Promise<boolean> {
  return (await db('redirect_links').where({ id }).update(changes)) === 1;
}

export async function deleteLink(db: Db, id: number): Promise<boolean> {
  return (await db('redirect_links').where({ id }).delete()) === 1;
}

export interface LinkFilter {
  readonly affiliateId: number | null;
  readonly activeOnly: boolean;
  readonly search: string;
}

function matching(db: Db, { affiliateId, activeOnly, search }: LinkFilter): ReturnType<Db> {
  const query = db('redirect_links').where({
    ...(affiliateId !== null && { affiliate_id: affiliateId }),
    ...(activeOnly && { status: 'active' }),
  });
  if (search !== '')
    query.where((any) => {
      db.dialect.contains(any, ['slug', 'url', 'utm_campaign'], search);
    });
  return query;
}

export async function countLinks(db: Db, filter: LinkFilter): Promise<number> {
  const row: Row | undefined = await matching(db, filter).count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

/** Newest first. */
export async function listLinks(
  db: Db,
  filter: LinkFilter,
  window: { limit: number; offset: number },
): Promise<RedirectLink[]> {
  const rows: Row[] = await matching(db, filter)
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset);
  return rows.map(fromRow);
}
