import { fail } from '../../errors.js';
import type { First, Opening, OpenTransaction } from '../../accounting/orders/service.js';
import type { NewReferral, Referral } from '../../accounting/referrals/types.js';
import type { Db } from '../../platform/database/db.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { FraudHit } from '../fraud/types.js';
import { bindLead, endsLaterOrders, isKnownLead, saveBuyer, type Buyer } from './buyer.js';
import type { Deps } from './deps.js';
import { buyerOf } from './input.js';
import { qualifyLeadsOf } from './lead-qualification.js';
import { limitsOf, type LimitedOrder } from './limits.js';
import { openingOf } from './opening.js';
import type { RecordOutcome } from './order-report.js';
import type { PricedOrder } from './price.js';
import { Renewals } from './renewal.js';
import { DELETED, repeated } from './repeated.js';
import { draftOf, suspected } from './row.js';
import { noteSkipped, orderToCheck } from './skipped.js';
import { withinTransaction } from './transaction.js';
import { skip, type SkipReason } from './types.js';

/** What was read under the affiliate's lock. */
type LockedOrder = PricedOrder &
  LimitedOrder &
  Pick<Buyer, 'isNew' | 'waiting'> & { readonly groupId: number | null };

/** Reasons that may end by themselves: an order before it is refunded, or its first payment is approved. */
const ENDED_BY_OTHERS: readonly SkipReason[] = ['commission_cap', 'renewal_limit', 'parent_rejected'];
/** Reasons that end when the order is edited before it is paid. The others are rules against fraud. */
const NOTHING_EARNED: readonly SkipReason[] = ['zero_amount', ...ENDED_BY_OTHERS];

/** The same order was stored by somebody else meanwhile. It is thrown so that this transaction stores nothing. */
class AlreadyStored extends Error {
  constructor(readonly stored: Referral) {
    super('stored already');
  }
}

/** The order exists, but its commission was deleted while this one was made. */
class Gone extends Error {}

/** Stores the order in one transaction, unless another request has stored or deleted it meanwhile. */
export async function store(app: Deps, priced: PricedOrder): Promise<RecordOutcome> {
  const { report, row, fingerprint } = priced;
  try {
    return await withinTransaction(
      app,
      { affiliateId: row.affiliate_id, shop: report.shop },
      async (opened) => storeUnderLock(app, priced, opened),
    );
  } catch (error) {
    if (error instanceof AlreadyStored) return repeated(app, { report, fingerprint, referral: error.stored });
    if (error instanceof Gone) return DELETED;
    throw error;
  }
}

/** What was checked before is checked again under the affiliate's lock. */
async function storeUnderLock(
  app: Deps,
  priced: PricedOrder,
  opened: OpenTransaction,
): Promise<RecordOutcome> {
  const { trx } = opened;
  const { row, credit, conversion, renewal } = priced;
  const skipped = async (reason: SkipReason, affiliateId: number | null): Promise<RecordOutcome> =>
    noteSkipped(app, conversion, skip(reason, affiliateId), opened);
  const [affiliate, found] = await trx.pipeline(
    () => app.affiliates.lock(trx, row.affiliate_id),
    async () => (renewal ? null : app.customers.findBuyer(trx, buyerOf(conversion))),
  );
  const refused = await refusedUnderLock(app, priced, affiliate);
  if (refused !== null || affiliate === null)
    return skipped(refused ?? 'affiliate_inactive', affiliate?.id ?? null);
  const { customerId, isNew, first, waiting } = await saveBuyer(app, trx, priced, found);
  if (first && endsLaterOrders(first, credit)) return skipped('first_rejected', affiliate.id);
  if (await isKnownLead(app, trx, conversion, customerId)) return skipped('lead_known', affiliate.id);
  const withBuyer = { ...priced, row: { ...row, customer_id: customerId } };
  const followed = await followedBy(app, priced, first);
  const limited = await limitsOf(app, trx, withBuyer, followed);
  const locked = { ...withBuyer, ...limited, isNew, waiting, groupId: affiliate.group_id };
  const waitsFor = priced.waitsFor ?? fullFor(locked);
  return waitsFor === null
    ? storeCredited(app, { ...locked, row: capped(locked.row, limited.left_minor) }, opened)
    : storeWaiting(app, locked, waitsFor, opened);
}

/** Why the order is not credited after all, as the affiliate and its renewals are under the lock. */
async function refusedUnderLock(
  app: Deps,
  { row, renewal }: PricedOrder,
  affiliate: Pick<Affiliate, 'status'> | null,
): Promise<SkipReason | null> {
  // Merged into another affiliate meanwhile: when the order is reported again, it is credited to that one.
  if (affiliate === null && (await app.affiliates.findCredited(row.affiliate_id))) fail('busy');
  if (affiliate?.status !== 'active') return 'affiliate_inactive';
  return renewal && !(await new Renewals(app).isKnown(renewal)) ? 'parent_unknown' : null;
}

/** A renewal follows its first payment, a lifetime sale the customer's first order. */
async function followedBy(
  app: Deps,
  { renewal, credit }: PricedOrder,
  first: Referral | null,
): Promise<First | null> {
  if (renewal) return app.orders.firstOf(renewal.parent, true);
  return credit.source === 'lifetime' ? app.orders.firstOf(first, false) : null;
}

/**
 * The limit that keeps an order from earning. The first payment of a subscription is booked at 0, because its
 * renewals follow it.
 */
