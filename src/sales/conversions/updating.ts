import type { Db } from '../../platform/database/db.js';
import type { FraudHit } from '../fraud/types.js';
import type { MakeContent } from '../../books/orders/service.js';
import type {
  Fact,
  OpenReason,
  Order,
  OrderContent,
  OrderLine,
  OrderTerms,
} from '../../books/orders/types.js';
import { failFields } from '../../errors.js';
import type { Needs } from './needs.js';
import { CommissionMaker } from './amount.js';
import type { Credit } from './attribution.js';
import { buyerOf, checkConversion } from './input.js';
import { contentHash, contentOf, reasonsOf } from './row.js';
import type { Conversion, ConversionInput } from './types.js';

/** An order as its source reports it now, priced by the terms of its first report. */
export interface ReportedContent {
  readonly hash: string;
  readonly content: OrderContent;
}

/** What is read before the transaction; extensions are called here. */
export interface OrderUpdate {
  /** Null when only the buyer was given. */
  readonly reported: ReportedContent | null;
  readonly conversion: Conversion;
  /** The reasons of the guards for another buyer; null when the buyer is the same. */
  readonly guarded: readonly OpenReason[] | null;
}

/**
 * Prices orders that are reported again. What counts is the state at the payment (docs/money.md); until then
 * the guards look at the buyer again.
 */
export class OrderUpdates {
  readonly #commissions: CommissionMaker;

  constructor(private readonly app: Needs) {
    this.#commissions = new CommissionMaker(app);
  }

  /**
   * Null when nothing about the order can change: no affiliate earns from it, or it was reported like this
   * before. `lines` carry the ids by which the source names its lines.
   */
  async prepare(
    order: Order,
    input: ConversionInput,
    {
      facts,
      lines = null,
    }: { readonly facts: readonly Fact[]; readonly lines?: readonly OrderLine[] | null },
  ): Promise<OrderUpdate | null> {
    const { terms } = order;
    const credit = terms && (await this.#creditOf(order));
    if (terms === null || credit === null) return null;
    const isPaid = wasPaid(facts);
    const conversion = await this.#checked(order, { ...input, status: isPaid ? 'unpaid' : 'pending' });
    const isOther = !isPaid && (await this.#isOtherBuyer(order, conversion));
    const guarded = isOther ? await this.#guards(order, conversion, credit) : null;
    if (input.order === undefined) return { reported: null, conversion, guarded };
    const hash = contentHash(conversion);
    if (hash === lastHash(terms, facts) && guarded === null) return null;
    const base = guarded ?? ownReasons(terms);
    const content = await this.#priced(terms, { conversion, credit, input }, { lines, reasons: base });
    return { reported: { hash, content }, conversion, guarded };
  }

  async #creditOf(order: Order): Promise<Credit | null> {
    if (order.affiliate_id === null || order.referral_id === null) return null;
    const affiliate = await this.app.affiliates.find(order.affiliate_id);
    const referral = await this.app.referrals.find(order.referral_id);
    if (affiliate === null || referral === null) return null;
    const { visit_id, utm_campaign } = referral;
    return { affiliate, source: 'explicit', visit_id, utm_campaign };
  }

  /** What the order earns by its own rates; of an imported one, only the total is news. */
  async #priced(
    terms: OrderTerms,
    { conversion, credit, input }: { conversion: Conversion; credit: Credit; input: ConversionInput },
    { lines, reasons }: { lines: readonly OrderLine[] | null; reasons: readonly OpenReason[] },
  ): Promise<OrderContent> {
    if (!terms.pricing)
      return { ...contentFrom(terms), grand_total_minor: conversion.totals?.grand_total ?? 0 };
    const commission = await this.#commissions.make(conversion, credit, input, { frozen: terms.pricing });
    return contentOf({ conversion, commission, lines, reasons: [...reasons, ...reasonsOf([], commission)] });
  }

