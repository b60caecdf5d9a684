import type { Db } from '../../platform/database/db.js';

/** A sign-up that waits for its code. `reference` and `code_hash` are keyed hashes, `payload` is sealed. */
export interface ChallengeRow {
  readonly reference: string;
  readonly code_hash: string;
  readonly payload: string;
  readonly attempts: number;
  readonly created_at: number;
  readonly expires_at: number;
}

export async function insertChallenge(db: Db, row: ChallengeRow): Promise<void> {
  await db('signup_challenges').insert(row);
}

/**
 * Counts a try before it is checked, so that parallel guesses do not get more of them; false when none is
 * left.
 */
export async function takeAttempt(
  db: Db,
  reference: string,
  limits: { readonly now: number; readonly max: number },
): Promise<boolean> {
  const changed: number = await db('signup_challenges')
    .where({ reference })
    .where('expires_at', '>', limits.now)
    .where('attempts', '<', limits.max)
    .increment('attempts', 1);
  return changed > 0;
}

export async function findChallenge(
  db: Db,
  reference: string,
  now: number,
): Promise<Pick<ChallengeRow, 'code_hash' | 'payload'> | null> {
  const row: Pick<ChallengeRow, 'code_hash' | 'payload'> | undefined = await db('signup_challenges')
    .first(['code_hash', 'payload'])
    .where({ reference })
    .where('expires_at', '>', now);
  return row ?? null;
}

/** True for the request that removed it: a code can be used once. */
export async function removeChallenge(db: Db, reference: string): Promise<boolean> {
  return (await db('signup_challenges').where({ reference }).delete()) > 0;
}
