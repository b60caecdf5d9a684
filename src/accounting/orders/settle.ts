import { minor, type Minor } from '../../core/money.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { LedgerKind } from '../ledger/types.js';
import type { Referral, ReferralChange, RefundsOfEvent } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { limitsOf } from './counted-order.js';
import { contextOf } from './order-context.js';
import { orderPaid } from './domain-events.js';
import { dueNow } from './facts.js';
import * as store from './repository.js';
import type { CommissionDraft, Due, Fact, Order } from './types.js';

/** At most this many following orders are settled in the transaction of the order they follow. */
const FOLLOWERS_AT_ONCE = 100;
/** At most this many later orders under the same limit are settled after a change. */
const LIMITED_MAX = 1000;

const EARNING: readonly Referral['type'][] = ['sale', 'payment', 'lifetime_sale'];

/** The transaction of a change, and work for after its commit. */
export interface OpenTransaction {
  readonly trx: Db;
  readonly afterCommit: AfterCommit;
}
export interface LedgerCause {
  readonly kind: LedgerKind;
  readonly reason?: string;
  /** A person's note, for the audit log. */
  readonly note?: string;
  /** Refunds were reported: listeners are called, even when nothing is booked. */
  readonly refund?: boolean;
  /** The reported refunds, for the event log. */
  readonly refunds?: RefundsOfEvent;
  /** The caller reports the change itself. */
  readonly silent?: boolean;
}
export interface OrderChange {
  readonly order: Order;
  readonly due: Due | null;
  readonly before: Referral | null;
  readonly after: Referral | null;
  /** The referral, or an adjustment of a paid one, has changed. */
  readonly changed: boolean;
  /**
   * What is due has changed but cannot be booked, because a payout has claimed the commission and the option
   * `clawback` is off.
   */
  readonly withheld: boolean;
}

/** A recorded order with its facts. */
export interface OrderSnapshot {
  readonly order: Order;
  readonly facts: readonly Fact[];
}

interface LockedRows {
  readonly referral: Referral;
  readonly facts: readonly Fact[];
  readonly adjustments: readonly Referral[];
}

interface CommissionState {
  readonly referral: Referral;
  readonly due: Due;
  /** What a claimed commission is still worth; 0 when it is rejected. */
  readonly dueAmount: number;
  readonly inPayout: boolean;
  /** The sum of the adjustments that cannot change: those in a payout, and those of an imported system. */
  readonly fixedAdjustments: number;
  /** The others. */
  readonly openAdjustments: readonly Referral[];
  /** What all adjustments took from the value of the order. */
  readonly adjustedTotal: number;
}

/** Begins to settle the followers of an order after this one, in steps. */
export type BeginFollowers = (
  opened: OpenTransaction,
  order: Order,
  given: { readonly after: number; readonly kind: LedgerCause['kind'] },
) => Promise<void>;

/**
 * Compares what is due with what is booked and books the difference. It is called after each new fact, in its
 * transaction and under the affiliate's lock. Once an order is stored, only this and payouts change the amount or
 * status of its referral (docs/money.md).
 */
export class Settler {
  constructor(
    private readonly app: Deps,
    /** Settles the followers beyond those that are settled at once, in steps. */
    private readonly beginFollowers: BeginFollowers,
  ) {}

  async settle(opened: OpenTransaction, orderId: number, cause: LedgerCause): Promise<OrderChange | null> {
    const order = await store.lockOrder(opened.trx, orderId);
    if (order === null) return null;
    const facts = await store.factsOfOrder(opened.trx, orderId);
    return this.settleLocked(opened, order, facts, cause);
  }

  /** Settles an order that was just recorded with this referral, so nothing has to be read. */
  async settleNew(
    opened: OpenTransaction,
    { order, facts }: OrderSnapshot,
    { referral, due }: { readonly referral: Referral; readonly due: Due },
    cause: LedgerCause,
  ): Promise<OrderChange> {
    const state = commissionStateOf(due, { referral, facts, adjustments: [] });
    return this.#book(opened, order, state, cause);
  }

