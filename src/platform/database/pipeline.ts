import type { Db } from './db.js';

type Operations = readonly (() => Promise<unknown>)[];

/**
 * Makes `db.pipeline`; `sendsAhead` is the dialect's. Outside a transaction each statement has a connection of
 * its own, so there none waits for another.
 */
export const createPipeline = (sendsAhead: boolean, inTransaction: () => boolean): Db['pipeline'] =>
  ((...operations: Operations) =>
    sendsAhead || !inTransaction() ? atOnce(...operations) : inTurn(...operations)) as Db['pipeline'];

async function inTurn(...operations: Operations): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const work of operations) results.push(await work());
  return results;
}

/**
 * The first failure holds the reason: in PostgreSQL, all later statements fail with an error that only names
 * the earlier one.
 */
async function atOnce(...operations: Operations): Promise<unknown[]> {
  const failures: unknown[] = [];
  const results = await Promise.all(
    operations.map((work) => work().catch((error: unknown) => void failures.push(error))),
  );
  if (failures.length > 0) throw failures[0];
  return results;
}
