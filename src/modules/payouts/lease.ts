import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.js';
import { randomToken } from '../../core/random.js';
import { fail } from '../../errors.js';
import { extendLease, freeLease, takeLease } from './lease-rows.js';

const NAME = 'payouts.run';
const HELD = 60_000;
const BEAT = 15_000;
const STEP = 100;
const PATIENCE = 30_000;

/**
 * One payout run at a time in all processes; others wait up to 30 s, then 503 `busy` (reliability §6). It only keeps runs from
 * getting into each other's way: what is paid is decided by row locks and by the key of payout_items.
 */
export async function withRunLease<T>(app: App, work: () => Promise<T>): Promise<T> {
  const owner = randomToken(32);
  await acquire(app, owner);
  const beat = setInterval(() => {
    extendLease(app.db, NAME, owner, app.clock.now() + HELD).catch((error: unknown) => app.log.warn('The payout lease was not extended.', { error }));
  }, BEAT);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await freeLease(app.db, NAME, owner).catch((error: unknown) => app.log.warn('The payout lease was not freed.', { error }));
  }
}

async function acquire(app: App, owner: string): Promise<void> {
  for (let waited = 0; ; waited += STEP) {
    const now = app.clock.now();
    if (await takeLease(app.db, NAME, { owner, now, until: now + HELD })) return;
    if (waited >= PATIENCE) fail('busy', { retryAfter: 5 });
    await sleep(STEP);
  }
}
