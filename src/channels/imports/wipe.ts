import { countOf } from '../../records/list.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../../errors.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { OperationRunner } from '../../program/operations/contributions.js';
import type { Deps } from './deps.js';
import { dataCounts } from './repository.js';

/** Rows that the first step deletes. */
const SIZE = 1000;
/** By then every process has read the settings again, and knows that the program is closed. */
const CLOSED_EVERYWHERE_MS = 1100;

/**
 * Tables of very many rows, by the key that their slices go along. Rows that refer to others come first.
 * Settings, managers, connected sites, audit log, and records that prevent sending something twice are not
 * deleted.
 */
const SLICED: readonly (readonly [table: TableName, key: string])[] = [
  ['payout_items', 'referral_id'],
  ['order_facts', 'id'],
  ['referrals', 'id'],
  ['payout_transactions', 'id'],
  ['visits', 'id'],
  ['customer_names', 'id'],
  ['waiting_names', 'id'],
  ['customers_apart', 'id'],
  ['customers', 'id'],
  ['ledger_entries', 'id'],
  ['visit_keys', 'visit_key'],
  ['order_refs', 'order_id'],
  ['orders', 'id'],
  ['skipped_conversions', 'id'],
  ['daily_stats', 'day'],
  ['import_rows', 'id'],
];
/** Deleted by the last step, after what may have come into the others. */
const REST: readonly TableName[] = [
  'payout_plan',
  'payouts',
  'creative_affiliates',
  'creative_groups',
  'creatives',
  'coupons',
  'referral_totals',
  'skip_counts',
  'import_runs',
  'commission_notes',
  'affiliate_levels',
  'affiliate_names',
  'affiliates',
];

interface WipeProgress extends Record<string, unknown> {
  /** Which of the sliced tables. */
  readonly part: number;
  /** How many records there were, for the audit log. */
  readonly before: object;
}

/** Deletes the program's data in slices, while the program is closed (docs/reliability.md §3.9). */
export class Wipe {
  constructor(
    private readonly app: Deps,
    private readonly lease: { readonly name: string; readonly ttlMs: number },
  ) {}

  /** False when another process holds the lease. An interrupted wipe continues where it was. */
  async run(): Promise<boolean> {
    const { app } = this;
    const context = { ...app.context.current(), whileClosed: true } as const;
    const done = await app.withLease(
      this.lease.name,
      (lease) =>
        app.context.run(context, async () => {
          await this.#begin();
          await sleep(CLOSED_EVERYWHERE_MS);
          await app.operations.drive('wipe', 0, lease);
        }),
      { ttlMs: this.lease.ttlMs },
    );
    if (done !== null && (await app.operations.find('wipe'))) fail('closed_for_wipe', { retryAfter: 5 });
    return done !== null;
  }

  readonly work: OperationRunner = {
    kind: 'wipe',
    lease: () => this.lease.name,
    whileClosed: true,
    size: SIZE,
    step: ({ work, size, commit }) =>
      commit(async (trx, afterCommit) => {
        const { part, before } = work.details as WipeProgress; // as #begin stored it
        const sliced = SLICED[part];
        if (sliced === undefined) {
          await this.#finish(trx, before);
          await this.app.settings.setClosed(trx, afterCommit, false);
          afterCommit(() => this.app.hooks.doAction('wipe_current_data'));
          return { done: 0, details: work.details, hasEnded: true };
        }
        const done = await deleteSlice(trx, sliced, size);
        const details: WipeProgress = { part: part + Number(done < size), before };
        return { done, details, hasEnded: false };
      }),
  };

  async #begin(): Promise<void> {
    const { app } = this;
    const details: WipeProgress = { part: 0, before: await dataCounts(app.db) };
    const total = await countAll(app.db);
    await app.transaction(async (trx, afterCommit) => {
      await app.operations.endOthers(trx, 'wipe');
      await app.operations.begin(trx, { kind: 'wipe', done: 0, total, details });
      await app.settings.setClosed(trx, afterCommit, true);
    });
  }

  async #finish(trx: Db, before: object): Promise<void> {
    for (const [table] of SLICED) await deleteAll(trx, table);
    for (const table of REST) await trx(table).delete();
    await trx('meta').where({ object_type: 'affiliate_group' }).delete();
    await this.app.audit.write(trx, 'data.wiped', ['settings', null], { before });
  }
}

async function countAll(db: Db): Promise<number> {
  let total = 0;
  for (const [table] of SLICED) {
    total += await countOf(db(table));
  }
  return total;
}

/** Deletes about so many rows with the lowest keys. Returns how many; fewer only when none is left. */
async function deleteSlice(trx: Db, [table, key]: (typeof SLICED)[number], size: number): Promise<number> {
  const row: Row | undefined = await trx(table)
    .first(key)
    .orderBy(key)
    .offset(size - 1);
  if (row === undefined) return deleteAll(trx, table);
  const last = row[key] as string | number;
  if (table === 'referrals') await trx(table).where('parent_id', '<=', last).update({ parent_id: null });
  return trx(table).where(key, '<=', last).delete();
}

async function deleteAll(trx: Db, table: TableName): Promise<number> {
  if (table === 'referrals') await trx(table).whereNotNull('parent_id').update({ parent_id: null });
  return trx(table).delete();
}
