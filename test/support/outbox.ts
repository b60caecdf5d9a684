import type { TestApp } from './app.js';
import { listed } from './lists.js';
import type { Wire } from './records.js';

type Started = Pick<TestApp, 'admin' | 'app'>;

/** Mails and deliveries of this kind, sent or not, oldest first; all kinds without one. */
export const outboxOf = async (t: Started, kind?: string): Promise<Wire[]> =>
  (await listed(t, '/system/outbox')).filter((entry: Wire) => kind === undefined || entry.kind === kind);

/** Deletes the outbox, so that a test finds only what comes afterwards. */
export const clearOutbox = async (t: Started): Promise<void> => {
  await t.app.db('outbox').delete();
};
