import { setTimeout as sleep } from 'node:timers/promises';

/** How often a transaction or statement is retried after a conflict (docs/reliability.md §3.3). */
export const RETRIES = 5;

/** Waits long enough for the other transaction to finish. The random part separates several retries. */
export const pause = (): Promise<void> => sleep(20 + Math.random() * 280);
