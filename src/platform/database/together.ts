import type { Db } from './db.js';

type Works = readonly (() => Promise<unknown>)[];

/**
 * Makes `db.together`; `sendsAhead` is the dialect's. Outside a transaction each statement has a connection of
 * its own, so there none waits for another.
 */
export const createTogether = (sendsAhead: boolean, inTransaction: () => boolean): Db['together'] =>
  ((...works: Works) =>
    sendsAhead || !inTransaction() ? atOnce(...works) : inTurn(...works)) as Db['together'];

async function inTurn(...works: Works): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const work of works) answers.push(await work());
  return answers;
}

/**
 * The first failure holds the reason: PostgreSQL answers all later statements with an error that only names
 * the earlier one.
 */
async function atOnce(...works: Works): Promise<unknown[]> {
  const failures: unknown[] = [];
  const answers = await Promise.all(
    works.map((work) => work().catch((error: unknown) => void failures.push(error))),
  );
  if (failures.length > 0) throw failures[0];
  return answers;
}
