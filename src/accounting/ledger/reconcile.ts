import type { Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { OperationRunner, Progress, Step } from '../../program/operations/contributions.js';
import type { Deps } from './deps.js';
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
import type { EarningFigures, Repair, SettleOrders } from './types.js';

/** Affiliates or visits that the first step repairs. */
const SIZE = 50;
const COLUMNS = ['total_earnings_minor', 'unpaid_earnings_minor', 'referrals', 'visits'] as const;

interface RecountProgress extends Record<string, unknown> {
  /** Which of the parts: marks, totals, counters, orders. */
  readonly part: number;
  /** The last order that was looked at. */
  readonly after_id: number;
  readonly repaired: number;
}

const AT_START: RecountProgress = { part: 0, after_id: 0, repaired: 0 };

/** The parts before the orders: each finds what is wrong, and repairs it in the transaction of the step. */
const PARTS: readonly ((app: Deps, size: number) => Promise<(trx: Db) => Promise<Repair[]>>)[] = [
  findMarks,
  findTotals,
  findCounters,
];

/**
 * Repairs marks, totals and counters in batches of affiliates until nothing differs; then the orders. Done by the
 * engine (docs/reliability.md §3.9).
 */
export class Recount {
  #repairs: Repair[] = [];

  constructor(
    private readonly app: Deps,
    private readonly settleOrders: SettleOrders,
  ) {}

  /** Returns what was repaired; 409 `recount_running` while another process recounts. */
  async run(): Promise<Repair[]> {
    const { operations } = this.app;
    const report = { kind: 'recount', done: 0, total: PARTS.length + 1, details: AT_START } as const;
    await operations.forgetReported('recount', 0);
    await this.app.transaction((trx) => operations.begin(trx, report));
    await operations.take('recount', 0);
    if (await operations.find('recount')) fail('recount_running');
    return this.#repairs.splice(0);
  }

  readonly work: OperationRunner = {
    kind: 'recount',
    lease: () => 'ledger.recount',
    size: SIZE,
    step: (step) => {
      const recounting = step.work.details as RecountProgress; // as AT_START and the steps stored it
      const find = PARTS[recounting.part];
      return find ? this.#repair(step, recounting, find) : this.#settle(step, recounting);
    },
  };

  async #repair(
    { size, commit }: Step,
    { part, repaired }: RecountProgress,
    find: (typeof PARTS)[number],
  ): Promise<void> {
    const repair = await find(this.app, size);
    await commit(async (trx, afterCommit) => {
      const repairs = await repair(trx);
      afterCommit(() => this.#repairs.push(...repairs));
      const isOver = Number(repairs.length === 0);
      const details: RecountProgress = {
        part: part + isOver,
        after_id: 0,
        repaired: repaired + repairs.length,
      };
      return { done: isOver, details, hasEnded: false };
    });
  }

  async #settle({ commit }: Step, { part, after_id: afterId, repaired }: RecountProgress): Promise<void> {
    const { changed, after } = await this.settleOrders(afterId);
    this.#repairs.push(
      ...changed.map((id) => ({ affiliate_id: 0, column: 'orders', before: id, after: id }) as const),
    );
    const details: RecountProgress = {
      part,
      after_id: after ?? afterId,
      repaired: repaired + changed.length,
    };
    const progress: Progress = { done: 0, details, hasEnded: after === null };
    await commit(async () => progress);
  }
}

const NOTHING = async (): Promise<Repair[]> => [];

async function findMarks(app: Deps, size: number): Promise<(trx: Db) => Promise<Repair[]>> {
  const wrong = await findWrongMarks(app.db, size);
  if (wrong.length === 0) return NOTHING;
  return async (trx) => {
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
    return recordRepairs(
      app,
      trx,
      [...perAffiliate].map(([id, rows]) => ({
        affiliate_id: id,
        column: 'converted_marks',
        before: rows,
        after: 0,
      })),
    );
  };
}

async function findTotals(app: Deps, size: number): Promise<(trx: Db) => Promise<Repair[]>> {
  const wrong = await wrongTotals(app.db, size);
  if (wrong.length === 0) return NOTHING;
  return async (trx) => {
    const ids = wrong.map(({ affiliate_id: id }) => id);
    await lockAffiliates(trx, ids);
    await deleteTotals(trx, ids);
    await countStored(trx, {
      text: `coalesce(affiliate_id, 0) in (${ids.map(() => '?').join(', ')})`,
      bindings: ids,
    });
    return recordRepairs(
      app,
      trx,
      wrong.map(({ affiliate_id: id, rows }) => ({
        affiliate_id: id,
        column: 'referral_totals',
        before: rows,
        after: 0,
      })),
    );
  };
}

async function recordRepairs(app: Deps, trx: Db, repairs: readonly Repair[]): Promise<Repair[]> {
  if (repairs.length > 0)
    await app.audit.write(trx, 'ledger.reconcile', ['ledger', null], { after: repairs });
  return [...repairs];
}

async function findCounters(app: Deps, size: number): Promise<(trx: Db) => Promise<Repair[]>> {
  const { currency } = await app.settings.referralConfig();
  const ids = (await unbalanced(app.db, currency, size)).map((pair) => pair.stored.affiliate_id);
  if (ids.length === 0) return NOTHING;
  return async (trx) => {
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
          currency: pair.countedIn ?? currency,
          total_delta_minor: total,
          unpaid_delta_minor: unpaid,
          actor_id: app.context.current().user?.id ?? null,
          reason: 'reconcile',
          created_at: app.clock.now(),
        });
      }
      repairs.push(...changed);
    }
    return recordRepairs(app, trx, repairs);
  };
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
