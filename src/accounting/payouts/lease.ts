import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../../errors.js';
import type { Lease } from '../../platform/database/lease.js';
import type { Deps } from './deps.js';

/** All payouts of a program are made under this one. */
export const RUN_LEASE = 'payouts.run';

const STEP = 100;
const PATIENCE = 30_000;
/**
 * A killed process holds the lease for this long, and the next run has to wait. A running one renews it every
 * third of that time.
 */
const TTL = 10_000;

/**
 * Allows one payout run at a time in all processes; others wait up to 30 s, then 503 `busy`
 * (docs/reliability.md §4). It only prevents runs from disturbing each other: row locks and the key of
 * payout_items decide what is paid.
 */
export async function withRunLease<T>(app: Deps, work: (lease: Lease) => Promise<T>): Promise<T> {
  for (let waited = 0; waited <= PATIENCE; waited += STEP) {
    const done = await app.withLease(RUN_LEASE, work, { ttlMs: TTL });
    if (done !== null) return done.value;
    await sleep(STEP);
  }
  return fail('busy', { retryAfter: 5 });
}
