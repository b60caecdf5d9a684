import { findRecord, lockRecord } from '../../records/list.js';
import { MINUTE } from '../../core/duration.js';
import type { Db, Row } from '../../platform/database/db.js';
import { sites, type ConnectedSite, type SiteSettings } from './record.js';

const NONCE_MS = 15 * MINUTE;
const SEEN_EVERY_MS = MINUTE;

export type NewSite = Omit<ConnectedSite, 'id' | 'last_seen_at'> & { readonly secret: string };

/** In the order they were connected. */
export async function listSites(db: Db): Promise<ConnectedSite[]> {
  const rows: Row[] = await db('connected_sites').select(sites.columns).orderBy('id');
  return rows.map(sites.fromRow);
}

export const findSite = (db: Db, siteId: string): Promise<ConnectedSite | null> =>
  findRecord(db, sites, { site_id: siteId });

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

/** The stored keys of all sites. */
export async function allSecrets(db: Db): Promise<{ siteId: string; secret: string }[]> {
  const rows = await db.readLocal(`select site_id, secret from ${db.name('connected_sites')}`, []);
  return rows.map((row) => ({ siteId: String(row['site_id']), secret: String(row['secret']) }));
}

/** Only while the row holds the key that was read. */
export async function resealSecret(
  db: Db,
  { siteId, secret, renewed }: { siteId: string; secret: string; renewed: string },
): Promise<void> {
  await db('connected_sites').where({ site_id: siteId, secret }).update({ secret: renewed });
}

export const lockSite = (trx: Db, siteId: string): Promise<ConnectedSite | null> =>
  lockRecord(trx, sites, { site_id: siteId });

/** Also finds a row that was committed after the transaction began. */
export const lockByUrl = (trx: Db, urlKey: string): Promise<ConnectedSite | null> =>
  lockRecord(trx, sites, { url_key: urlKey });

export async function siteIds(db: Db): Promise<ReadonlySet<string>> {
  const ids: string[] = await db('connected_sites').pluck('site_id');
  return new Set(ids);
}

/** False when another request connected the same address first. */
export async function insertSite(trx: Db, site: NewSite): Promise<boolean> {
  return (await trx.dialect.insertIfAbsent(trx, 'connected_sites', sites.toRow(site), ['url_key'])) !== null;
}

export async function updateSite(
  trx: Db,
  siteId: string,
  settings: Partial<SiteSettings> & { readonly former_params?: string },
): Promise<void> {
  if (Object.keys(settings).length > 0)
    await trx('connected_sites').where({ site_id: siteId }).update(sites.toRow(settings));
}

export async function replaceSecret(
  trx: Db,
  siteId: string,
  { secret, now }: { secret: string; now: number },
): Promise<void> {
  await trx('connected_sites').where({ site_id: siteId }).update({ secret, token_issued_at: now });
}

/** The address keeps its id, so that the site finds its orders again when it is connected again. */
export async function deleteSite(
  trx: Db,
  { site_id, url_key }: Pick<ConnectedSite, 'site_id' | 'url_key'>,
): Promise<void> {
  await trx('connected_sites').where({ site_id }).delete();
  await trx('site_nonces').where({ site_id }).delete();
  await trx.dialect.upsert(trx, 'former_sites', [{ url_key, site_id }], ['url_key'], ['site_id']);
}

/** The id that this address had before it was disconnected. Only one caller gets it. */
export async function takeFormerId(trx: Db, urlKey: string): Promise<string | null> {
  const row: { site_id: string } | undefined = await trx.dialect.forUpdate(
    trx('former_sites').first('site_id').where({ url_key: urlKey }),
  );
  if (row) await trx('former_sites').where({ url_key: urlKey }).delete();
  return row?.site_id ?? null;
}

export async function isFormerId(db: Db, siteId: string): Promise<boolean> {
  return (await db.findByKey('former_sites', ['site_id'], { site_id: siteId })) !== undefined;
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

/** A report about an order that is not known yet. */
export interface EarlyReport {
  readonly id: number;
  readonly fields: string | null;
}

export async function insertEarly(
  db: Db,
  report: {
    readonly site_id: string;
    readonly reference: string;
    readonly fields: string;
    readonly expires_at: number;
  },
): Promise<number> {
  const [id] = await db.dialect.insertMany(db, 'early_reports', [report]);
  return id!;
}

/** In the order they arrived. */
export async function earlyReports(
  db: Db,
  siteId: string,
  { reference, now }: { readonly reference: string; readonly now: number },
): Promise<EarlyReport[]> {
  const rows = await db.readLocal(
    `select id, fields from ${db.name('early_reports')}
     where site_id = ? and reference = ? and expires_at > ? order by id`,
    [siteId, reference, now],
  );
  return rows.map(({ id, fields }) => ({ id: Number(id), fields: fields as string | null }));
}

export async function removeEarly(db: Db, id: number): Promise<void> {
  await db('early_reports').where({ id }).delete();
}