const fullFor = ({ row, conversion, full }: LockedOrder): SkipReason | null =>
  row.amount_minor > 0 && conversion.subscription?.phase !== 'first' ? full : null;

/** Notes on the row that a limit leaves less than the order earned. */
const capped = (row: NewReferral, left: number | null): NewReferral =>
  left === null || left >= row.amount_minor
    ? row
    : { ...row, settings: { ...row.settings, capped_from_minor: row.amount_minor } };

/**
 * Stores an order that earns nothing as it is now, so that its commission can be computed again later; the caller
 * learns that it is not credited.
 */
async function storeWaiting(
  app: Deps,
  locked: LockedOrder,
  waitsFor: SkipReason,
  opened: OpenTransaction,
): Promise<RecordOutcome> {
  const { conversion, row, hits, renewal, first } = locked;
  const isRefused = !NOTHING_EARNED.includes(waitsFor);
  // Without the record of its first payment, nothing tells when a renewal may earn.
  if (renewal === undefined || first !== null)
    await app.orders.wait(opened, await openingOf(app, locked), {
      draft: draftOf(row, isRefused ? waitsFor : null),
      decision: waitsFor,
      affiliate_id: row.affiliate_id,
      customer_id: isRefused ? null : (row.customer_id ?? null),
      visit_id: row.visit_id ?? null,
    });
  const skipped = skip(waitsFor, row.affiliate_id, hits.length === 0 ? undefined : hits);
  return noteSkipped(app, conversion, skipped, opened);
}

async function storeCredited(
  app: Deps,
  locked: LockedOrder,
  opened: OpenTransaction,
): Promise<RecordOutcome> {
  const duplicate = locked.isNew ? null : await duplicatePurchase(app, opened.trx, locked);
  if (duplicate === null) return insert(app, locked, opened);
  const { row, conversion } = locked;
  const hits = [...locked.hits, duplicate];
  if (duplicate.action === 'reject')
    return noteSkipped(app, conversion, skip(duplicate.rule, row.affiliate_id, hits), opened);
  return insert(app, { ...locked, row: suspected(row, hits), hits }, opened);
}

/** Was this purchase already reported by another provider: the same customer, total and currency within a day? */
async function duplicatePurchase(
  app: Deps,
  trx: Db,
  { row, conversion }: LockedOrder,
): Promise<FraudHit | null> {
  const { sameOrder: action } = (await app.settings.rules()).fraud;
  if (action === 'off' || row.type === 'recurring_sale') return null;
  const has = await app.orders.hasDuplicatePurchase(trx, {
    provider: conversion.provider,
    customer_id: row.customer_id ?? null,
    total_minor: conversion.totals?.grand_total ?? 0,
    currency: conversion.currency,
    at: app.clock.now(),
  });
  return has ? { rule: 'same_order', action, evidence: {} } : null;
}

/** Books the commission: its row, its order and facts, counters and ledger. */
async function insert(app: Deps, locked: LockedOrder, opened: OpenTransaction): Promise<RecordOutcome> {
  const { row, groupId, waiting, commission } = locked;
  const { trx } = opened;
  const opening = await openingOf(app, locked);
  const due = app.orders.computeDue(opening);
  const toInsert = {
    ...row,
    status: due.status,
    amount_minor: due.amount,
    reject_reason: due.reject_reason,
    ...(row.order_total_minor !== null && { order_total_minor: due.base }),
  };
  const { referral, created } = await app.referrals.books.insert(trx, toInsert, {
    kind: 'earned',
    groupId,
    onInsert: async (inserted) => {
      const order = await app.orders.open(opened, opening, { referral: inserted, due });
      // Its order is still stored when the commission was deleted meanwhile.
      if (order === null) throw new Gone();
      if (waiting.length > 0 && inserted.customer_id !== null)
        await app.customers.wait(trx, { order_id: order.id, customer_id: inserted.customer_id }, waiting);
    },
  });
  if (!created) throw new AlreadyStored(referral);
  await afterInsert(app, locked, { opening, referral, isPaid: due.is_paid }, opened);
  const isOver = opening.left_minor === 0 && row.amount_minor > 0 ? 'commission_cap' : null;
  return { referral, created, reason: commission.mismatch ? 'currency_mismatch' : isOver };
}

/** Stores what the commission means for leads and suspicions; hooks are called after the commit. */
async function afterInsert(
  app: Deps,
  { conversion, hits, renewal, row, isNew }: LockedOrder,
  {
    opening,
    referral,
    isPaid,
  }: { readonly opening: Opening; readonly referral: Referral; readonly isPaid: boolean },
  opened: OpenTransaction,
): Promise<void> {
  const { trx, afterCommit } = opened;
  const isHeld = hits.some(({ action }) => action !== 'flag');
  if (conversion.lead !== null && !isHeld) await bindLead(app, opened, referral);
  const { customer_id: customerId } = referral;
  // A new buyer was no lead before.
  if (!isNew && customerId !== null && isPaid && opening.terms.grand_total_minor > 0)
    afterCommit(async () => qualifyLeadsOf(app, customerId));
  const suspicion = await app.fraud.save(trx, hits, orderToCheck(conversion, row.affiliate_id, referral.id));
  afterCommit(async () => {
    await app.referrals.announce(referral);
    if (renewal) await app.hooks.doAction('recurring_referral_created', referral);
    await app.fraud.announce(suspicion);
  });
}
