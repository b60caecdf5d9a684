import { readInFlight } from './in-flight-queries.js';
import { toWire } from '../../core/money.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { AffiliateError, ERRORS, fail } from '../../errors.js';
import type { OperationRunner, Progress } from '../../program/operations/contributions.js';
import type { Deps } from './deps.js';
import { itemsOf } from './claim-queries.js';
import { withRunLease } from './lease.js';
import { dropPlan } from './plan-queries.js';
import { releaseSlice, appendReleased, appendUndone } from './releasing.js';
import { deletePayout, findPayout, recompute } from './repository.js';
import type { UndoneDto } from './schemas.js';
import type { Payout, PayoutTransaction } from './types.js';
import * as store from './undo-queries.js';

type LeftIn = UndoneDto['left_out'];

/** How many of the payments that remain in the payout are recorded while it is undone. */
export const LEFT_IN = 500;
const SIZE = 20;
/** Commissions that one step releases at most. */
const ITEMS = 1000;

/** What is stored between the steps. */
interface UndoProgress extends Record<string, unknown> {
  /** Every payment up to this one was looked at. */
  readonly after_id: number;
  /** A payment that is released in parts; extensions have agreed to it. */
  readonly part_id: number;
  readonly released: number;
  readonly released_minor: number;
  readonly first_id: number;
  readonly last_id: number;
  readonly left_out: LeftIn;
}

const AT_START: UndoProgress = {
  after_id: 0,
  part_id: 0,
  released: 0,
  released_minor: 0,
  first_id: 0,
  last_id: 0,
  left_out: [],
};

/** The engine's part of an undo: releases slices of the open transactions until it has looked at all. */
export const undoOperation = (app: Deps): OperationRunner => ({
  kind: 'payout_undo',
  lease: (id) => `payouts.undo:${id}`,
  size: SIZE,
  step: async ({ work, size, commit }) => {
    const payout = (await findPayout(app.db, work.object_id)) ?? fail('payout_not_found');
    const undoing = work.details as UndoProgress; // as AT_START and `release` stored it
    const open = await store.openAfter(app.db, payout.id, undoing.after_id, size);
    if (open.length === 0)
      return commit((trx, afterCommit) => finish(app, { trx, afterCommit }, payout, undoing));
    const refused = await refusals(app, payout, open, undoing);
    return commit((trx, afterCommit) =>
      release(app, { trx, afterCommit }, { payout, open, refused, undoing }),
    );
  },
});

/** Begins to undo a payout in steps. One that is still being made is stopped first. */
export async function beginUndo(app: Deps, payout: Payout, total: number): Promise<void> {
  const begin = (trx: Db): Promise<void> =>
    app.operations.begin(trx, {
      kind: 'payout_undo',
      object_id: payout.id,
      done: 0,
      total,
      details: AT_START,
    });
  await app.operations.forgetReported('payout_undo', payout.id);
  if (payout.status !== 'draft') return app.transaction(begin);
  await app.operations.stop('payout', payout.id);
  await withRunLease(app, () =>
    app.transaction(async (trx) => {
      await app.operations.endIn(trx, 'payout', payout.id);
      await dropPlan(trx, payout.id);
      await begin(trx);
    }),
  );
}

interface OpenTransaction {
  readonly trx: Db;
  readonly afterCommit: AfterCommit;
}
type Refusals = ReadonlyMap<number, { readonly code: string; readonly message: string }>;

/** Asks the extensions; runs outside transactions. */
async function refusals(
  app: Deps,
  payout: Payout,
  open: readonly PayoutTransaction[],
  { part_id: partId }: UndoProgress,
): Promise<Refusals> {
  const own = await app.affiliates.ownForbidden();
  const refused = new Map<number, { code: string; message: string }>();
  for (const transaction of open) {
    const { id, affiliate_id: affiliateId } = transaction;
    if (own !== null && affiliateId === own) refused.set(id, refusal('self_management_forbidden'));
    if (id === partId || refused.has(id)) continue;
    try {
      await app.hooks.doAction('payout/transaction/deleting', transaction, payout);
    } catch (error) {
      refused.set(id, refusalBy(error));
    }
  }
  return refused;
}

/** Why a payment stays: an extension's veto or a rule. Faults are thrown. */
export function refusalBy(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof AffiliateError && error.status < 500)
    return { code: error.code, message: error.message };
  throw error;
}

const refusal = (
  code: 'self_management_forbidden' | 'transaction_paid' | 'payment_in_flight',
): { code: string; message: string } => ({
  code,
  message: ERRORS[code][1],
});

