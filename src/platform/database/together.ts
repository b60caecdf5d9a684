import type { Db } from './db.js';

/** Makes `db.together`; `sendsAhead` is the dialect's. */
export const createTogether = (sendsAhead: boolean): Db['together'] => (sendsAhead ? atOnce : inTurn);

async function inTurn(...works: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const work of works) await work();
}

/** The failure that came first tells why: on PostgreSQL all that follow only say that one came before. */
async function atOnce(...works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(works.map((work) => work().catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}
