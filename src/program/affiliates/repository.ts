import type { Db } from '../../platform/database/db.js';
import { rowsOf, findRecord } from '../../records/list.js';
import { affiliates, type Affiliate } from './record.js';

type Writable = Partial<Omit<Affiliate, 'id'>>;

export const findAffiliate = (db: Db, id: number): Promise<Affiliate | null> =>
  findRecord(db, affiliates, { id });

/** The row, locked until the transaction ends; the first lock of every change (docs/reliability.md §3.1). */
export async function lockAffiliate(trx: Db, id: number): Promise<Affiliate | null> {
  trx.willLock([String(id)]);
  const row = await trx.lockRow('affiliates', affiliates.columns, { id });
  return row ? affiliates.fromRow(row) : null;
}

export const findByUser = (db: Db, userId: number): Promise<Affiliate | null> =>
  findRecord(db, affiliates, { user_id: userId });

export async function findAffiliates(
  db: Db,
  ids: readonly number[],
  key: 'id' | 'user_id' = 'id',
): Promise<Affiliate[]> {
  if (ids.length === 1) {
    const row = await db.findByKey('affiliates', affiliates.columns, { [key]: ids[0]! });
    return row ? [affiliates.fromRow(row)] : [];
  }
  return (await rowsOf(db, affiliates, ids, key)).map(affiliates.fromRow);
}

/**
 * null when the user is an affiliate already. The unique key decides when two requests race, not a look-up
 * before.
 */
export async function insertAffiliate(trx: Db, affiliate: Omit<Affiliate, 'id'>): Promise<number | null> {
  return trx.dialect.insertIfAbsent(trx, 'affiliates', affiliates.toRow(affiliate), ['user_id']);
}

/** Changes the row if it still has the status it was read with; false when another writer was first. */
export async function updateAffiliate(
  trx: Db,
  seen: Pick<Affiliate, 'id' | 'status'>,
  changes: Writable,
): Promise<boolean> {
  return (
    (await trx('affiliates')
      .where({ id: seen.id, status: seen.status })
      .update(affiliates.toRow(changes))) === 1
  );
}

/** Removes the members from the group; those that used its rate get the default. */
export async function detachGroup(trx: Db, groupId: number, now: number): Promise<void> {
  await trx('affiliates')
    .where({ group_id: groupId, rate_type: 'group' })
    .update({ rate_type: 'default', updated_at: now });
  await trx('affiliates').where({ group_id: groupId }).update({ group_id: null, updated_at: now });
}

export async function deleteAffiliate(trx: Db, id: number): Promise<void> {
  await trx('affiliates').where({ id }).delete();
}
