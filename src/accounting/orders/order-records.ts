import { minor } from '../../core/money.js';
import { orderKey } from '../../core/order-key.js';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { Referral } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { inheritedFrom } from './order-context.js';
import { limitsOf } from './counted-order.js';
import { due as dueOf } from './due.js';
import { paymentFact } from './facts.js';
import * as store from './repository.js';
import { appendDisputes } from './order-events.js';
import { factsHashOf } from './facts-hash.js';
import { openCauses, type OrderSnapshot } from './settle.js';
import {
  OrderMoved,
  type CommissionDraft,
  type Due,
  type Fact,
  type LatestClick,
  type NewFact,
  type NewOrder,
  type Order,
  type OrderName,
  type OrderTerms,
} from './types.js';

const DUPLICATE_WINDOW_MS = DAY;

/** The order that this one follows; its open reasons also apply here. */
export interface FirstOrder {
  readonly order: Order;
  /**
   * True for renewals: a rejection of the first order ends them. Later orders of a customer share only the
   * open reasons.
   */
  readonly ends: boolean;
}

/** An order that is about to be stored. */
export interface OrderToStore {
  readonly name: OrderName;
  readonly currency: string;
  readonly terms: OrderTerms;
  /** When it was paid; null when it is not paid. */
  readonly paid_at: number | null;
  readonly first: FirstOrder | null;
  readonly subscription_id: string | null;
  readonly source: string | null;
  /** The click that led to it; null when another source named the affiliate. */
  readonly click: LatestClick | null;
  /** What the limit in the terms leaves; null without one. */
  readonly left_minor: number | null;
  /** Other facts that are known from the start. */
  readonly facts?: readonly NewFact[];
  /**
   * The record that its shop found: null when there was none. `OrderMoved` is thrown when another event has stored
   * or changed it since then. Absent for orders that no shop reports.
   */
  readonly known?: Order | null | undefined;
}

/** An order that earns nothing yet: whom it would be credited to, and why it is not. */
export interface UncreditedOrder extends Pick<NewOrder, 'affiliate_id' | 'customer_id' | 'visit_id'> {
  readonly draft: CommissionDraft;
  readonly decision: string;
}

/** The record of an order that is credited; the facts of a new one are not stored yet. */
export interface CreditedRecord extends OrderSnapshot {
  readonly isNew: boolean;
}

/** The data of an order when only its name is known. */
export const BLANK = {
  subscription_id: null,
  terms: null,
  draft: null,
  customer_id: null,
  affiliate_id: null,
  visit_id: null,
  click: null,
  referral_id: null,
  first_order_id: null,
  source: null,
  decision: null,
  total_minor: null,
  due_minor: null,
  full_minor: null,
  due_status: null,
  reject_reason: null,
  reasons: [],
  open_causes: [],
  withheld_minor: minor(0),
  reward_rule: null,
  facts_seal: '',
  deleted_at: null,
} as const;

/** Makes the records of orders and books their commissions. */
export class OrderRecords {
  constructor(private readonly app: Deps) {}

  /** Computes the commission of a new order and its open reasons. */
  computeDue(order: OrderToStore): Due {
    const { terms, currency, first, left_minor } = order;
    const inherited = first && inheritedFrom(first.order, first.ends);
    return dueOf(terms, asFacts(firstFacts(order)), { currency, inherited, left_minor, inPayout: false });
  }

  /** Makes the record of an order; null when there already is one with this name. */
  async insertOrder(trx: Db, name: OrderName, given: Partial<NewOrder>): Promise<Order | null> {
    const now = this.app.clock.now();
    const row = {
      ...BLANK,
      currency: (await this.app.settings.referralConfig()).currency,
      ...given,
      ...name,
      order_key: orderKey(name.provider, name),
    };
    const id = await store.insertOrder(trx, row, now);
    return id === null ? null : { ...row, id, created_at: now, updated_at: now };
  }

  /**
   * Stores the record of a credited order. `referral` was just inserted with the result of `computeDue`. Null when the
   * order is already credited or was deleted.
   */
  async credit(
    trx: Db,
    toStore: OrderToStore,
    { referral, due }: { readonly referral: Referral; readonly due: Due },
  ): Promise<CreditedRecord | null> {
    const { id: referral_id, affiliate_id, customer_id, visit_id } = referral;
    const row: Partial<NewOrder> = {
      ...rowOf(toStore),
      draft: null,
      decision: 'recorded',
      due_minor: due.amount,
      full_minor: due.full,
      due_status: due.status,
      reject_reason: due.reject_reason,
      reasons: due.reasons,
      open_causes: openCauses(due),
      affiliate_id,
      customer_id,
      visit_id,
      referral_id,
    };
    const facts = firstFacts(toStore);
    const inserted = await this.#insertNew(trx, toStore, { ...row, facts_seal: factsHashOf(facts) });
    if (inserted) return { isNew: true, order: inserted, facts: asFacts(facts) };
    const order = await this.#complete(trx, toStore, row);
    return (
      order && {
        isNew: false,
        order,
        facts: (await store.addFacts(trx, order.id, facts, this.stamp())).facts,
      }
    );
  }

