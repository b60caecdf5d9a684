import { lockRecord } from '../../records/list.js';
import type { Db, Row } from '../../platform/database/db.js';
import { rewardSets, type RewardSet } from './record.js';

export async function insertSet(trx: Db, set: Omit<RewardSet, 'id'>): Promise<number> {
  return trx.dialect.insert(trx, 'reward_sets', rewardSets.toRow(set));
}

export async function findSet(db: Db, id: number): Promise<RewardSet | null> {
  const row: Row | undefined = await db('reward_sets').first(rewardSets.columns).where({ id });
  return row ? rewardSets.fromRow(row) : null;
}

/** Like `findSet`, locked until the transaction ends. */
export const lockSet = (trx: Db, id: number): Promise<RewardSet | null> =>
  lockRecord(trx, rewardSets, { id });

export async function changeSet(trx: Db, id: number, change: Partial<RewardSet>): Promise<void> {
  await trx('reward_sets').where({ id }).update(rewardSets.toRow(change));
}

export async function deleteSet(trx: Db, id: number): Promise<void> {
  await trx('reward_sets').where({ id }).delete();
}

export async function highestVersion(db: Db): Promise<number> {
  const row: Row | undefined = await db('reward_sets').max({ highest: 'version' }).first();
  return Number(row?.['highest'] ?? 0);
}