  /** Settles an order that is locked and whose facts were read. */
  async settleLocked(
    opened: OpenTransaction,
    order: Order,
    facts: readonly Fact[],
    cause: LedgerCause,
  ): Promise<OrderChange> {
    const nothing = { order, due: null, before: null, after: null, changed: false, withheld: false };
    if (order.terms === null) return nothing;
    if (order.referral_id === null) return this.#settleUncredited(opened, { order, facts }, cause);
    if (order.deleted_at !== null) {
      await this.#settleDeleted(opened, order, facts, cause);
      return nothing;
    }
    const referral = await this.app.referrals.writer.lock(opened.trx, order.referral_id);
    if (referral === null) return nothing;
    // Claims and cancellations of another system are not changed here.
    if (referral.status === 'cancelled' || referral.status === 'processing')
      return { ...nothing, before: referral, after: referral, withheld: referral.status === 'processing' };
    const adjustments = await this.app.referrals.adjustments(referral.id);
    const state = await this.#stateOf(opened.trx, order, { referral, facts, adjustments });
    if (referral.customer_id !== null && wasPaid(facts))
      await this.app.customers.buyers.confirm(opened.trx, order.id, referral.customer_id);
    const change = await this.#book(opened, order, state, cause);
    await this.#emitPaid(opened, change);
    return change;
  }

