import { freezePayees } from './payee-queries.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { OperationRunner } from '../../program/operations/contributions.js';
import type { Operation } from '../../program/operations/types.js';
import type { Deps } from './deps.js';
import {
  addToPayout,
  addToTransaction,
  claimedOf,
  insertItems,
  insertTransactions,
  itemsOf,
  markReferralsPaid,
  type ClaimStamp,
} from './claim-queries.js';
import { RUN_LEASE } from './lease.js';
import {
  dropPlan,
  forgetPlan,
  leaveOut,
  notPaid,
  plannedAfter,
  type PlannedPayment,
} from './plan-queries.js';
import { presentPayout } from './presenter.js';
import { findShares, payableRows, type Claimable, type Scope } from './queries.js';
import { transactions as transactionRecord } from './record.js';
import { releaseSlice } from './releasing.js';
import { deletePayout, findPayout, payableOf, recompute } from './repository.js';
import { appendReferrals } from './referral-events.js';
import type { PayableAffiliate, PayableGroup, Payout } from './types.js';

/** Commissions of the first step. */
export const CLAIM_SIZE = 500;
const AFFILIATES_MAX = 500;

/** Where the next step continues. */
interface Place {
  /** The last affiliate that was looked at. */
  readonly after_id: number;
  /** The one after it that was claimed in part, else 0. */
  readonly part_id: number;
}

/** A payout that is being made: which one, of what, and how far it is. */
export interface PayoutRun {
  readonly payout: Payout;
  readonly scope: Scope;
  readonly place: Place;
  /** Each step appends the events of what it changed; a payout that is made at once appends its own first. */
  readonly appends: boolean;
}

interface StepResult {
  readonly done: number;
  /** Null when the plan has no more. */
  readonly place: Place | null;
}

export const AT_START: Place = { after_id: 0, part_id: 0 };
const after = (id: number): Place => ({ after_id: id, part_id: 0 });

/** The engine's part of a payout: claims slices of its plan until none is left, then closes it. */
export const payoutOperation = (app: Deps): OperationRunner => ({
  kind: 'payout',
  lease: () => RUN_LEASE,
  size: CLAIM_SIZE,
  step: ({ work, size, commit }) =>
    app.limited('payout', () =>
      commit(async (trx, afterCommit) => {
        const making = await makingOf(trx, work);
        const { done, place } = await claimSlice(app, trx, { making, size, afterCommit });
        if (place === null) await closePayout(app, trx, { payout: making.payout, afterCommit });
        return { done, details: { ...work.details, ...place }, hasEnded: place === null };
      }),
    ),
});

export const detailsOf = (scope: Scope): Operation['details'] => {
  const { affiliate_ids: _, from, to, currency, program, min_payout_minor } = scope.config;
  const config = { affiliate_ids: [], from, to, currency, program, min_payout_minor };
  return { scope: { ...scope, excluded: [], config }, ...AT_START }; // the plan names the affiliates
};

async function makingOf(trx: Db, { object_id: id, details }: Operation): Promise<PayoutRun> {
  const payout = (await findPayout(trx, id)) ?? fail('payout_not_found');
  const place = { after_id: Number(details['after_id']), part_id: Number(details['part_id']) };
  return { payout, scope: details['scope'] as Scope, place, appends: true };
}

/**
 * Claims whole affiliates of the plan, or a part of one with many commissions. Under its lock, each is
 * compared with the plan: an affiliate whose commissions differ is skipped, so each gets at most the planned
 * amount.
 */
export async function claimSlice(
  app: Deps,
  trx: Db,
  { making, size, afterCommit }: { making: PayoutRun; size: number; afterCommit: AfterCommit },
): Promise<StepResult> {
  const planned = await plannedAfter(
    trx,
    making.payout.id,
    making.place.after_id,
    Number.isFinite(size) ? AFFILIATES_MAX : null,
  );
  const [first] = planned;
  if (first === undefined) return { done: 0, place: null };
  if (first.affiliate_id === making.place.part_id || first.referral_count > size)
    return claimPart(app, trx, { making, planned: first, size, afterCommit });
  return claimWhole(app, trx, making, upTo(planned, size));
}

/** As many affiliates as have this many commissions together, at least one. */
function upTo(planned: readonly PlannedPayment[], size: number): readonly PlannedPayment[] {
  let count = 0;
  const end = planned.findIndex((each, at) => (count += each.referral_count) > size && at > 0);
  return end === -1 ? planned : planned.slice(0, end);
}

