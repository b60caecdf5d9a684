import { minor } from '../../core/money.js';
import { orderKey } from '../../core/order-key.js';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { Referral } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { inheritedFrom } from './context.js';
import { limitsOf } from './content.js';
import { due as dueOf } from './due.js';
import { paymentFact } from './facts.js';
import * as store from './repository.js';
import { appendDisputes } from './order-events.js';
import { factsHashOf } from './facts-hash.js';
import { openCauses, type OrderSnapshot } from './settle.js';
import type {
  CommissionDraft,
  Due,
  Fact,
  LatestClick,
  NewFact,
  NewOrder,
  Order,
  OrderName,
  OrderTerms,
} from './types.js';

const TWIN_MS = DAY;

/** The order that this one follows; its open reasons also apply here. */
export interface First {
  readonly order: Order;
  /**
   * True for renewals: a rejection of the first order ends them. Later orders of a customer share only the
   * open reasons.
   */
  readonly ends: boolean;
}

/** An order that is about to be credited. */
export interface Opening {
  readonly name: OrderName;
  readonly currency: string;
  readonly terms: OrderTerms;
  /** When it was paid; null when it is not paid. */
  readonly paid_at: number | null;
  readonly first: First | null;
  readonly subscription_id: string | null;
  readonly source: string | null;
  /** The click that led to it; null when another source named the affiliate. */
  readonly click: LatestClick | null;
  /** What the limit in the terms leaves; null without one. */
  readonly left_minor: number | null;
  /** Other facts that are known from the start. */
  readonly facts?: readonly NewFact[];
}

/** An order that earns nothing yet: whom it would be credited to, and why it is not. */
export interface Waiting extends Pick<NewOrder, 'affiliate_id' | 'customer_id' | 'visit_id'> {
  readonly draft: CommissionDraft;
  readonly decision: string;
}

/** The record of an order that is credited; a new one has the facts of its opening, which are not stored yet. */
export interface CreditedRecord extends OrderSnapshot {
  readonly isNew: boolean;
}

/** The data of an order of which only the name is known. */
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

  /** Computes the commission of a new order and what it waits for. */
  computeDue(opening: Opening): Due {
    const { terms, currency, first, left_minor } = opening;
    const inherited = first && inheritedFrom(first.order, first.ends);
    return dueOf(terms, asFacts(openingFacts(opening)), { currency, inherited, left_minor, claimed: false });
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
    opening: Opening,
    { referral, due }: { readonly referral: Referral; readonly due: Due },
  ): Promise<CreditedRecord | null> {
    const { id: referral_id, affiliate_id, customer_id, visit_id } = referral;
    const row: Partial<NewOrder> = {
      ...rowOf(opening),
      draft: null,
      decision: 'recorded',
      due_minor: due.amount,
      due_status: due.status,
      reject_reason: due.reject_reason,
      reasons: due.reasons,
      open_causes: openCauses(due),
      affiliate_id,
      customer_id,
      visit_id,
      referral_id,
    };
    const { name, subscription_id } = opening;
    const facts = openingFacts(opening);
    const inserted = await this.insertOrder(trx, name, {
      ...row,
      subscription_id,
      facts_seal: factsHashOf(facts),
    });
    if (inserted) return { isNew: true, order: inserted, facts: asFacts(facts) };
    const order = await this.#take(trx, name, row);
    return (
      order && {
        isNew: false,
        order,
        facts: (await store.addFacts(trx, order.id, facts, this.stamp())).facts,
      }
    );
  }

  /** Stores the facts that a new order begins with. */
  async insertFirstFacts(trx: Db, opening: Opening, orderId: number): Promise<void> {
    await store.insertFacts(trx, ofOrder(orderId, openingFacts(opening)), this.stamp());
  }

  /** Stores an order that earns nothing yet. Null when the order is already credited or was deleted. */
  async wait(trx: Db, opening: Opening, waiting: Waiting): Promise<OrderSnapshot | null> {
    const { name, subscription_id } = opening;
    const row = { ...rowOf(opening), ...waiting };
    const order =
      (await this.insertOrder(trx, name, { ...row, subscription_id })) ?? (await this.#take(trx, name, row));
    if (order === null) return null;
    const { facts } = await store.addFacts(trx, order.id, openingFacts(opening), this.stamp());
    await appendDisputes(this.app, trx, order, { known: [], facts: asFacts(opening.facts ?? []) });
    return { order, facts };
  }

  /** Completes the record that an earlier event of the shop made before anything was credited. */
  async #take(trx: Db, name: OrderName, row: Partial<NewOrder>): Promise<Order | null> {
    const known = await store.findByKey(trx, orderKey(name.provider, name));
    const locked = known && (await store.lockOrder(trx, known.id));
    if (!locked || locked.referral_id !== null || locked.deleted_at !== null) return null;
    // The record was made by an event of the shop, whose source and subscription are kept.
    const change = { ...row, ...(locked.source !== null && { source: locked.source }) };
    await store.changeOrder(trx, locked.id, change, this.app.clock.now());
    return { ...locked, ...change };
  }

  /** Has another source recorded the same purchase of this customer within a day? */
  async hasDuplicatePurchase(
    trx: Db,
    of: { provider: string; customer_id: number | null; total_minor: number; currency: string; at: number },
  ): Promise<boolean> {
    if (of.customer_id === null || of.total_minor <= 0) return false;
    return store.hasDuplicatePurchase(trx, of, { from: of.at - TWIN_MS, to: of.at + TWIN_MS });
  }

  stamp(): store.Stamp {
    const { user, source } = this.app.context.current();
    return { actor_id: user?.id ?? null, source, now: this.app.clock.now() };
  }
}

const rowOf = ({ currency, terms, first, source, click }: Opening): Partial<NewOrder> => ({
  currency,
  terms,
  total_minor: minor(terms.grand_total_minor),
  first_order_id: first?.order.id ?? null,
  reward_rule: limitsOf(terms).find((limit) => limit.kind === 'reward')?.rule ?? null,
  source,
  click,
});

/** The facts of a new order. Of facts with the same key the first one counts. */
function openingFacts({ paid_at: at, facts = [] }: Pick<Opening, 'paid_at' | 'facts'>): NewFact[] {
  const all = [...(at === null ? [] : [paymentFact('paid', at)]), ...facts];
  return all.filter(({ key }, index) => all.findIndex((fact) => fact.key === key) === index);
}

const ofOrder = (orderId: number, facts: readonly NewFact[]): { orderId: number; fact: NewFact }[] =>
  facts.map((fact) => ({ orderId, fact }));

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