  async #emitPaid({ trx, afterCommit }: OpenTransaction, { order, due, after }: OrderChange): Promise<void> {
    const customerId = after?.customer_id ?? null;
    if (customerId !== null && due?.is_paid === true && (order.total_minor ?? 0) > 0)
      await this.app.internal.emit(orderPaid, trx, { customerId, afterCommit });
  }

  /** Books the commission of an order that earned nothing so far, once something is due for it. */
  async #settleUncredited(
    opened: OpenTransaction,
    { order, facts }: OrderSnapshot,
    cause: LedgerCause,
  ): Promise<OrderChange> {
    const nothing = { order, due: null, before: null, after: null, changed: false, withheld: false };
    const { draft, affiliate_id: affiliateId } = order;
    if (draft === null || draft.refused !== null || affiliateId === null || order.deleted_at !== null)
      return nothing;
    const due = dueNow(order, facts, {
      ...(await contextOf(opened.trx, order, draft.row)),
      inPayout: false,
    });
    if (dueAmountOf(due) === 0) {
      await this.#storeDue(opened.trx, order, due, 0);
      return nothing;
    }
    const referral = await this.#insertDraft(opened, { ...order, affiliate_id: affiliateId }, draft, due);
    const booked = { referral_id: referral.id, draft: null, decision: 'recorded' };
    await store.changeOrder(opened.trx, order.id, booked, this.app.clock.now());
    const state = commissionStateOf(due, { referral, facts, adjustments: [] });
    return { ...(await this.#book(opened, { ...order, ...booked }, state, cause)), changed: true };
  }

  async #insertDraft(
    { trx, afterCommit }: OpenTransaction,
    order: Order & { readonly affiliate_id: number },
    { row }: CommissionDraft,
    due: Due,
  ): Promise<Referral> {
    const affiliate = await this.app.affiliates.find(order.affiliate_id);
    const { referral } = await this.app.referrals.writer.insert(
      trx,
      {
        ...row,
        affiliate_id: order.affiliate_id,
        customer_id: order.customer_id,
        visit_id: order.visit_id,
        parent_id: row.type === 'recurring_sale' ? await this.#firstReferralOf(trx, order) : null,
        status: due.status,
        amount_minor: due.amount,
        reject_reason: due.reject_reason,
        created_at: order.created_at,
        ...(row.order_total_minor !== null && { order_total_minor: due.base }),
      },
      { kind: 'earned', groupId: affiliate?.group_id ?? null },
    );
    afterCommit(() => this.app.referrals.announce(referral));
    return referral;
  }

  /** Null also when a person deleted it. */
  async #firstReferralOf(trx: Db, { first_order_id: id }: Order): Promise<number | null> {
    const [first] = id === null ? [] : await store.findOrders(trx, [id]);
    return first?.deleted_at === null ? first.referral_id : null;
  }

  /**
   * Nothing is due for an order whose referral was deleted, but the orders that follow it still share its
   * open reasons and its rejection.
   */
  async #settleDeleted(
    opened: OpenTransaction,
    order: Order,
    facts: readonly Fact[],
    cause: LedgerCause,
  ): Promise<void> {
    // The type matters for renewals only, and no order follows a renewal.
    const around = await contextOf(opened.trx, order, { type: 'sale' });
    const due = dueNow(order, facts, { ...around, inPayout: false });
    await this.#storeDue(opened.trx, order, due, order.withheld_minor);
    await this.#settleFollowers(opened, order, due, cause);
  }

  async #stateOf(trx: Db, order: Order, known: LockedRows): Promise<CommissionState> {
    const inPayout = known.referral.status === 'paid';
    const around = await contextOf(trx, order, known.referral);
    return commissionStateOf(dueNow(order, known.facts, { ...around, inPayout }), known);
  }

  async #book(
    opened: OpenTransaction,
    order: Order,
    state: CommissionState,
    cause: LedgerCause,
  ): Promise<OrderChange> {
    const { referral: before, due, inPayout, dueAmount } = state;
    const { clawback } = await this.app.settings.rules();
    const target = targetOf(state, clawback);
    const change = rowChange(state);
    const after = change === null ? before : await this.#change(opened, before, change, cause);
    const hasChanged = dueAmount !== dueAmountBefore(order);
    const adjusted = await this.#adjust(opened, state, target, cause);
    await this.#changeOrderTotal(opened.trx, state, clawback, cause);
    if (cause.refund === true && inPayout && adjusted !== null)
      await this.app.referrals.writer.appendRefunds(opened.trx, before, {
        due: dueAmount,
        was: dueAmountBefore(order),
        refunds: cause.refunds ?? [],
      });
    // A payout has claimed the commission and nothing may be taken back, so the difference is only reported.
    const withheld = inPayout ? dueAmount - before.amount_minor - state.fixedAdjustments - target : 0;
    await this.#storeDue(opened.trx, order, due, withheld);
    if (due.is_paid) await this.#bind(opened, order, after, due);
    this.#notify(opened, { state, cause, adjusted, hasChanged });
    await this.#settleFollowers(opened, order, due, cause);
    return {
      order,
      due,
      before,
      after,
      changed: change !== null || adjusted !== null,
      withheld: withheld !== 0,
    };
  }

  async #change(
    { trx, afterCommit }: OpenTransaction,
    before: Referral,
    change: ReferralChange,
    cause: LedgerCause,
  ): Promise<Referral> {
    const { kind, reason, note, refund, refunds } = cause;
    const entry = {
      kind,
      note,
      ...(reason !== undefined && { reason }),
      ...(refund === true && { refunds: refunds ?? [] }),
    };
    const after = await this.app.referrals.writer.change(trx, before, change, entry);
    if (after === null) throw new Error('The referral changed under its affiliate’s lock.');
    if (cause.silent !== true) afterCommit(() => this.app.referrals.announceChange(after, before));
    return after;
  }

  /**
   * Sets the one open adjustment to the difference between due and booked. Those in a payout do not change.
   */
  async #adjust(
    opened: OpenTransaction,
    state: CommissionState,
    target: number,
    cause: LedgerCause,
  ): Promise<Referral | 'gone' | null> {
    const [open, ...others] = state.openAdjustments;
    if (open === undefined) return target === 0 ? null : this.#insertAdjustment(opened, state, target, cause);
    if (others.length === 0 && target === open.amount_minor) return null;
    for (const other of others) await this.#remove(opened.trx, other);
    if (target !== 0)
      return this.#change(
        opened,
        open,
        { amount_minor: minor(target), order_total_minor: totalChange(state) },
        { ...cause, kind: 'clawed_back', refund: false },
      );
    await this.#remove(opened.trx, open);
    return 'gone';
  }

  /** Without an adjustment, the value that is left of the order is stored here. */
  async #changeOrderTotal(
    trx: Db,
    state: CommissionState,
    clawback: 'adjust' | 'off',
    { refunds = [] }: LedgerCause,
  ): Promise<void> {
    const { referral, due, inPayout, adjustedTotal } = state;
    if (!inPayout || clawback === 'adjust' || referral.order_total_minor === null) return;
    const value = minor(dueAmountOf({ ...due, amount: due.base }) - adjustedTotal);
    if (value !== referral.order_total_minor)
      await this.app.referrals.writer.changeOrderTotal(trx, referral, value, refunds);
  }

  async #remove(trx: Db, adjustment: Referral): Promise<void> {
    if (!(await this.app.referrals.writer.remove(trx, adjustment)))
      throw new Error('The adjustment changed under its affiliate’s lock.');
  }

  async #insertAdjustment(
    { trx, afterCommit }: OpenTransaction,
    state: CommissionState,
    amount: number,
    { note }: LedgerCause,
  ): Promise<Referral | null> {
    const { referral: of } = state;
    if (of.affiliate_id === null) return null;
    const { referral } = await this.app.referrals.writer.insert(
      trx,
      {
        affiliate_id: of.affiliate_id,
        parent_id: of.id,
        customer_id: of.customer_id,
        status: 'unpaid',
        type: 'adjustment',
        amount_minor: minor(amount),
        order_total_minor: totalChange(state),
        currency: of.currency,
        description: of.description,
        provider: of.provider,
        provider_id: of.provider_id,
        provider_sub_id: `adjustment:${of.id}`,
      },
      { kind: 'clawed_back', note },
    );
    afterCommit(() => this.app.referrals.announce(referral));
    return referral;
  }

  async #storeDue(trx: Db, order: Order, due: Due, withheld: number): Promise<void> {
    const { amount, full, status, reject_reason, reasons } = due;
    const open_causes = openCauses(due);
    if (
      order.due_minor === amount &&
      order.full_minor === full &&
      order.due_status === status &&
      order.withheld_minor === withheld &&
      order.reject_reason === reject_reason &&
      same(order.open_causes, open_causes)
    )
      return;
    const change = {
      due_minor: amount,
      full_minor: full,
      due_status: status,
      reject_reason,
      reasons,
      open_causes,
      withheld_minor: minor(withheld),
    };
    await store.changeOrder(trx, order.id, change, this.app.clock.now());
  }

  /** Binds a customer to the affiliate of a first order that was paid and is approved. */
  async #bind(
    { trx, afterCommit }: OpenTransaction,
    order: Order,
    referral: Referral,
    due: Due,
  ): Promise<void> {
    const { customer_id: customerId, affiliate_id: affiliateId } = referral;
    if (customerId === null || affiliateId === null || (order.total_minor ?? 0) <= 0) return;
    if (due.status === 'rejected' || due.reasons.includes('unsigned') || !EARNING.includes(referral.type))
      return;
    if (!(await this.app.customers.bind(trx, customerId, affiliateId, order.created_at))) return;
    if (!this.app.hooks.isUsed('customer_linked')) return;
    const linked = await this.app.customers.find(customerId);
    afterCommit(async () => {
      const affiliate = await this.app.affiliates.find(affiliateId);
      if (linked && affiliate) await this.app.hooks.doAction('customer_linked', linked, affiliate, null);
    });
  }

  #notify(
    { afterCommit }: OpenTransaction,
    given: {
      state: CommissionState;
      cause: LedgerCause;
      adjusted: Referral | 'gone' | null;
      hasChanged: boolean;
    },
  ): void {
    const { state, cause, adjusted, hasChanged } = given;
    const { referral, due, inPayout } = state;
    const refund = { refunded_minor: due.refunded_minor, full: due.left.top === 0n, paid: inPayout };
    afterCommit(async () => {
      if (cause.refund === true && hasChanged) {
        const now = (await this.app.referrals.find(referral.id)) ?? referral;
        await this.app.hooks.doAction('referral_refunded', now, refund);
      }
      if (!inPayout || !hasChanged) return;
      await this.app.hooks.doAction(
        'referral_refunded_after_payout',
        referral,
        cause.refund === true ? due.refunded_minor : null,
      );
      if (adjusted !== null && adjusted !== 'gone' && adjusted.amount_minor < 0)
        await this.app.hooks.doAction('referral_clawed_back', adjusted, referral);
    });
  }

  /**
   * Settles the orders that follow this one when its reasons or its rejection have changed. `order` is its
   * record from before the change.
   */
  async #settleFollowers(
    opened: OpenTransaction,
    order: Order,
    due: Due,
    { kind }: LedgerCause,
  ): Promise<void> {
    const { trx } = opened;
    const isSame = order.reject_reason === due.reject_reason && same(order.open_causes, openCauses(due));
    const ids = isSame ? [] : await store.followersOf(trx, order.id, { limit: FOLLOWERS_AT_ONCE });
    for (const id of ids) await this.settle(opened, id, { kind, reason: 'first order' });
    if (ids.length === FOLLOWERS_AT_ONCE)
      await this.beginFollowers(opened, order, { after: ids.at(-1)!, kind });
    if (dueAmountOf(due) === dueAmountBefore(order)) return;
    for (const id of await this.#nextInLimit(trx, order))
      if (!ids.includes(id)) await this.settle(opened, id, { kind, reason: 'limit' });
  }

  /** Settles the orders under the same limits as these, of which one left them or came to them. */
  async settleLimits(opened: OpenTransaction, ...orders: readonly Order[]): Promise<void> {
    for (const order of orders)
      for (const id of await this.#nextInLimit(opened.trx, order))
        await this.settle(opened, id, { kind: 'adjusted', reason: 'limit' });
  }

  /** Later orders under the same limit. The first one that changes settles those behind it. */
  async #nextInLimit(trx: Db, order: Order): Promise<readonly number[]> {
    const kinds = limitsOf(order.terms).map(({ kind }) => kind);
    const ofCustomer = kinds.includes('customer') && order.customer_id !== null;
    const { first_order_id: firstId } = order;
    const ofSubscription = kinds.includes('renewals') && firstId !== null;
    const capped = limitsOf(order.terms).filter((limit) => limit.kind === 'reward');
    const ids = [
      ...(ofCustomer ? await store.laterOfCustomer(trx, order, LIMITED_MAX) : []),
      ...(ofSubscription ? await store.followersOf(trx, firstId, { limit: LIMITED_MAX }) : []),
    ];
    for (const limit of capped) ids.push(...(await store.laterOfRule(trx, order, limit, LIMITED_MAX)));
    return [...new Set(ids)].filter((id) => id > order.id).toSorted((a, b) => a - b);
  }
}

