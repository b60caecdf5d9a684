import { orderKey } from '../../core/order-key.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { referralRemoved, referralsRemoved } from '../referrals/domain-events.js';
import { customersMerged } from '../customers/domain-events.js';
import { GIVEN_AWAY, type Referral } from '../referrals/types.js';
import type { OrdersOfReferrals } from '../referrals/contributions.js';
import type { Deps } from './deps.js';
import { EnteredOrders } from './entered-orders.js';
import { limitsOf } from './counted-order.js';
import { Followers } from './followers.js';
import { leftOf, contextOf } from './order-context.js';
import { CustomerLimits } from './customer-limits.js';
import { affiliatesMerged } from '../../program/affiliates/domain-events.js';
import { OrderChanges, settledOf } from './changes.js';
import { explain, type CommissionExplanation } from './explain.js';
import {
  adopted,
  adoptedFacts,
  deductImported,
  followImported,
  insertImported,
  type ImportedDeduction,
  type ImportedOrder,
} from './imported.js';
import { shareRefund } from './refund-shares.js';
import { findWrongOrders, wrongOrdersAfter } from './verify.js';
import type { Finding, SettleOrders } from '../ledger/types.js';
import { OrderRecords, type OrderToStore, type UncreditedOrder } from './order-records.js';
import * as store from './repository.js';
import { Settler, type OpenTransaction, type OrderChange, type LedgerCause } from './settle.js';
import { ENTERED } from './words.js';
import type { Due, Fact, NewFact, NewOrder, Order, OrderName, OrderTerms } from './types.js';
import { due as dueOf, factsOf } from './due.js';
import { byTime } from './times.js';
import type { ReportedRefund } from './facts.js';
import * as facts from './facts.js';
import { appendDisputes } from './order-events.js';

const FLAGS_MAX = 20;
/** Orders of one customer that are looked at because they were recorded after a late one was placed. */
const LATE_MAX = 100;

/** When an order was placed, as far as its source reported it. */
const placedAt = ({ terms, created_at: at }: Order): number => terms?.pricing?.rewards?.facts.at ?? at;

export type { AddedFacts, BeforeFacts, MakeContent, MakeFacts } from './changes.js';
export type { ImportedOrder } from './imported.js';
export type { CommissionExplanation } from './explain.js';
export type { FirstOrder, OrderToStore, UncreditedOrder } from './order-records.js';
export type { OpenTransaction, OrderChange, LedgerCause } from './settle.js';
export type { ReportedRefund } from './facts.js';

export interface OrderWithFacts {
  readonly order: Order;
  readonly facts: readonly Fact[];
}

/**
 * Stores one record per order, whether it comes from host code, shops, connected sites or imports. Orders are
 * event-sourced: facts are only added; what is due is computed from them and booked by `settle` (docs/money.md).
 */
export class OrdersService {
  readonly records: OrderRecords;
  readonly #settler: Settler;
  readonly #followers: Followers;
  /** What happens to an order after it is stored. */
  readonly changes: OrderChanges;
  readonly #entered: EnteredOrders;
  readonly #limits: CustomerLimits;
  /** Functions that make facts from reports. */
  readonly facts = facts;

