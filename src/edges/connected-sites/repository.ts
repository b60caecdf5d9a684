import type { Db } from '../../platform/database/db.js';
import type { ConnectedSite, SiteSettings } from './types.js';

const COLUMNS = [
  'id',
  'site_id',
  'site_url',
  'url_key',
  'site_title',
  'param_key',
  'cookie_duration',
  'credit_last_referrer',
  'status',
  'logo',
  'description',
  'subtitle',
  'created_at',
  'token_issued_at',
  'last_seen_at',
] as const;
const NONCE_MS = 900_000;
const SEEN_EVERY_MS = 60_000;

type Row = { readonly [K in (typeof COLUMNS)[number]]: ConnectedSite[K] | string | null };

export type NewSite = Omit<ConnectedSite, 'id' | 'last_seen_at'> & { readonly secret: string };

const fromRow = (row: Row): ConnectedSite => ({
  ...(row as ConnectedSite),
  id: Number(row.id),
  cookie_duration: Number(row.cookie_duration),
  description: row.description ?? '',
  created_at: Number(row.created_at),
  token_issued_at: Number(row.token_issued_at),
  last_seen_at: row.last_seen_at === null ? null : Number(row.last_seen_at),
});

/** In the order they were connected. */
export async function listSites(db: Db): Promise<ConnectedSite[]> {
  const rows: Row[] = await db('connected_sites')
    .select(...COLUMNS)
    .orderBy('id');
  return rows.map(fromRow);
}

export async function findSite(db: Db, siteId: string): Promise<ConnectedSite | null> {
  const row = await db.lookUp('connected_sites', COLUMNS, { site_id: siteId });
  return row ? fromRow(row as unknown as Row) : null; // it has these columns
}

/**
 * Only the stored key, for the check of credentials. An aggregate also returns one row for an unknown site,
 * so both take the same time.
 */
export async function findSecret(db: Db, siteId: string): Promise<string | null> {
  const row: { secret: string | null } | undefined = await db('connected_sites')
    .max('secret as secret')
    .where({ site_id: siteId })
    .first();
  return row?.secret ?? null;
}

export async function lockSite(trx: Db, siteId: string): Promise<ConnectedSite | null> {
  const row: Row | undefined = await trx.dialect.forUpdate(
    trx('connected_sites')
      .first(...COLUMNS)
      .where({ site_id: siteId }),
  );
  return row ? fromRow(row) : null;
}

/** Also finds a row that was committed after the transaction began. */
export async function lockByUrl(trx: Db, urlKey: string): Promise<ConnectedSite | null> {
  const row: Row | undefined = await trx.dialect.forUpdate(
    trx('connected_sites')
      .first(...COLUMNS)
      .where({ url_key: urlKey }),
  );
  return row ? fromRow(row) : null;
}

export async function siteIds(db: Db): Promise<ReadonlySet<string>> {
  const ids: string[] = await db('connected_sites').pluck('site_id');
  return new Set(ids);
}

/** False when another request connected the same address first. */
export async function insertSite(trx: Db, site: NewSite): Promise<boolean> {
  return (await trx.dialect.insertIfAbsent(trx, 'connected_sites', { ...site }, ['url_key'])) !== null;
}

export async function updateSite(trx: Db, siteId: string, settings: Partial<SiteSettings>): Promise<void> {
  if (Object.keys(settings).length > 0)
    await trx('connected_sites').where({ site_id: siteId }).update(settings);
}

export async function replaceSecret(
  trx: Db,
  siteId: string,
  { secret, now }: { secret: string; now: number },
): Promise<void> {
  await trx('connected_sites').where({ site_id: siteId }).update({ secret, token_issued_at: now });
}

export async function deleteSite(trx: Db, siteId: string): Promise<void> {
  await trx('connected_sites').where({ site_id: siteId }).delete();
  await trx('site_nonces').where({ site_id: siteId }).delete();
}

/** False when this site has used the nonce before. */
export async function useNonce(
  db: Db,
  siteId: string,
  { nonce, now }: { nonce: string; now: number },
): Promise<boolean> {
  return (
    (await db.dialect.insertIfAbsent(
      db,
      'site_nonces',
      { site_id: siteId, nonce, expires_at: now + NONCE_MS },
      ['site_id', 'nonce'],
    )) !== null
  );
}

/** At most one write per minute and site. */
export async function markSeen(db: Db, siteId: string, now: number): Promise<void> {
  await db('connected_sites')
    .where({ site_id: siteId })
    .andWhere((seen) => {
      void seen.whereNull('last_seen_at').orWhere('last_seen_at', '<=', now - SEEN_EVERY_MS);
    })
    .update({ last_seen_at: now });
}
