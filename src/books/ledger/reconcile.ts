import type { Db } from '../../platform/database/db.js';
import type { Needs } from './needs.js';
import {
  booksOf,
  findWrongMarks,
  insertEntry,
  lockAffiliates,
  unbalanced,
  writeBooks,
  writeMarks,
  type BookPair,
} from './repository.js';
import { countStored, deleteTotals, wrongTotals } from './totals-queries.js';
import type { EarningFigures, Repair } from './types.js';

const BATCH = 200;
const COLUMNS = ['total_earnings_minor', 'unpaid_earnings_minor', 'referrals', 'visits'] as const;

/**
 * Repairs marks, totals and counters in batches of affiliates, each in a transaction, until nothing differs;
 * then the orders.
 */
export async function reconcileBooks(
  app: Needs,
  currency: string,
  settleOrders: () => Promise<readonly number[]>,
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  const steps = [repairMarks, repairTotals, repairCounters];
  const tell = (done: number): Promise<void> =>
    app.works.tell({
      kind: 'recount',
      done,
      total: steps.length + 1,
      details: { repaired: repairs.length },
    });
  for (const [at, repairBatch] of steps.entries()) {
    await tell(at);
    for (
      let batch = await repairBatch(app, currency);
      batch.length > 0;
      batch = await repairBatch(app, currency)
    ) {
      repairs.push(...batch);
      await tell(at);
    }
  }
  await tell(steps.length);
  const settled = await settleOrders();
  repairs.push(
    ...settled.map((id) => ({ affiliate_id: 0, column: 'orders', before: id, after: id }) as const),
  );
  return repairs;
}

async function repairMarks(app: Needs): Promise<Repair[]> {
  const wrong = await findWrongMarks(app.db, BATCH);
  if (wrong.length === 0) return [];
  return app.transaction(async (trx) => {
    await lockAffiliates(
      trx,
      wrong.flatMap(({ affiliate_id: id }) => id ?? []),
    );
    await writeMarks(
      trx,
      wrong.map(({ id }) => id),
    );
    const perAffiliate = new Map<number, number>();
    for (const { affiliate_id: id } of wrong) perAffiliate.set(id ?? 0, (perAffiliate.get(id ?? 0) ?? 0) + 1);
    return told(
      app,
      trx,
      [...perAffiliate].map(([id, rows]) => ({
        affiliate_id: id,
        column: 'converted_marks',
        before: rows,
        after: 0,
      })),
    );
  });
}

async function repairTotals(app: Needs): Promise<Repair[]> {
  const wrong = await wrongTotals(app.db, BATCH);
  if (wrong.length === 0) return [];
  return app.transaction(async (trx) => {
    const ids = wrong.map(({ affiliate_id: id }) => id);
    await lockAffiliates(trx, ids);
    await deleteTotals(trx, ids);
    await countStored(trx, {
      text: `coalesce(affiliate_id, 0) in (${ids.map(() => '?').join(', ')})`,
      bindings: ids,
    });
    return told(
      app,
      trx,
      wrong.map(({ affiliate_id: id, rows }) => ({
        affiliate_id: id,
        column: 'referral_totals',
        before: rows,
        after: 0,
      })),
    );
  });
}

async function told(app: Needs, trx: Db, repairs: readonly Repair[]): Promise<Repair[]> {
  if (repairs.length > 0)
    await app.audit.write(trx, {
      action: 'ledger.reconcile',
      object_type: 'ledger',
      object_id: null,
      after: repairs,
    });
  return [...repairs];
}

async function repairCounters(app: Needs, currency: string): Promise<Repair[]> {
  const ids = (await unbalanced(app.db, currency, BATCH)).map((pair) => pair.stored.affiliate_id);
  if (ids.length === 0) return [];
  return app.transaction(async (trx) => {
    await lockAffiliates(trx, ids);
    const repairs: Repair[] = [];
    for (const pair of await booksOf(trx, currency, ids)) {
      const changed = [...counterRepairs(pair.stored, pair.counted), ...ledgerRepairs(pair)];
      if (changed.some(({ column }) => !column.startsWith('ledger_'))) await writeBooks(trx, pair.counted);
      const total = pair.counted.total_earnings_minor - pair.ledger.total;
      const unpaid = pair.counted.unpaid_earnings_minor - pair.ledger.unpaid;
      if (total !== 0 || unpaid !== 0) {
        await insertEntry(trx, {
          affiliate_id: pair.stored.affiliate_id,
          referral_id: null,
          payout_id: null,
          transaction_id: null,
          kind: 'adjusted',
          currency,
          total_delta_minor: total,
          unpaid_delta_minor: unpaid,
          actor_id: app.context.current().user?.id ?? null,
          reason: 'reconcile',
          created_at: app.clock.now(),
        });
      }
      repairs.push(...changed);
    }
    return told(app, trx, repairs);
  });
}

function counterRepairs(stored: EarningFigures, counted: EarningFigures): Repair[] {
  return COLUMNS.filter((column) => stored[column] !== counted[column]).map((column) => ({
    affiliate_id: stored.affiliate_id,
    column,
    before: stored[column],
    after: counted[column],
  }));
}

function ledgerRepairs({ counted, ledger }: BookPair): Repair[] {
  const pairs = [
    { column: 'ledger_total', before: ledger.total, after: counted.total_earnings_minor },
    { column: 'ledger_unpaid', before: ledger.unpaid, after: counted.unpaid_earnings_minor },
  ] as const;
  return pairs
    .filter(({ before, after }) => before !== after)
    .map((pair) => ({ affiliate_id: counted.affiliate_id, ...pair }));
}
