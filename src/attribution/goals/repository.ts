import type { Db, Row } from '../../platform/database/db.js';
import { levelMoves, type LevelMove } from './record.js';

export async function insertMove(trx: Db, move: Omit<LevelMove, 'id'>): Promise<void> {
  await trx.dialect.insertRows(trx, 'affiliate_levels', [levelMoves.toRow(move)]);
}

/** Has this window moved the affiliate already? */
export async function hasMoved(db: Db, affiliateId: number, window: string): Promise<boolean> {
  const row: Row | undefined = await db('affiliate_levels')
    .first('id')
    .where({ affiliate_id: affiliateId, window_key: window });
  return row !== undefined;
}

/** The moves of an affiliate, the newest first. */
export async function movesOf(db: Db, affiliateId: number, limit: number): Promise<LevelMove[]> {
  const rows: Row[] = await db('affiliate_levels')
    .select(levelMoves.columns)
    .where({ affiliate_id: affiliateId })
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(levelMoves.fromRow);
}

export async function deleteMoves(trx: Db, affiliateId: number): Promise<void> {
  await trx('affiliate_levels').where({ affiliate_id: affiliateId }).delete();
}
