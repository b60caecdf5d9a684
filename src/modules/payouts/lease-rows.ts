import type { Db } from '../../database/db.js';

/** Takes the lease when nobody holds it or its holder stopped extending it. */
export async function takeLease(db: Db, name: string, lease: { owner: string; now: number; until: number }): Promise<boolean> {
  const take = async (): Promise<number> => db('job_leases').where({ name })
    .where((free) => { free.whereNull('owner').orWhere('expires_at', '<', lease.now); })
    .update({ owner: lease.owner, expires_at: lease.until });
  if (await take() === 1) return true;
  const known: unknown = await db('job_leases').first('name').where({ name });
  if (known !== undefined) return false;
  // The first run ever makes the row; adding 0 leaves a row that another process made meanwhile as it is.
  await db.dialect.addTo(db, 'job_leases', [{ name, owner: null, expires_at: 0, next_run_at: 0, last_run_at: null }], ['name'], ['next_run_at']);
  return await take() === 1;
}

export async function extendLease(db: Db, name: string, owner: string, until: number): Promise<void> {
  await db('job_leases').where({ name, owner }).update({ expires_at: until });
}

export async function freeLease(db: Db, name: string, owner: string): Promise<void> {
  await db('job_leases').where({ name, owner }).update({ owner: null, expires_at: 0 });
}