/** The causes that orders which follow this one share, as `reason name`; those that end it begin with `!`. */
export const openCauses = ({ causes }: Pick<Due, 'causes'>): string[] =>
  causes.map(({ name, reason, ends }) => `${ends ? '!' : ''}${reason} ${name}`);

const wasPaid = (facts: readonly Fact[]): boolean =>
  facts.some(({ data }) => data.kind === 'payment' && data.state === 'paid');

/** What an adjustment takes from the value of its order; null when that is unknown. */
const totalChange = ({ referral: { order_total_minor: total }, due }: CommissionState): Minor | null =>
  total === null ? null : minor(due.base - total);

const commissionStateOf = (due: Due, { referral, adjustments }: LockedRows): CommissionState => ({
  referral,
  due,
  inPayout: referral.status === 'paid',
  dueAmount: dueAmountOf(due),
  fixedAdjustments: sum(adjustments.filter((each) => !isOpen(each))),
  openAdjustments: adjustments.filter(isOpen),
  adjustedTotal: adjustments.reduce((all, { order_total_minor: value }) => all + (value ?? 0), 0),
});

export const dueAmountOf = ({ status, amount }: Pick<Due, 'status' | 'amount'>): number =>
  status === 'rejected' ? 0 : amount;

/** What the open adjustments have to add up to. An unclaimed row itself is never below 0. */
function targetOf(
  { referral, due, inPayout, dueAmount, fixedAdjustments, openAdjustments }: CommissionState,
  clawback: 'adjust' | 'off',
): number {
  if (!inPayout)
    return due.status === 'rejected' ? -fixedAdjustments : Math.min(0, due.amount - fixedAdjustments);
  return clawback === 'adjust' ? dueAmount - referral.amount_minor - fixedAdjustments : sum(openAdjustments);
}

const dueAmountBefore = ({ due_status: status, due_minor: amount }: Order): number =>
  status === 'rejected' ? 0 : (amount ?? 0);

const isOpen = ({ status, source_key: source }: Referral): boolean => status === 'unpaid' && source === null;

const sum = (referrals: readonly Referral[]): number =>
  referrals.reduce((all, { amount_minor: amount }) => all + amount, 0);

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

/**
 * The change of the row; null when it is claimed or already right. What earlier adjustments took in a payout
 * is owed again with it.
 */
function rowChange({ referral, due, inPayout, fixedAdjustments }: CommissionState): ReferralChange | null {
  if (inPayout) return null;
  const wanted = {
    amount_minor: minor(due.status === 'rejected' ? due.amount : Math.max(0, due.amount - fixedAdjustments)),
    order_total_minor: referral.order_total_minor === null ? null : due.base,
    status: due.status,
    reject_reason: due.reject_reason,
  };
  const isSame = (Object.keys(wanted) as (keyof typeof wanted)[]).every(
    (key) => referral[key] === wanted[key],
  );
  return isSame ? null : wanted;
}
