import type { Db } from './db.js';

/** Makes `db.together`; `sendsAhead` is the dialect's. */
export const createTogether = (sendsAhead: boolean): Db['together'] => (sendsAhead ? atOnce : inTurn);

async function inTurn(...works: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const work of works) await work();
}

async function atOnce(...works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ended = await Promise.allSettled(works.map((work) => work()));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