async function release(
  app: Deps,
  opened: OpenTransaction,
  {
    payout,
    open,
    refused,
    undoing,
  }: { payout: Payout; open: readonly PayoutTransaction[]; refused: Refusals; undoing: UndoProgress },
): Promise<Progress> {
  const { trx, afterCommit } = opened;
  const now = app.clock.now();
  const wanted = open.filter(({ id }) => !refused.has(id));
  await app.ledger.lock(trx, ...wanted.map(({ affiliate_id: id }) => id));
  const ids = wanted.map(({ id }) => id);
  const inLock = await store.lockAmong(trx, payout.id, ids);
  const sent = await readInFlight(trx, ids);
  const locked = inLock.filter(({ id }) => !sent.has(id));
  const items = await itemsOf(
    trx,
    locked.map(({ id }) => id),
    ITEMS,
  );
  await releaseSlice(app, opened, { payoutId: payout.id, items });
  // a payment remains with the items that are not released
  const upTo = items.length === ITEMS ? items.at(-1)!.transaction_id : open.at(-1)!.id;
  const isPart = await store.exists(trx, payout.id, locked.find(({ id }) => id === upTo)?.id ?? 0);
  const looked = open.filter(({ id }) => id < upTo || (id === upTo && !isPart));
  const gone = locked.filter(({ id }) => looked.some((each) => each.id === id));
  await appendReleased(app, trx, gone, await recompute(trx, payout.id, now));
  for (const { id } of gone)
    afterCommit(async () =>
      app.hooks.doAction('payout/transaction/deleted', id, (await findPayout(app.db, payout.id)) ?? payout),
    );
  const isLocked = new Set(locked.map(({ id }) => id));
  const refusalOf = (each: PayoutTransaction): ReturnType<typeof refusal> | null => {
    if (refused.has(each.id) || isLocked.has(each.id)) return refused.get(each.id) ?? null;
    return refusal(sent.has(each.id) ? 'payment_in_flight' : 'transaction_paid');
  };
  const leftOut = looked.flatMap((each) => leftIn(each, refusalOf(each)));
  return {
    done: looked.length,
    hasEnded: false,
    details: {
      ...counted(undoing, gone, leftOut),
      after_id: looked.at(-1)?.id ?? undoing.after_id,
      part_id: isPart ? upTo : 0,
      released_minor: undoing.released_minor + items.reduce((sum, each) => sum + each.amount_minor, 0),
    } satisfies UndoProgress,
  };
}

const counted = (
  undoing: UndoProgress,
  gone: readonly PayoutTransaction[],
  leftOut: LeftIn,
): UndoProgress => ({
  ...undoing,
  released: undoing.released + gone.length,
  first_id: undoing.first_id || (gone[0]?.id ?? 0),
  last_id: gone.at(-1)?.id ?? undoing.last_id,
  left_out: [...undoing.left_out, ...leftOut].slice(0, LEFT_IN),
});

const leftIn = (
  { id, affiliate_id, total_amount_minor, currency }: PayoutTransaction,
  refused: { readonly code: string; readonly message: string } | null,
): LeftIn =>
  refused === null
    ? []
    : [{ transaction_id: id, affiliate_id, amount: toWire(total_amount_minor, currency ?? ''), ...refused }];

interface Undone {
  readonly released: number;
  readonly released_minor: number;
  readonly left_out: number;
  readonly first_id?: number;
  readonly last_id?: number;
}

export async function auditUndone(
  app: Deps,
  trx: Db,
  { id, status, currency }: Payout,
  { released, released_minor, ...rest }: Undone,
): Promise<void> {
  await app.audit.write(trx, 'payout.undone', ['payout', id], {
    before: { status, currency },
    after: { transactions: released, total_amount_minor: released_minor, ...rest },
  });
}

/** An empty draft is removed; a draft with payments becomes a payout. */
async function finish(
  app: Deps,
  { trx }: OpenTransaction,
  payout: Payout,
  undoing: UndoProgress,
): Promise<Progress> {
  const { released, released_minor, first_id, last_id, left_out } = undoing;
  const undone = { released, released_minor, left_out: left_out.length };
  await auditUndone(app, trx, payout, { ...undone, first_id, last_id });
  if (payout.status === 'draft') {
    if (await store.hasTransactions(trx, payout.id))
      await recompute(trx, payout.id, app.clock.now(), { closes: true });
    else await deletePayout(trx, payout.id);
  }
  await appendUndone(app, trx, payout, undone);
  return { done: 0, details: undoing, hasEnded: true };
}
