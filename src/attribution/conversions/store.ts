import { fail } from '../../errors.js';
import type { FirstOrder, OpenTransaction, OrderToStore } from '../../accounting/orders/service.js';
import type { Due, Order } from '../../accounting/orders/types.js';
import type { NewReferral, Referral } from '../../accounting/referrals/types.js';
import type { Db } from '../../platform/database/db.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { FraudHit } from '../fraud/types.js';
import { bindLead, endsLaterOrders, isKnownLead, saveBuyer, type Buyer } from './buyer.js';
import type { Deps } from './deps.js';
import { buyerOf } from './input.js';
import { qualifyLeadsOf } from './lead-qualification.js';
import { limitsOf, type LimitedOrder } from './limits.js';
import type { RecordOutcome } from './order-report.js';
import { orderToStore } from './order-to-store.js';
import type { PricedOrder } from './price.js';
import { Renewals } from './renewals.js';
import { DELETED, repeated } from './repeated.js';
import { draftOf, suspected } from './referral-row.js';
import { recordSkipIn, orderToCheck } from './skipped.js';
import { withinTransaction } from './transaction.js';
import { skip, type SkipReason } from './types.js';

/** What was read under the affiliate's lock. */
type LockedOrder = PricedOrder &
  LimitedOrder &
  Pick<Buyer, 'isNew' | 'unconfirmed'> & { readonly groupId: number | null };

/** Reasons that another order can lift: one under the same limit is refunded, or the first payment is approved. */
const ENDED_BY_OTHERS: readonly SkipReason[] = ['commission_cap', 'renewal_limit', 'parent_rejected'];
/** Reasons that an edit before the payment can lift too. The others are rules against fraud. */
const NOTHING_EARNED: readonly SkipReason[] = ['zero_amount', ...ENDED_BY_OTHERS];

/** Another request stored the same order meanwhile. It is thrown so that this transaction stores nothing. */
class AlreadyStored extends Error {
  constructor(readonly stored: Referral) {
    super('stored already');
  }
}

/** The order exists, but its commission was deleted while this one was made. */
class CommissionDeleted extends Error {}

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
    if (error instanceof CommissionDeleted) return DELETED;
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
    recordSkipIn(app, conversion, skip(reason, affiliateId), opened);
  const [affiliate, found] = await trx.pipeline(
    () => app.affiliates.lock(trx, row.affiliate_id),
    async () => (renewal ? null : app.customers.buyers.findBuyer(trx, buyerOf(conversion))),
  );
  const refused = await refusedUnderLock(app, priced, affiliate);
  if (refused !== null || affiliate === null)
    return skipped(refused ?? 'affiliate_inactive', affiliate?.id ?? null);
  const { customerId, isNew, first, unconfirmed } = await saveBuyer(app, trx, priced, found);
  if (first && endsLaterOrders(first, credit)) return skipped('first_rejected', affiliate.id);
  if (await isKnownLead(app, trx, conversion, customerId)) return skipped('lead_known', affiliate.id);
  const withBuyer = { ...priced, row: { ...row, customer_id: customerId } };
  const limited = await limitsOf(app, trx, withBuyer, await firstOrder(app, priced, first));
  const locked = { ...withBuyer, ...limited, isNew, unconfirmed, groupId: affiliate.group_id };
  const uncredited = priced.uncredited ?? limitReached(locked);
  return uncredited === null
    ? creditUnlessDuplicate(app, { ...locked, row: capped(locked.row, limited.left_minor) }, opened)
    : storeUncredited(app, locked, uncredited, opened);
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
async function firstOrder(
  app: Deps,
  { renewal, credit }: PricedOrder,
  firstOfCustomer: Referral | null,
): Promise<FirstOrder | null> {
  const referral = renewal?.parent ?? (credit.source === 'lifetime' ? firstOfCustomer : null);
  const order = referral && (await app.orders.firstOrderOf(referral));
  return order && { order, ends: renewal !== undefined };
}

/**
 * The limit that leaves an order without a commission. The first payment of a subscription is booked at 0,
 * because its renewals follow it.
 */
const limitReached = ({ row, conversion, limitReached: full }: LockedOrder): SkipReason | null =>
  row.amount_minor > 0 && conversion.subscription?.phase !== 'first' ? full : null;

/** Marks on the row that a limit leaves less than the order earned. */
const capped = (row: NewReferral, left: number | null): NewReferral =>
  left === null || left >= row.amount_minor
    ? row
    : { ...row, settings: { ...row.settings, capped_from_minor: row.amount_minor } };

/**
 * Stores an order that earns nothing as it is now, so that its commission can be computed again later; the caller
 * learns that it is not credited.
 */
