import type { Db } from '../../platform/database/db.js';

const VERSION = '_version';

export async function readOption(db: Db, name: string): Promise<string | null> {
  const row = await db.lookUp('options', ['value'], { name });
  return (row?.['value'] ?? null) as string | null;
}

/**
 * The value, and until the transaction ends nobody else writes any option:
 * the version row is everybody's last step.
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

/** Every option whose name ends so. */
export async function readOptionsEnding(
  db: Db,
  ending: string,
): Promise<readonly { name: string; value: string | null }[]> {
  const rows: { name: string; value: string | null }[] = await db('options')
    .select('name', 'value')
    .where('name', 'like', `%${ending}`)
    .orderBy('name');
  return rows.filter(({ name }) => name.endsWith(ending));
}

export async function writeOption(trx: Db, name: string, value: string, now: number): Promise<void> {
  // The version row first, as in lockOption: two writers never wait for each other crosswise.
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

/** Grows with every write, so that other processes notice (architecture: several processes, one database). */
export async function readVersion(db: Db): Promise<number> {
  const row = await db.lookUp('options', ['version'], { name: VERSION });
  return Number(row?.['version'] ?? 0);
}