  /** Stores the facts that a new order begins with. */
  async insertFirstFacts(trx: Db, toStore: OrderToStore, orderId: number): Promise<void> {
    const facts = firstFacts(toStore).map((fact) => ({ orderId, fact }));
    await store.insertFacts(trx, facts, this.stamp());
  }

  /** Stores an order that earns nothing yet. Null when the order is already credited or was deleted. */
  async insertUncredited(
    trx: Db,
    toStore: OrderToStore,
    uncredited: UncreditedOrder,
  ): Promise<OrderSnapshot | null> {
    const row = { ...rowOf(toStore), ...uncredited };
    const order = (await this.#insertNew(trx, toStore, row)) ?? (await this.#complete(trx, toStore, row));
    if (order === null) return null;
    const { facts } = await store.addFacts(trx, order.id, firstFacts(toStore), this.stamp());
    await appendDisputes(this.app, trx, order, { known: [], facts: asFacts(toStore.facts ?? []) });
    return { order, facts };
  }

  /** Null when the order has a record already. */
  async #insertNew(
    trx: Db,
    { name, subscription_id, known }: OrderToStore,
    row: Partial<NewOrder>,
  ): Promise<Order | null> {
    if (known) return null;
    const inserted = await this.insertOrder(trx, name, { ...row, subscription_id });
    if (inserted === null && known === null) throw new OrderMoved();
    return inserted;
  }

  /** Completes the record that an earlier report made before anything was credited. */
  async #complete(
    trx: Db,
    { name, subscription_id, known }: OrderToStore,
    row: Partial<NewOrder>,
  ): Promise<Order | null> {
    if (known) return this.changeUncredited(trx, known, { ...row, subscription_id });
    const found = await store.findByKey(trx, orderKey(name.provider, name));
    const locked = found && (await store.lockOrder(trx, found.id));
    if (!locked || locked.referral_id !== null || locked.deleted_at !== null) return null;
    // Its source and subscription are those of the first report.
    const change = { ...row, ...(locked.source !== null && { source: locked.source }) };
    await store.changeOrder(trx, locked.id, change, this.app.clock.now());
    return { ...locked, ...change };
  }

  /** Changes an order without a commission; throws `OrderMoved` when it has changed since `seen` was read. */
  async changeUncredited(trx: Db, seen: Order, change: Partial<NewOrder>): Promise<Order> {
    const locked = await store.lockOrder(trx, seen.id);
    const isSame = locked !== null && locked.decision === seen.decision && locked.deleted_at === null;
    if (!isSame || locked.referral_id !== null) throw new OrderMoved();
    await store.changeOrder(trx, locked.id, change, this.app.clock.now());
    return { ...locked, ...change };
  }

  /** Has another source recorded the same purchase of this customer within a day? */
  async hasDuplicatePurchase(
    trx: Db,
    of: { provider: string; customer_id: number | null; total_minor: number; currency: string; at: number },
  ): Promise<boolean> {
    if (of.customer_id === null || of.total_minor <= 0) return false;
    return store.hasDuplicatePurchase(trx, of, {
      from: of.at - DUPLICATE_WINDOW_MS,
      to: of.at + DUPLICATE_WINDOW_MS,
    });
  }

  stamp(): store.Stamp {
    const { user, source } = this.app.context.current();
    return { actor_id: user?.id ?? null, source, now: this.app.clock.now() };
  }
}

const rowOf = ({ currency, terms, first, source, click }: OrderToStore): Partial<NewOrder> => ({
  currency,
  terms,
  total_minor: minor(terms.grand_total_minor),
  first_order_id: first?.order.id ?? null,
  reward_rule: limitsOf(terms).find((limit) => limit.kind === 'reward')?.rule ?? null,
  source,
  click,
});

/** The facts of a new order. Of facts with the same key the first one counts. */
function firstFacts({ paid_at: at, facts = [] }: OrderToStore): NewFact[] {
  const all = [...(at === null ? [] : [paymentFact('paid', at)]), ...facts];
  return all.filter(({ key }, index) => all.findIndex((fact) => fact.key === key) === index);
}

/** Gives facts ids before they are stored. */
export const asFacts = (facts: readonly NewFact[], after = 0): Fact[] =>
  facts.map(({ key, at, data }, index) => ({
    id: after + index + 1,
    key,
    at,
    data,
    actor_id: null,
    source: '',
    created_at: at,
  }));
