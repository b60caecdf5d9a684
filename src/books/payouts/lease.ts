import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../../errors.js';
import type { Needs } from './needs.js';

const STEP = 100;
const PATIENCE = 30_000;
/**
 * A killed process keeps the lease for so long; the next run waits that out.
 * A living one renews it every third of it.
 */
const TTL = 10_000;

/**
 * One payout run at a time in all processes; others wait up to 30 s, then 503
 * `busy` (docs/reliability.md §4).
 * It only keeps runs from getting into each other's way:
 * what is paid is decided by row locks and by the key of payout_items.
 */
export async function withRunLease<T>(app: Needs, work: () => Promise<T>): Promise<T> {
  for (let waited = 0; waited <= PATIENCE; waited += STEP) {
    const done = await app.withLease('payouts.run', work, { ttlMs: TTL });
    if (done !== null) return done.value;
    await sleep(STEP);
  }
  return fail('busy', { retryAfter: 5 });
}
