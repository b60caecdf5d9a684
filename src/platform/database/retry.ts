import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats of a transaction or statement that met a conflict (docs/reliability.md §3.3). */
export const RETRIES = 5;

/** Long enough for the winner to finish, apart from other losers. */
export const pause = (): Promise<void> => sleep(20 + Math.random() * 280);
