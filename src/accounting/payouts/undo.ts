import { toIso } from '../../core/dates.js';
import { toWire, type Minor } from '../../core/money.js';
import type { Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { changedTransactions } from './changed-queries.js';
import type { TransactionChanges } from './changes.js';
import * as store from './undo-queries.js';
import { appendUndone } from './releasing.js';
import { auditUndone, LEFT_IN, refusalBy } from './undo-operation.js';
import { presentCreator } from './presenter.js';
import type { RunningDto, UndoDto, UndoneDto, WasDto } from './schemas.js';
import type { Payout, PayoutTransaction } from './types.js';

/** How many transactions one request releases; the caller repeats it for the rest. */
const PART = 200;

/** What an undo of a payout would release. Paid transactions do not change. */
export async function undoPreview(db: Db, { id, currency }: Payout): Promise<UndoDto> {
  const sums = await store.sumsByStatus(db, id);
  const changed = [...(await changedTransactions(db, { payoutId: id })).values()];
  const amount = (value: number): number => toWire(value as Minor, currency ?? ''); // sums of minor units
  return {
    currency: currency ?? '',
    transactions_count: sums.processing.count,
    total_amount: amount(sums.processing.total),
    referrals_count: await store.countOpenItems(db, id),
    not_due_amount: amount(changed.reduce((sum, each) => sum + each.not_due_minor, 0)),
    paid_count: sums.paid.count,
    paid_amount: amount(sums.paid.total),
  };
}

/** How a payout without payments was before they were undone, from the audit log; null if that has no entry. */
export async function readUndone(app: Deps, { id, currency }: Payout): Promise<WasDto | null> {
  const { rows } = await app.audit.list({
    page: 1,
    per_page: AUDIT_ROWS,
    order_type: 'DESC',
    object_type: 'payout',
    object_id: String(id),
  });
  const made = rows.find(({ action }) => action === 'payout.processed')?.after as Made | undefined;
  if (made === undefined) return null;
  const undone = rows.find(({ action }) => action === 'payout.undone');
  const users = await app.users([undone?.actor_id ?? null]);
  return {
    total_amount: toWire(made.total_amount_minor as Minor, currency ?? ''), // as it was stored
    transactions_count: made.transactions,
    referrals_count: made.referrals,
    undone_at: toIso(undone?.created_at ?? null),
    undone_by: presentCreator(users.get(undone?.actor_id ?? 0)),
  };
}

const AUDIT_ROWS = 100;
/** What the audit log keeps of a new payout. */
interface Made {
  readonly total_amount_minor: number;
  readonly transactions: number;
  readonly referrals: number;
}

/**
 * Releases a part of the open transactions, each in its own database transaction. One that was paid or
 * released meanwhile, or that an extension holds back, is skipped and named.
 */
export async function undoPart(
  app: Deps,
  changes: TransactionChanges,
  { id, currency }: Payout,
  afterId: number,
): Promise<Omit<UndoneDto, 'payout' | 'message' | 'processing_count'> & { readonly released_minor: number }> {
  const open = await store.openAfter(app.db, id, afterId, PART);
  const leftOut: UndoneDto['left_out'][number][] = [];
  let released = 0;
  for (const transaction of open) {
    const refusal = await refusalOf(changes, transaction);
    const amount = toWire(transaction.total_amount_minor, currency ?? '');
    if (refusal === null) released += transaction.total_amount_minor;
    else
      leftOut.push({
        transaction_id: transaction.id,
        affiliate_id: transaction.affiliate_id,
        amount,
        ...refusal,
      });
  }
  return {
    released_count: open.length - leftOut.length,
    released_minor: released,
    released_amount: toWire(released as Minor, currency ?? ''), // a sum of minor units
    left_out: leftOut,
    next_after_id: open.length === PART ? open.at(-1)!.id : null,
  };
}

type Part = Awaited<ReturnType<typeof undoPart>>;
type LeftIn = UndoneDto['left_out'];
/** What is stored between the parts. */
interface UndoReport {
  readonly left_out: LeftIn;
  readonly released: number;
  readonly released_minor: number;
}

/** After this time without a request, no further one is expected. */
const NEXT_REQUEST_MS = 10_000;

/** Stores the progress of the undo, so that it can be continued; removed after the last part. */
export async function appendUndo(
  app: Deps,
  payout: Payout,
  { afterId, done, processing }: { afterId: number; done: Part; processing: number },
): Promise<void> {
  const before = afterId === 0 ? null : await app.operations.find('payout_undo', payout.id);
  const { id } = payout;
  const seen = { left_out: [], released: 0, released_minor: 0, ...before?.details } as UndoReport; // as stored below
  const leftOut = [...seen.left_out, ...done.left_out].slice(0, LEFT_IN);
  const released = seen.released + done.released_count;
  const released_minor = seen.released_minor + done.released_minor;
  if (done.next_after_id === null)
    return app.transaction(async (trx) => {
      await app.operations.endIn(trx, 'payout_undo', id);
      if (released === 0) return;
      await auditUndone(app, trx, payout, { released, released_minor, left_out: leftOut.length });
      await appendUndone(app, trx, payout, { released, released_minor, left_out: leftOut.length });
    });
  if (before === null) await app.operations.end('payout_undo', id); // an earlier undo was begun and abandoned
  return app.operations.reportProgress({
    kind: 'payout_undo',
    object_id: id,
    done: (before?.done ?? 0) + done.released_count + done.left_out.length,
    total: before?.total ?? done.released_count + processing,
    details: { next_after_id: done.next_after_id, left_out: leftOut, released, released_minor },
  });
}

const KINDS = { payout: 'payout', payout_paid: 'paid', payout_undo: 'undo' } as const;

export async function operationsOfPayouts(app: Deps): Promise<RunningDto[]> {
  const operations = await app.operations.list(['payout', 'payout_paid', 'payout_undo']);
  const now = app.clock.now();
  return operations.map((work) => {
    const { kind, object_id, details, state } = work;
    const isByRequests = kind === 'payout_undo' && state === 'told'; // each part of it is a request
    return {
      kind: KINDS[kind as keyof typeof KINDS],
      payout_id: object_id === 0 ? null : object_id,
      running: isByRequests ? now - work.seen_at < NEXT_REQUEST_MS : state !== 'stopped',
      ...app.operations.progress(work),
      next_after_id: isByRequests ? (details['next_after_id'] as number) : null, // as appendUndo stored them
      left_out: (details['left_out'] ?? []) as LeftIn,
    };
  });
}

/** Null when it was released, else the reason why not. Faults are thrown. */
async function refusalOf(
  changes: TransactionChanges,
  { payout_id, id }: PayoutTransaction,
): Promise<{ readonly code: string; readonly message: string } | null> {
  try {
    await changes.remove(payout_id, id, { paidToo: false });
    return null;
  } catch (error) {
    return refusalBy(error);
  }
}