async function claimWhole(
  app: Deps,
  trx: Db,
  making: PayoutRun,
  planned: readonly PlannedPayment[],
): Promise<StepResult> {
  const ids = planned.map(({ affiliate_id: id }) => id);
  await app.ledger.lock(trx, ...ids);
  const shares = byAffiliate(await findShares(trx, only(making.scope, ids)));
  const isAsPlanned = (plan: PlannedPayment): boolean => isSame(plan, shares.get(plan.affiliate_id));
  const asPlanned = planned.filter(isAsPlanned).map(({ affiliate_id: id }) => id);
  await leaveOut(
    trx,
    making.payout.id,
    planned.filter((plan) => !isAsPlanned(plan)).map(({ affiliate_id: id }) => id),
  );
  if (asPlanned.length > 0) {
    const rows = await payableRows(trx, only(making.scope, asPlanned), null);
    const sums = asPlanned.map((id) => ({ affiliate_id: id, amount_minor: shares.get(id)!.amount_minor }));
    await insertTransactions(trx, sums, stampOf(app, making.payout));
    await freezePayees(trx, making.payout.id, asPlanned);
    await claimRows(app, trx, making, rows);
    if (making.appends) await appendPayments(app, trx, making.payout.id, asPlanned);
  }
  return {
    done: planned.reduce((sum, each) => sum + each.referral_count, 0),
    place: after(ids.at(-1)!),
  };
}

/** An affiliate with more commissions than a step takes: its one transaction grows with every step. */
async function claimPart(
  app: Deps,
  trx: Db,
  {
    making,
    planned,
    size,
    afterCommit,
  }: { making: PayoutRun; planned: PlannedPayment; size: number; afterCommit: AfterCommit },
): Promise<StepResult> {
  const { payout } = making;
  const { affiliate_id: id } = planned;
  const part: Place = { ...making.place, part_id: id };
  await app.ledger.lock(trx, id);
  const scope = only(making.scope, [id]);
  const claimed = await claimedOf(trx, payout.id, id);
  const [open] = await findShares(trx, scope);
  if (!isSame(planned, joinRows(open, claimed))) {
    // what was claimed before the change is released again, in parts too
    const rows = claimed === null ? [] : await itemsOf(trx, [claimed.transaction_id], size);
    await releaseSlice(app, { trx, afterCommit }, { payoutId: payout.id, items: rows });
    await addToPayout(trx, payout.id, -sumOf(rows), app.clock.now());
    if (rows.length < (claimed?.count ?? 0)) return { done: 0, place: part };
    await leaveOut(trx, payout.id, [id]);
    return { done: 0, place: after(id) };
  }
  const rows = await payableRows(trx, scope, size);
  const stamp = stampOf(app, payout);
  if (claimed === null) {
    await insertTransactions(trx, [{ affiliate_id: id, amount_minor: sumOf(rows) }], stamp);
    await freezePayees(trx, payout.id, [id]);
  } else await addToTransaction(trx, claimed.transaction_id, sumOf(rows), stamp.now);
  await claimRows(app, trx, making, rows);
  if (rows.length < (open?.referral_count ?? 0)) return { done: rows.length, place: part };
  await appendPayments(app, trx, payout.id, [id]);
  return { done: rows.length, place: after(id) };
}

async function claimRows(
  app: Deps,
  trx: Db,
  { payout, appends }: PayoutRun,
  rows: readonly Claimable[],
): Promise<void> {
  const stamp = stampOf(app, payout);
  await insertItems(trx, rows, stamp);
  expect((await markReferralsPaid(trx, rows, stamp)) === rows.length);
  const ids = rows.map(({ id }) => id);
  await app.ledger.postPaid(trx, ids);
  if (appends) await appendReferrals(app, trx, ids, UNCLAIMED);
  await addToPayout(trx, payout.id, sumOf(rows), stamp.now);
}

const UNCLAIMED = { status: 'unpaid', payout_id: null, payout_transaction_id: null };

/** The affiliates' locks were held, so nothing else can have changed the rows. */
function expect(isSo: boolean): void {
  if (!isSo) throw new Error('The payable referrals changed under the locks of their affiliates.');
}

/** Payments to these affiliates are ready. */
async function appendPayments(app: Deps, trx: Db, payoutId: number, ids: readonly number[]): Promise<void> {
  await app.eventLog.appendRows(trx, 'payout_transaction.processing', {
    table: 'payout_transactions',
    columns: transactionRecord.columns,
    where: `payout_id = ? and affiliate_id in (${ids.map(() => '?').join(', ')})`,
    bindings: [payoutId, ...ids],
    previous: {},
  });
}