  constructor(private readonly app: Deps) {
    this.records = new OrderRecords(app);
    this.#followers = new Followers(app, (ids, cause) => this.changes.addFacts(ids, () => [], cause));
    app.operations.add(this.#followers.work);
    this.#settler = new Settler(app, this.#followers.begin);
    this.changes = new OrderChanges(app, {
      records: this.records,
      settler: this.#settler,
      adopt: (referral, name) => this.adopt(referral, name),
    });
    this.#limits = new CustomerLimits(this.#settler);
    this.#entered = new EnteredOrders(app, { records: this.records, settler: this.#settler });
    // Before the rows move, because afterwards the shared customers can no longer be found.
    app.affiliates.addPart({ move: (trx, merging) => this.#limits.beforeMerge(trx, merging) });
    app.affiliates.addRows('orders');
    app.internal.on(affiliatesMerged, (trx, { afterCommit, ...merging }) =>
      this.#limits.afterMerge({ trx, afterCommit }, merging),
    );
    app.internal.on(referralRemoved, (trx, { id }) => this.#markDeleted(trx, id));
    app.internal.on(referralsRemoved, (trx, { affiliateId }) =>
      this.#markDeletedOfAffiliate(trx, affiliateId),
    );
    app.internal.on(customersMerged, (trx, { customerId, afterCommit }) =>
      this.#limits.afterCustomerMerge({ trx, afterCommit }, customerId),
    );
    app.ledger.contribute({
      violations: () => this.violations(),
      reconcile: (after) => this.#reconcile(after),
    });
    app.referrals.contribute({ orders: this.#forReferrals() });
  }

  /** What referrals ask about their orders. */
  #forReferrals(): OrdersOfReferrals {
    return {
      explain: (referral) => this.explain(referral),
      has: async (referralId) => (await this.ofReferral(referralId)) !== null,
      reasons: async (ids) =>
        new Map([...(await this.ofReferrals(ids))].map(([id, order]) => [id, order.reasons])),
      lastVerdict: async (referralId) => {
        const order = await this.ofReferral(referralId);
        return order && this.lastVerdict(order.id);
      },
      shownReasons: (ids) => this.#shownReasons(ids),
      enter: async (opened, entered) => this.#entered.enter(opened, entered),
      review: async (opened, referralId, change) => {
        const order = await this.ofReferral(referralId);
        return order && (await this.changes.review(opened, order, change)).after;
      },
    };
  }

  /** Affiliates with orders that are being settled in steps; no payout takes them until that has ended. */
  async settling(): Promise<number[]> {
    return (await this.#followers.underway()).flatMap(({ affiliate_id: id }) => id ?? []);
  }

  /** The record with this name; null when there is none. */
  async find(name: OrderName): Promise<Order | null> {
    return store.findByKey(this.app.db, orderKey(name.provider, name));
  }

  /** Like `find`, for an order that may have been imported, or whose commission a person may have entered. */
  async findOfShop(name: OrderName): Promise<Order | null> {
    const order = await this.find(name);
    if (order !== null || name.reference === '' || name.sub_reference !== '') return order;
    return store.findUnplaced(this.app.db, name.provider, name.reference);
  }

  /** The commission that a person entered for an order with this number, without naming its provider or shop. */
  async entered({ provider, account, reference, sub_reference }: OrderName): Promise<number | null> {
    if (reference === '' || sub_reference !== '') return null;
    for (const of of account === '' ? [ENTERED] : [provider, ENTERED]) {
      const order = await store.findByKey(this.app.db, orderKey(of, { reference }));
      if (order?.source === ENTERED) return order.referral_id;
    }
    return null;
  }

  /** Did a person enter its commission before the order was reported? */
  lacksTotal({ source, total_minor: total }: Order): boolean {
    return source === ENTERED && total === null;
  }

  async ofReferral(referralId: number): Promise<Order | null> {
    return store.findByReferral(this.app.db, referralId);
  }

  /** Orders by referral id. */
  async ofReferrals(referralIds: readonly number[]): Promise<ReadonlyMap<number, Order>> {
    const orders = await store.findByReferrals(this.app.db, referralIds);
    return new Map(orders.map((order) => [order.referral_id!, order]));
  }

  /** The order with this reference or another of its names. */
  async findByRef(provider: string, account: string, ref: string): Promise<Order | null> {
    return store.findByRef(this.app.db, provider, account, ref);
  }

  /** The order with this reference in any account, for vendors that never use an id twice. */
  async findAnywhere(provider: string, reference: string): Promise<Order | null> {
    return store.findAnywhere(this.app.db, provider, reference);
  }

  /** The order with this reference or another of its names, in any account. */
  async findByRefAnywhere(provider: string, ref: string): Promise<Order | null> {
    return store.findByRefAnywhere(this.app.db, provider, ref);
  }

  async ofSubscription(provider: string, account: string, subscription: string): Promise<Order[]> {
    return store.ordersOfSubscription(this.app.db, provider, account, subscription);
  }

  /** The parts of an order that earn separately. */
  async parts(name: Omit<OrderName, 'sub_reference'>): Promise<Order[]> {
    return store.partsOfOrder(this.app.db, name);
  }

  /** Changes an order that is not credited yet, after an event of the shop. */
  async change(trx: Db, id: number, change: Partial<NewOrder>): Promise<void> {
    await store.changeOrder(trx, id, change, this.app.clock.now());
  }

  async addNames(trx: Db, order: Order, refs: readonly string[]): Promise<void> {
    await store.addRefs(trx, order, refs);
  }

  /**
   * Stores a credited order and settles it. `referral` was just inserted with the result of `computeDue`. Null when the
   * order is already credited or was deleted.
   */
  async storeCredited(
    opened: OpenTransaction,
    toStore: OrderToStore,
    given: { readonly referral: Referral; readonly due: Due },
  ): Promise<Order | null> {
    const { trx } = opened;
    const cause = { kind: 'earned' } as const;
    const recorded = await this.records.credit(trx, toStore, given);
    if (recorded === null) return null;
    const { order, facts: known, isNew } = recorded;
    if (!isNew) {
      await this.#settler.settleLocked(opened, order, known, cause);
      return order;
    }
    await trx.pipeline(
      () => this.records.insertFirstFacts(trx, toStore, order.id),
      () => this.#settler.settleNew(opened, recorded, given, cause),
    );
    await appendDisputes(this.app, trx, order, { known: [], facts: known });
    return order;
  }

  /**
   * Stores an order that earns nothing yet; `settle` books its commission once something is due. Null when
   * the order is already credited or was deleted.
   */
  async storeUncredited(
    opened: OpenTransaction,
    toStore: OrderToStore,
    uncredited: UncreditedOrder,
  ): Promise<Order | null> {
    const stored = await this.records.insertUncredited(opened.trx, toStore, uncredited);
    if (stored) await this.#settler.settleLocked(opened, stored.order, stored.facts, { kind: 'earned' });
    return stored?.order ?? null;
  }

  /** The first order of the chain that this referral belongs to; a renewal belongs to that of its first payment. */
  async firstOrderOf(referral: Referral): Promise<Order | null> {
    const order = await this.ofReferral(referral.id);
    if (referral.type !== 'recurring_sale' || order === null || order.first_order_id === null) return order;
    const [first = order] = await store.findOrders(this.app.db, [order.first_order_id]);
    return first;
  }

  /** What the limits leave for an order that is about to be stored. */
  readonly leftOf = leftOf;

  /** Orders of these days after an id, with their facts, for what is computed over all of them. */
  async between(of: Parameters<typeof store.ordersBetween>[1]): Promise<readonly OrderWithFacts[]> {
    const found = await store.ordersBetween(this.app.db, of);
    const facts = await store.factsOfOrders(
      this.app.db,
      found.map(({ id }) => id),
    );
    return found.map((order) => ({ order, facts: facts.get(order.id) ?? [] }));
  }

  async countBetween(db: Db, of: { readonly from: number; readonly until: number }): Promise<number> {
    return store.countBetween(db, of);
  }

  /** What would be due for a recorded order by other terms, with the facts of today. */
  async dueBy({ order, facts }: OrderWithFacts, terms: OrderTerms, leftByCaps: number | null): Promise<Due> {
    const limits = limitsOf(terms).filter(({ kind }) => kind !== 'reward');
    const known = await leftOf(this.app.db, limits, order);
    const left = known === null || leftByCaps === null ? (known ?? leftByCaps) : Math.min(known, leftByCaps);
    const type = terms.pricing?.rewards?.facts.event === 'renewal' ? 'recurring_sale' : 'sale';
    const { inherited } = await contextOf(this.app.db, order, { type });
    return dueOf(terms, facts, { currency: order.currency, inherited, inPayout: false, left_minor: left });
  }

  /** What is due for an order with terms by these facts, as if its commission were in no payout. */
  async dueFor(order: Order, known: readonly Fact[], more: readonly NewFact[] = []): Promise<Due> {
    const around = await contextOf(this.app.db, order, { type: 'sale' });
    const all = [...known, ...more.map((fact): Fact => ({ ...UNSTORED, ...fact }))];
    return dueOf(order.terms!, all, { currency: order.currency, inPayout: false, ...around });
  }

  /** How many orders of a customer were placed until this time and not canceled; leads don't count. */
  async countOfCustomer(customerId: number, of: store.CustomersOrders): Promise<number> {
    const { db, clock } = this.app;
    const { at, beforeId = Infinity } = of;
    const known = await store.countOfCustomer(db, customerId, of);
    if (at >= clock.now()) return known;
    const later = await store.recordedAfter(db, customerId, at, LATE_MAX);
    return known + later.filter((order) => order.id < beforeId && placedAt(order) <= at).length;
  }

  /**
   * Credits an order to another affiliate: the commission of the first one is removed, and settling books that
   * of the other. False when it is in a payout. The caller has locked both affiliates.
   */
  async move(
    { trx, afterCommit }: OpenTransaction,
    order: Order,
    to: Required<Pick<NewOrder, 'affiliate_id' | 'terms' | 'draft' | 'source'>>,
  ): Promise<boolean> {
    const referral =
      order.referral_id === null ? null : await this.app.referrals.writer.lock(trx, order.referral_id);
    if (referral !== null) {
      if (!(await this.app.referrals.writer.remove(trx, referral))) return false;
      const affiliate =
        referral.affiliate_id === null ? null : await this.app.affiliates.find(referral.affiliate_id);
      afterCommit(() => this.app.hooks.doAction('referral/deleted', referral.id, affiliate));
    }
    const unlinked = { referral_id: null, visit_id: null, click: null, first_order_id: null };
    await store.changeOrder(trx, order.id, { ...unlinked, ...to }, this.app.clock.now());
    return true;
  }

  async factsOf(order: Pick<Order, 'id'>): Promise<readonly Fact[]> {
    return store.factsOfOrder(this.app.db, order.id);
  }

  /** The share of each of these orders in a refund of all of them. */
  async shareRefund(
    orders: readonly Order[],
    reported: ReportedRefund,
  ): Promise<readonly (ReportedRefund | null)[]> {
    const facts = await store.factsOfOrders(
      this.app.db,
      orders.map(({ id }) => id),
    );
    return shareRefund(
      orders.map((order) => ({ order, facts: facts.get(order.id) ?? [] })),
      reported,
    );
  }

  async inOrderCurrency(
    order: Pick<Order, 'currency'> & { readonly id?: number },
    reported: ReportedRefund,
  ): Promise<ReportedRefund> {
    const facts =
      order.id === undefined || reported.currency === order.currency
        ? []
        : await store.factsOfOrder(this.app.db, order.id);
    return this.changes.inOrderCurrency(order, reported, facts);
  }

  /** Adds flags to the referral for a person to see; no money moves. False when it already has them. */
  async flag(trx: Db, order: Order, flags: readonly string[]): Promise<boolean> {
    if (order.referral_id === null) return false;
    await this.app.ledger.lock(trx, order.affiliate_id);
    const referral = await this.app.referrals.writer.lock(trx, order.referral_id);
    const known = referral?.settings?.['flags'];
    const before = Array.isArray(known) ? (known as readonly unknown[]) : [];
    const missing = flags.filter((flag) => !before.includes(flag));
    if (!referral || missing.length === 0) return false;
    await this.app.referrals.writer.changeSettings(trx, referral, {
      ...referral.settings,
      flags: [...before, ...missing].slice(-FLAGS_MAX),
    });
    return true;
  }

  readonly settledOf = settledOf;

  /** The last decision of a person. */
  async lastVerdict(orderId: number): Promise<'approved' | 'rejected' | 'held' | null> {
    const reviews = factsOf(await store.factsOfOrder(this.app.db, orderId), 'judgement');
    return reviews.toSorted(byTime).at(-1)?.data.verdict ?? null;
  }

  async #shownReasons(referralIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const orders = await this.ofReferrals(referralIds);
    const facts = await store.factsOfOrders(
      this.app.db,
      [...orders.values()].map(({ id }) => id),
    );
    return new Map(
      [...orders].flatMap(([referralId, { id }]): [number, string][] => {
        const last = factsOf(facts.get(id) ?? [], 'judgement')
          .toSorted(byTime)
          .at(-1)?.data;
        const isShown = last?.verdict === 'rejected' && last.shown === true;
        return isShown && last.reason !== null ? [[referralId, last.reason]] : [];
      }),
    );
  }

  /** Explains a commission; null for a referral without an order. */
  async explain(referral: Referral): Promise<CommissionExplanation | null> {
    return explain(this.app, referral);
  }

  /**
   * Orders whose books differ from what their facts require (docs/reliability.md §2, I15 to I18);
   * none if all is well.
   */
  async violations(limit?: number): Promise<Finding[]> {
    return findWrongOrders(this.app, this.app.db, { settling: await this.#settlingFirsts(), limit });
  }

  async #settlingFirsts(): Promise<ReadonlySet<number>> {
    return new Set((await this.#followers.underway()).map(({ order_id: id }) => id));
  }

  /** Settles the wrong ones of a page of orders after this id. */
  async #reconcile(afterId: number): ReturnType<SettleOrders> {
    const { found, after } = await wrongOrdersAfter(this.app, this.app.db, {
      after: afterId,
      settling: await this.#settlingFirsts(),
    });
    const changed: number[] = [];
    for (const { id } of found) {
      const [reported] =
        id === null
          ? []
          : await this.changes.addFacts([id], () => [], { kind: 'adjusted', reason: 'reconcile' });
      if (reported?.changed === true) changed.push(reported.order.id);
    }
    return { changed, after };
  }

  async settle(opened: OpenTransaction, orderId: number, cause: LedgerCause): Promise<OrderChange | null> {
    return this.#settler.settle(opened, orderId, cause);
  }

  /**
   * Called under the affiliate's lock when a payout released referrals. Settles the orders of those whose
   * amount or status is no longer what is due, or may not be.
   */
  async released(trx: Db, afterCommit: AfterCommit, referralIds: readonly number[]): Promise<void> {
    const parents = new Set(await this.app.referrals.parentsOfAdjustments(referralIds));
    const adjusted = new Set(await this.app.referrals.withAdjustments(referralIds));
    const referrals = await this.app.referrals.findMany(referralIds);
    const orders = await store.findByReferrals(trx, [...new Set([...referralIds, ...parents])]);
    const moved = orders.filter((order) => {
      const id = order.referral_id ?? 0;
      const row = referrals.get(id);
      if (order.deleted_at !== null) return false;
      if (parents.has(id) || adjusted.has(id) || order.first_order_id !== null) return true;
      return row?.amount_minor !== order.due_minor || row.status !== order.due_status;
    });
    for (const { id } of moved.toSorted((a, b) => a.id - b.id))
      await this.#settler.settle({ trx, afterCommit }, id, { kind: 'adjusted', reason: 'payout undone' });
    for (const before of referrals.values()) {
      if (before.reject_reason !== GIVEN_AWAY) continue;
      const ended = await this.app.referrals.writer.endReleased(trx, before);
      if (ended !== null) afterCommit(() => this.app.referrals.announceChange(ended, before));
    }
  }

  /**
   * A person deleted the referral. The order's record is not deleted, so that nothing is ever due for the
   * order again.
   */
  async #markDeleted(trx: Db, referralId: number): Promise<void> {
    const order = (await store.findByReferrals(trx, [referralId]))[0];
    if (order === undefined) return;
    const now = this.app.clock.now();
    await store.lockOrder(trx, order.id);
    await store.addFacts(trx, order.id, [deletedFact('person', now)], this.records.stamp());
    await store.changeOrder(trx, order.id, { deleted_at: now }, now);
    await this.app.transaction((inner, afterCommit) =>
      this.#settler.settleLimits({ trx: inner, afterCommit }, order),
    );
  }

  /** Marks all orders of an affiliate that is being deleted, so that nothing is ever due for them again. */
  async #markDeletedOfAffiliate(trx: Db, affiliateId: number): Promise<void> {
    await store.markDeletedOfAffiliate(trx, affiliateId, this.app.clock.now());
  }

  /** Removes the customer from orders and reported data. */
  async forgetCustomer(trx: Db, customerId: number): Promise<void> {
    await store.forgetCustomer(trx, customerId);
  }

  async buyersOfAccount(
    provider: string,
    account: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<number[]> {
    return store.buyersOfAccount(this.app.db, provider, account, page);
  }

  async buyersElsewhere(
    ids: readonly number[],
    provider: string,
    account: string,
  ): Promise<ReadonlySet<number>> {
    return store.buyersElsewhere(this.app.db, ids, provider, account);
  }

  /**
   * Makes the records of imported referrals, in their transaction and under their affiliates' locks. Names
   * that are taken are skipped. `paid_at` is null for orders that are not paid. `facts` are what the other
   * system knew in addition, such as refunds (`facts.refundFact`).
   */
  async recordImported(trx: Db, imported: readonly ImportedOrder[]): Promise<void> {
    await insertImported(this.app, trx, imported);
  }

  /** Stores what the other system took back of these commissions, also in the transaction of the import. */
  async deductImported(trx: Db, deductions: readonly ImportedDeduction[]): Promise<void> {
    await deductImported(this.app, trx, deductions);
  }

  /**
   * Follows rows that a later run of the import has changed, in its transaction and under their affiliates'
   * locks.
   */
  async followImported(trx: Db, referralIds: readonly number[]): Promise<void> {
    await followImported(this.app, trx, referralIds);
  }

  /** The record of an order whose referral has none, such as after an older import. */
  async adopt(referral: Referral, name: OrderName): Promise<Order | null> {
    const { currency: program } = await this.app.settings.referralConfig();
    return this.app.transaction(async (trx) => {
      await this.app.ledger.lock(trx, referral.affiliate_id);
      const now = await this.app.referrals.writer.lock(trx, referral.id);
      if (now === null) return null;
      const order = await this.records.insertOrder(trx, name, adopted(now, name, program));
      if (order === null) return store.findByKey(trx, orderKey(name.provider, name));
      await store.addFacts(trx, order.id, adoptedFacts(now), this.records.stamp());
      return order;
    });
  }
}

/** Facts that are only looked at come after all that are stored. */
const UNSTORED = { id: Number.MAX_SAFE_INTEGER, actor_id: null, source: '', created_at: 0 } as const;

const deletedFact = (by: 'person' | 'affiliate', at: number): NewFact => ({
  key: 'deleted',
  at,
  data: { kind: 'deleted', by },
});
