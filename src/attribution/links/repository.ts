import { findRecord, type Matching } from '../../records/list.js';
import type { Db } from '../../platform/database/db.js';
import { whereCreated, type CreationRange } from '../../records/filters.js';
import { links, type RedirectLink } from './record.js';

export const findLink = (
  db: Db,
  where: { readonly id: number } | { readonly slug: string },
): Promise<RedirectLink | null> => findRecord(db, links, where);

/** The new id, or null when the slug is taken. */
export async function insertLink(db: Db, link: Omit<RedirectLink, 'id'>): Promise<number | null> {
  return db.dialect.insertIfAbsent(db, 'redirect_links', links.toRow(link), ['slug']);
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
  readonly creativeId?: number | null;
  readonly activeOnly: boolean;
  readonly search: string;
  readonly created: CreationRange;
}

export const linksMatching =
  (db: Db, { affiliateId, creativeId = null, activeOnly, search, created }: LinkFilter): Matching =>
  (query) => {
    if (affiliateId !== null) query.where({ affiliate_id: affiliateId });
    if (creativeId !== null) query.where({ creative_id: creativeId });
    whereCreated(query, created);
    if (activeOnly) query.where({ status: 'active' });
    if (search !== '')
      query.where((any) => {
        db.dialect.contains(any, ['slug', 'url', 'utm_campaign'], search);
      });
  };
