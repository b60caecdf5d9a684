import type { Db } from '../../database/db.js';

const VERSION = '_version';

export async function readOption(db: Db, name: string): Promise<string | null> {
  const row: { value: string | null } | undefined = await db('options').first('value').where({ name });
  return row?.value ?? null;
}

export async function writeOption(trx: Db, name: string, value: string, now: number): Promise<void> {
  await trx.dialect.upsert(
    trx,
    'options',
    [{ name, value, version: 1, updated_at: now }],
    ['name'],
    ['value', 'updated_at'],
  );
  await trx.dialect.addTo(
    trx,
    'options',
    [{ name: VERSION, value: null, version: 1, updated_at: now }],
    ['name'],
    ['version'],
  );
}

/** Grows with every write, so that other processes notice (architecture: several processes, one database). */
export async function readVersion(db: Db): Promise<number> {
  const row: { version: number | string } | undefined = await db('options')
    .first('version')
    .where({ name: VERSION });
  return Number(row?.version ?? 0);
}