async function storeUncredited(
  app: Deps,
  locked: LockedOrder,
  reason: SkipReason,
  opened: OpenTransaction,
): Promise<RecordOutcome> {
  const { conversion, row, hits, renewal, first } = locked;
  const isRefused = !NOTHING_EARNED.includes(reason);
  // Without the record of its first payment, it is unknown when a renewal may earn.
  const order =
    renewal === undefined || first !== null
      ? await app.orders.storeUncredited(opened, await orderToStore(app, locked), {
          draft: draftOf(row, isRefused ? reason : null),
          decision: reason,
          affiliate_id: row.affiliate_id,
          customer_id: isRefused ? null : (row.customer_id ?? null),
          visit_id: row.visit_id ?? null,
        })
      : null;
  const skipped = skip(reason, row.affiliate_id, hits.length === 0 ? undefined : hits);
  return { ...(await recordSkipIn(app, conversion, skipped, opened)), order };
}

async function creditUnlessDuplicate(
  app: Deps,
  locked: LockedOrder,
  opened: OpenTransaction,
): Promise<RecordOutcome> {
  const duplicate = locked.isNew ? null : await duplicatePurchase(app, opened.trx, locked);
  if (duplicate === null) return credit(app, locked, opened);
  const { row, conversion } = locked;
  const hits = [...locked.hits, duplicate];
  if (duplicate.action === 'reject')
    return recordSkipIn(app, conversion, skip(duplicate.rule, row.affiliate_id, hits), opened);
  return credit(app, { ...locked, row: suspected(row, hits), hits }, opened);
}

/** Was this purchase already reported by another provider: the same customer, total and currency within a day? */
async function duplicatePurchase(
  app: Deps,
  trx: Db,
  { row, conversion }: LockedOrder,
): Promise<FraudHit | null> {
  const { sameOrder: action } = (await app.settings.rules()).fraud;
  if (action === 'off' || row.type === 'recurring_sale') return null;
  const has = await app.orders.records.hasDuplicatePurchase(trx, {
    provider: conversion.provider,
    customer_id: row.customer_id ?? null,
    total_minor: conversion.totals?.grand_total ?? 0,
    currency: conversion.currency,
    at: app.clock.now(),
  });
  return has ? { rule: 'same_order', action, evidence: {} } : null;
}

/** Inserts the commission, then books it and stores its order side by side. */
async function credit(app: Deps, locked: LockedOrder, opened: OpenTransaction): Promise<RecordOutcome> {
  const { row, groupId, commission } = locked;
  const { trx } = opened;
  const toStore = await orderToStore(app, locked);
  const due = app.orders.records.computeDue(toStore);
  const toInsert = {
    ...row,
    status: due.status,
    amount_minor: due.amount,
    reject_reason: due.reject_reason,
    ...(row.order_total_minor !== null && { order_total_minor: due.base }),
  };
  const { writer } = app.referrals;
  const entry = { kind: 'earned', groupId } as const;
  const { referral, created } = await writer.insertRow(trx, toInsert, entry);
  if (!created) throw new AlreadyStored(referral);
  const [, order] = await trx.pipeline(
    () => writer.book(trx, referral, entry),
    () => storeOrder(app, locked, { toStore, referral, due }, opened),
  );
  await afterInsert(app, locked, { toStore, referral, isPaid: due.is_paid }, opened);
  const isOver = toStore.left_minor === 0 && row.amount_minor > 0 ? 'commission_cap' : null;
  return { referral, created, reason: commission.mismatch ? 'currency_mismatch' : isOver, order };
}

/** Stores the order with its facts, and the names of its customer that count once it is paid. */
async function storeOrder(
  app: Deps,
  { unconfirmed }: LockedOrder,
  { toStore, ...credited }: { toStore: OrderToStore; referral: Referral; due: Due },
  opened: OpenTransaction,
): Promise<Order> {
  const order = await app.orders.storeCredited(opened, toStore, credited);
  // Its order is still stored when the commission was deleted meanwhile.
  if (order === null) throw new CommissionDeleted();
  const { customer_id } = credited.referral;
  if (unconfirmed.length > 0 && customer_id !== null)
    await app.customers.saveUnconfirmed(opened.trx, { order_id: order.id, customer_id }, unconfirmed);
  return order;
}

/** Stores what the commission means for leads and suspicions; hooks are called after the commit. */
async function afterInsert(
  app: Deps,
  { conversion, hits, renewal, row, isNew }: LockedOrder,
  {
    toStore,
    referral,
    isPaid,
  }: { readonly toStore: OrderToStore; readonly referral: Referral; readonly isPaid: boolean },
  opened: OpenTransaction,
): Promise<void> {
  const { trx, afterCommit } = opened;
  const isHeld = hits.some(({ action }) => action !== 'flag');
  if (conversion.lead !== null && !isHeld) await bindLead(app, opened, referral);
  const { customer_id: customerId } = referral;
  // A new buyer was no lead before.
  if (!isNew && customerId !== null && isPaid && toStore.terms.grand_total_minor > 0)
    afterCommit(async () => qualifyLeadsOf(app, customerId));
  const suspicion = await app.fraud.save(trx, hits, orderToCheck(conversion, row.affiliate_id, referral.id));
  afterCommit(async () => {
    await app.referrals.announce(referral);
    if (renewal) await app.hooks.doAction('recurring_referral_created', referral);
    await app.fraud.announce(suspicion);
  });
}
