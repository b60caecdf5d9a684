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

export type FoundChallenge = Pick<ChallengeRow, 'code_hash' | 'payload' | 'created_at' | 'expires_at'>;

export async function findChallenge(db: Db, reference: string, now: number): Promise<FoundChallenge | null> {
  const row: FoundChallenge | undefined = await db('signup_challenges')
    .first(['code_hash', 'payload', 'created_at', 'expires_at'])
    .where({ reference })
    .where('expires_at', '>', now);
  return row ? { ...row, created_at: Number(row.created_at), expires_at: Number(row.expires_at) } : null;
}

/** Gives a sign-up another code with tries of its own; false when another request changed it since `seen`. */
export async function renewChallenge(
  db: Db,
  reference: string,
  {
    seen,
    ...change
  }: { readonly seen: string } & Pick<ChallengeRow, 'code_hash' | 'created_at' | 'expires_at'>,
): Promise<boolean> {
  const changed: number = await db('signup_challenges')
    .where({ reference, code_hash: seen })
    .update({ ...change, attempts: 0 });
  return changed > 0;
}

/** True for the request that removed it: a code can be used once. */
export async function removeChallenge(db: Db, reference: string): Promise<boolean> {
  return (await db('signup_challenges').where({ reference }).delete()) > 0;
}