/** Appends the events of all payments and referrals of a payout, in two statements. */
export async function appendAll(app: Deps, trx: Db, payoutId: number): Promise<void> {
  const ofPayout = { where: 'payout_id = ?', bindings: [payoutId] };
  await app.eventLog.appendRows(trx, 'payout_transaction.processing', {
    ...ofPayout,
    table: 'payout_transactions',
    columns: transactionRecord.columns,
    previous: {},
  });
  await app.eventLog.appendRows(trx, 'referral.status_changed', {
    ...ofPayout,
    table: 'referrals',
    columns: app.referrals.columns,
    previous: UNCLAIMED,
  });
}

/**
 * The plan was carried out: the draft becomes a payout, or is removed when all affiliates were skipped; then
 * null. Extensions get `affiliates`, else they are read when an extension listens.
 */
export async function closePayout(
  app: Deps,
  trx: Db,
  {
    payout: draft,
    affiliates,
    afterCommit,
  }: { payout: Payout; affiliates?: readonly PayableAffiliate[]; afterCommit: AfterCommit },
): Promise<Payout | null> {
  const { count: leftOut } = await notPaid(trx, draft.id, 0);
  const paid = await payableOf(trx, draft.id);
  if (paid.length === 0) {
    await dropPlan(trx, draft.id);
    await deletePayout(trx, draft.id);
    return null;
  }
  await forgetPlan(trx, draft.id);
  const { payout } = await recompute(trx, draft.id, app.clock.now(), { closes: true });
  await app.audit.write(trx, 'payout.processed', ['payout', payout.id], {
    after: {
      total_amount_minor: payout.total_amount_minor,
      currency: payout.currency,
      transactions: paid.length,
      referrals: paid.reduce((sum, each) => sum + each.referral_count, 0),
      ...(leftOut > 0 && { left_out: leftOut }),
    },
  });
  await app.eventLog.append(trx, 'payout.created', { id: payout.id, data: presentPayout(payout) });
  afterCommit(async () =>
    app.hooks.doAction('payout/processed', payout, affiliates ?? (await hookAffiliates(app, paid))),
  );
  return payout;
}

/** The affiliates of a run as extensions see them; only read when one listens. */
export async function hookAffiliates(
  app: Deps,
  groups: readonly Pick<PayableGroup, 'affiliate_id' | 'referral_count' | 'amount_minor'>[],
): Promise<PayableAffiliate[]> {
  const names = ['payout/before_create', 'payout/before_processing', 'payout/processed'] as const;
  if (!names.some((name) => app.hooks.isUsed(name))) return [];
  const records = await app.affiliates.findMany(groups.map((group) => group.affiliate_id));
  return groups.flatMap((group) => {
    const record = records.get(group.affiliate_id);
    return record
      ? [
          {
            ...record,
            payable_referral_count: group.referral_count,
            total_payable_amount_minor: group.amount_minor,
          },
        ]
      : [];
  });
}

const only = (scope: Scope, ids: readonly number[]): Scope => ({
  ...scope,
  excluded: [],
  config: { ...scope.config, affiliate_ids: ids },
});

const byAffiliate = (groups: readonly PayableGroup[]): ReadonlyMap<number, PayableGroup> =>
  new Map(groups.map((group) => [group.affiliate_id, group]));

type Sums = Pick<PlannedPayment, 'referral_count' | 'amount_minor' | 'highest_id' | 'id_sum'>;

const isSame = (plan: Sums, now: Sums | undefined): boolean =>
  now !== undefined &&
  plan.referral_count === now.referral_count &&
  plan.amount_minor === now.amount_minor &&
  plan.highest_id === now.highest_id &&
  plan.id_sum === now.id_sum;

/** What is open and what was claimed of one affiliate. */
function joinRows(
  open: PayableGroup | undefined,
  claimed: Awaited<ReturnType<typeof claimedOf>>,
): Sums | undefined {
  if (open === undefined || claimed === null) return open;
  return {
    referral_count: open.referral_count + claimed.count,
    amount_minor: (open.amount_minor + claimed.amount_minor) as Sums['amount_minor'],
    highest_id: Math.max(open.highest_id, claimed.highest_id),
    id_sum: String(BigInt(open.id_sum) + BigInt(claimed.id_sum)),
  };
}

const stampOf = (app: Deps, payout: Payout): ClaimStamp => ({
  payoutId: payout.id,
  actor: payout.created_by,
  method: payout.payout_method,
  currency: payout.currency ?? '',
  now: app.clock.now(),
});

export const sumOf = (rows: readonly { readonly amount_minor: number }[]): number =>
  rows.reduce((sum, { amount_minor: amount }) => sum + amount, 0);