  async #checked(order: Order, input: ConversionInput): Promise<Conversion> {
    const { currency: program } = await this.app.settings.referralConfig();
    const conversion = checkConversion(
      input.order === undefined
        ? { ...input, commission: { minor: 0 } }
        : { ...input, order: { currency: order.currency, ...input.order } },
      { currency: program, now: this.app.clock.now() },
    );
    if (input.order !== undefined && conversion.currency !== order.currency)
      failFields({ 'order.currency': { in: `The order was recorded in ${order.currency}.` } });
    return conversion;
  }

  async #isOtherBuyer({ id, customer_id }: Order, conversion: Conversion): Promise<boolean> {
    const { email, user_id } = conversion.customer;
    if (email === null && user_id === null) return false;
    return !(await this.app.customers.isBuyer(customer_id, id, buyerOf(conversion)));
  }

  /** The reasons that the guards give for the buyer of now. */
  async #guards(order: Order, { customer }: Conversion, { affiliate }: Credit): Promise<OpenReason[]> {
    const { email, user_id, payment_fingerprint, ip } = customer;
    const hits = await this.app.fraud.check({
      affiliate,
      buyer: { email, user_id, payment_fingerprint },
      visit_id: order.visit_id,
      isRenewal: false,
      at: order.created_at,
      address: ip,
      signedIn: null,
    });
    return hits.flatMap(held);
  }

  /** Gives the order its buyer of now, while it is not paid. */
  async rename(trx: Db, order: Order, { conversion }: Pick<OrderUpdate, 'conversion'>): Promise<void> {
    const known = await this.app.customers.known(trx, buyerOf(conversion));
    const ip = this.app.tracking.storedAddress(conversion.customer.ip);
    const buyer = { ...buyerOf(conversion), ip };
    const kept = await this.app.customers.keep(trx, buyer, { known, paid: false });
    if (kept === null) return;
    const of = { order_id: order.id, customer_id: kept.customer.id };
    await this.app.customers.wait(trx, of, kept.waiting, true);
    const referral =
      order.referral_id === null ? null : await this.app.referrals.books.lock(trx, order.referral_id);
    if (referral === null || referral.customer_id === kept.customer.id) return;
    await this.app.orders.change(trx, order.id, { customer_id: kept.customer.id });
    await this.app.referrals.books.change(
      trx,
      referral,
      { customer_id: kept.customer.id },
      { kind: 'adjusted', reason: 'order changed' },
    );
  }
}

/** A guard that would have refused the order holds it, so that a person decides. */
const held = ({ rule, action }: FraudHit): OpenReason[] => (action === 'flag' ? [] : [`fraud:${rule}`]);

const wasPaid = (facts: readonly Fact[]): boolean =>
  facts.some(({ data }) => data.kind === 'payment' && data.state === 'paid');

const contents = (facts: readonly Fact[]): string[] =>
  facts.flatMap(({ data }) => (data.kind === 'content' ? [data.hash] : []));

const lastHash = (terms: OrderTerms, facts: readonly Fact[]): string =>
  contents(facts).at(-1) ?? terms.content_hash ?? '';

/** The reasons that do not depend on the amounts. */
const ownReasons = ({ reasons }: OrderTerms): OpenReason[] =>
  reasons.filter((reason) => reason !== 'totals_mismatch' && reason !== 'currency_mismatch');

const contentFrom = ({
  flat_rule: _rule,
  counts: _counts,
  capped_from_minor: _capped,
  content_hash: _hash,
  pricing: _pricing,
  limit: _limit,
  ...content
}: OrderTerms): OrderContent => content;

/** What is stored of an update; null when the order was reported like this before. */
export const contentToStore =
  ({ reported, guarded }: OrderUpdate): MakeContent =>
  ({ terms }, facts) => {
    if (terms === null || (reported === null && guarded === null)) return null;
    const known = latest(terms, facts);
    const knownHash = lastHash(terms, facts);
    const { hash, content } = reported ?? { hash: knownHash, content: known };
    if (guarded === null) return hash === knownHash ? null : { hash, content };
    const reasons = [...new Set([...content.reasons, ...guarded])];
    if (hash === knownHash && sameWords(reasons, known.reasons)) return null;
    return { hash: `${hash}:${reasons.join()}`, content: { ...content, reasons } };
  };

function latest(terms: OrderTerms, facts: readonly Fact[]): OrderContent {
  const bodies = new Map<string, OrderContent>();
  for (const { data } of facts)
    if (data.kind === 'content' && data.content !== null) bodies.set(data.hash, data.content);
  return bodies.get(contents(facts).at(-1) ?? '') ?? contentFrom(terms);
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));
