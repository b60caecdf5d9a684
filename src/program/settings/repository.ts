import type { Db } from '../../platform/database/db.js';

const VERSION = '_version';

export async function readOption(db: Db, name: string): Promise<string | null> {
  const row = await db.findByKey('options', ['value'], { name });
  return (row?.['value'] ?? null) as string | null;
}

/**
 * Reads the value, and no other transaction writes an option until this one ends: every writer locks the
 * version row.
 */
export async function lockOption(trx: Db, name: string, now: number): Promise<string | null> {
  await trx.dialect.lockRows(
    trx,
    'options',
    [{ name: VERSION, value: null, version: 0, updated_at: now }],
    'name',
  );
  return readOption(trx, name);
}

/** All options whose name ends like this. */
export async function readOptionsEnding(
  db: Db,
  ending: string,
): Promise<readonly { name: string; value: string | null }[]> {
  const sql = `select name, value from ${db.name('options')} where name like ? order by name`;
  const rows = (await db.readLocal(sql, [`%${ending}`])) as { name: string; value: string | null }[];
  return rows.filter(({ name }) => name.endsWith(ending));
}

export async function writeOption(trx: Db, name: string, value: string, now: number): Promise<void> {
  // The version row comes first, as in lockOption, so that two writers never wait for each other.
  await trx.dialect.addTo(
    trx,
    'options',
    [{ name: VERSION, value: null, version: 1, updated_at: now }],
    ['name'],
    ['version'],
  );
  await trx.dialect.upsert(
    trx,
    'options',
    [{ name, value, version: 1, updated_at: now }],
    ['name'],
    ['value', 'updated_at'],
  );
}

/** Grows with every write, so that other processes notice it. */
export async function readVersion(db: Db): Promise<number> {
  const row = await db.findByKey('options', ['version'], { name: VERSION });
  return Number(row?.['version'] ?? 0);
}
