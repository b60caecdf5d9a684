import type { Db } from '../../platform/database/db.js';
import { NO_SUB_IDS, subIdsOf } from '../../core/sub-ids.js';
import type { FraudHit } from '../fraud/types.js';
import type { MakeContent, OpenTransaction } from '../../accounting/orders/service.js';
import {
  ENTERED,
  GIVEN,
  type CommissionDraft,
  type Fact,
  type OpenReason,
  type Order,
  type OrderContent,
  type OrderLine,
  type OrderTerms,
  type Pricing,
  type PaymentState,
} from '../../accounting/orders/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import { fail, failFields } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { CommissionCalculator } from './commission-calculator.js';
import type { Credit } from './affiliate-finder.js';
import { buyerOf, checkConversion } from './input.js';
import { couponAffiliate } from './coupon-repository.js';
import { asNew, chargedOf, contentHash, contentOf, draftOf, reasonsOf } from './referral-row.js';
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
  /** The result of the guards for another buyer or affiliate; null when both are the same. */
  readonly guarded: GuardResult | null;
  /** The affiliate whose coupon the order has now; null when its affiliate does not change. */
  readonly moved: CreditMove | null;
}

interface GuardResult {
  readonly reasons: readonly OpenReason[];
  /** The rule that refuses the order; null when none does. */
  readonly refused: string | null;
}

interface CreditMove {
  readonly affiliateId: number;
  readonly source: string;
  readonly terms: OrderTerms;
  readonly draft: CommissionDraft;
}

/** The affiliate that a source names now, and by what. */
export interface CreditTo {
  readonly affiliate_id: number;
  readonly source: string;
}

interface UpdateContext {
  readonly facts: readonly Fact[];
  /** The ids by which the source names its lines. */
  readonly lines?: readonly OrderLine[] | null;
  /** The affiliate that the source names now. */
  readonly creditTo?: CreditTo | null;
}

interface CreditState {
  readonly credit: Credit;
  readonly referral: Referral | null;
  readonly isMoved: boolean;
}

/**
 * Prices orders that are reported again. What counts is the state at the payment (docs/money.md); until then
 * the guards look at the buyer again, and a coupon decides who is credited.
 */
export class OrderUpdates {
  readonly #calculator: CommissionCalculator;

  constructor(private readonly app: Deps) {
    this.#calculator = new CommissionCalculator(app);
  }

  /**
   * Null when nothing about the order can change: no affiliate may earn from it, or it was reported like this
   * before.
   */
  async prepare(order: Order, input: ConversionInput, known: UpdateContext): Promise<OrderUpdate | null> {
    const { terms } = order;
    if (terms === null) return null;
    const { facts } = known;
    const isPaid = wasPaid(facts);
    const whole = isPaid ? input : withDeposit(input, latest(terms, facts));
    const conversion = await this.#checked(order, { ...whole, status: isPaid ? 'unpaid' : 'pending' });
    const owner = isPaid ? null : await this.#ownerNow(order, conversion, known.creditTo ?? null);
    const credited = await this.#creditOf(order, owner);
    if (credited === null) return null;
    const isEntered = order.source === ENTERED; // a person decided
    const isOther =
      !isPaid && !isEntered && (credited.isMoved || (await this.#isOtherBuyer(order, conversion)));
    const guarded = isOther ? await this.#guards(order, conversion, credited.credit) : null;
    if (input.order === undefined) return { reported: null, conversion, guarded, moved: null };
    return this.#reported(order, { terms, conversion, credited, guarded, input }, known);
  }

  async #reported(
    order: Order,
    {
      terms,
      conversion,
      credited,
      guarded,
      input,
    }: {
      readonly terms: OrderTerms;
      readonly conversion: Conversion;
      readonly credited: CreditState;
      readonly guarded: GuardResult | null;
      readonly input: ConversionInput;
    },
    { facts, lines = null, creditTo }: UpdateContext,
  ): Promise<OrderUpdate | null> {
    const { credit, isMoved } = credited;
    const hash = contentHash(conversion) + (isMoved ? `:${credit.affiliate.id}` : '');
    if (hash === lastHash(terms, facts) && guarded === null) return null;
    const reasons = reasonsNow(latest(terms, facts), guarded);
    const priced = await this.#priced(terms, { conversion, credited, input }, { lines, reasons });
    const source = creditTo?.source ?? 'coupon';
    const moved = movedTo(order, credited, { ...priced, hash, source });
    return { reported: { hash, content: priced.content }, conversion, guarded, moved };
  }

  /** The affiliate of the coupon that the order has now, if that is another one. */
  async #ownerNow(
    { affiliate_id: id, provider, source }: Order,
    { coupon, coupon_counts: counts }: Conversion,
    creditTo: CreditTo | null,
  ): Promise<Affiliate | null> {
    if (source === GIVEN || source === ENTERED) return null; // a person decided
    const owner =
      creditTo?.affiliate_id ??
      (coupon !== null && counts ? await couponAffiliate(this.app.db, provider, coupon) : null);
    if (owner === null || owner === id) return null;
    const affiliate = await this.app.affiliates.findCredited(owner);
    return affiliate?.status === 'active' && affiliate.id !== id ? affiliate : null;
  }

  async #creditOf(order: Order, owner: Affiliate | null): Promise<CreditState | null> {
    const { affiliate_id, referral_id, draft } = order;
    const affiliate = affiliate_id === null ? null : await this.app.affiliates.find(affiliate_id);
    const referral = referral_id === null ? null : await this.app.referrals.find(referral_id);
    const row = referral ?? draft?.row ?? null;
    if (affiliate === null || row === null) return null;
    if (owner !== null && (await this.#mayMove(order, referral)))
      return { credit: creditFor(owner), referral, isMoved: true };
    const { utm_campaign = null } = row;
    const credit: Credit = {
      affiliate,
      source: 'explicit',
      visit_id: order.visit_id,
      utm_campaign,
      sub_ids: subIdsOf(row),
      click: order.click,
    };
    return { credit, referral, isMoved: false };
  }

  /** A commission that is in a payout, or from which a payout took something back, does not move. */
  async #mayMove({ terms }: Order, referral: Referral | null): Promise<boolean> {
    if (!terms?.pricing) return false;
    if (referral === null) return true;
    const { status, id } = referral;
    if (status === 'paid' || status === 'processing' || status === 'cancelled') return false;
    return (await this.app.referrals.adjustments(id)).length === 0;
  }

  /**
   * What the order earns by its own rates, or by those of another affiliate; of an imported one, only the
   * total is news.
   */
  async #priced(
    terms: OrderTerms,
    {
      conversion,
      credited: { credit, isMoved },
      input,
    }: { conversion: Conversion; credited: CreditState; input: ConversionInput },
    { lines, reasons }: { lines: readonly OrderLine[] | null; reasons: readonly OpenReason[] },
  ): Promise<{ readonly content: OrderContent; readonly pricing: Pricing | null }> {
    if (!terms.pricing) {
      return { content: { ...contentFrom(terms), ...chargedOf(conversion) }, pricing: null };
    }
    const frozen = isMoved
      ? await this.#calculator.pricingOf(terms.pricing, credit, conversion)
      : terms.pricing;
    const commission = await this.#calculator.calculate(conversion, credit, input, { frozen });
    const all = [...reasons, ...reasonsOf([], commission)];
    return { content: contentOf({ conversion, commission, lines, reasons: all }), pricing: frozen };
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
    return !(await this.app.customers.buyers.isBuyer(customer_id, id, buyerOf(conversion)));
  }

  /**
   * The result of the guards for the current buyer. A rule that refuses an order holds one that was credited
   * before, so that a person decides.
   */
  async #guards(
    order: Order,
    { customer }: Conversion,
    { affiliate, visit_id, click = null }: Credit,
  ): Promise<GuardResult> {
    const { email, user_id, payment_fingerprint, ip } = customer;
    const hits = await this.app.fraud.check({
      affiliate,
      buyer: { email, user_id, payment_fingerprint },
      visit_id,
      click,
      isRenewal: false,
      at: order.created_at,
      address: ip,
      signedIn: null,
    });
    const refused = hits.find(({ action }) => action === 'reject')?.rule ?? null;
    return order.referral_id === null
      ? { reasons: hits.flatMap((hit) => (hit.action === 'hold' ? held(hit) : [])), refused }
      : { reasons: hits.flatMap(held), refused: null };
  }

  /** Gives the order its current affiliate and buyer, while it is not paid. */
  async apply(opened: OpenTransaction, order: Order, update: OrderUpdate): Promise<void> {
    const { guarded, moved } = update;
    if (moved !== null) await this.#move(opened, order, moved);
    if (guarded === null) return;
    await this.#rename(opened.trx, moved === null ? order : { ...order, referral_id: null }, update);
    if (moved === null && order.draft !== null && order.referral_id === null)
      await this.app.orders.change(opened.trx, order.id, {
        draft: { ...order.draft, refused: guarded.refused },
      });
  }

  async #move(opened: OpenTransaction, order: Order, { affiliateId, ...to }: CreditMove): Promise<void> {
    const affiliate = await this.app.affiliates.lock(opened.trx, affiliateId);
    if (affiliate?.status !== 'active') fail('busy');
    if (!(await this.app.orders.move(opened, order, { affiliate_id: affiliateId, ...to }))) fail('busy');
  }

  async #rename(trx: Db, order: Order, { conversion }: Pick<OrderUpdate, 'conversion'>): Promise<void> {
    const known = await this.app.customers.buyers.findBuyer(trx, buyerOf(conversion));
    const ip = this.app.tracking.storedAddress(conversion.customer.ip);
    const saved = await this.app.customers.buyers.save(
      trx,
      { ...buyerOf(conversion), ip },
      { known, paid: false },
    );
    if (saved === null) return;
    const customer_id = saved.customer.id;
    await this.app.customers.saveUnconfirmed(
      trx,
      { order_id: order.id, customer_id },
      saved.unconfirmed,
      true,
    );
    if (order.customer_id === customer_id) return;
    const referral =
      order.referral_id === null ? null : await this.app.referrals.writer.lock(trx, order.referral_id);
    if (order.referral_id !== null && referral === null) return;
    await this.app.orders.change(trx, order.id, { customer_id });
    if (referral !== null)
      await this.app.referrals.writer.change(
        trx,
        referral,
        { customer_id },
        { kind: 'adjusted', reason: 'order changed' },
      );
  }
}

/** Money that was received before an order was edited is still there. */
const withDeposit = (
  input: ConversionInput,
  { paid_minor, received_minor: paid = paid_minor, is_paid_told: isReported }: OrderContent,
): ConversionInput =>
  input.order === undefined || input.order.paid !== undefined || paid === undefined || isReported !== true
    ? input
    : { ...input, order: { ...input.order, paid: { minor: paid } } };

const creditFor = (affiliate: Affiliate): Credit => ({
  affiliate,
  source: 'coupon',
  visit_id: null,
  utm_campaign: null,
  sub_ids: NO_SUB_IDS,
});

/** What the order needs to be credited to the owner of its coupon; null when it does not move. */
function movedTo(
  order: Order,
  { credit, referral, isMoved }: CreditState,
  {
    content,
    pricing,
    hash,
    source,
  }: {
    readonly content: OrderContent;
    readonly pricing: Pricing | null;
    readonly hash: string;
    readonly source: string;
  },
): CreditMove | null {
  const { terms } = order;
  const known = referral === null ? order.draft : draftOf(asNew(referral), null);
  if (!isMoved || terms === null || known === null || pricing === null) return null;
  const { capped_from_minor: _capped, ...kept } = terms;
  const type = known.row.type === 'lifetime_sale' ? 'sale' : known.row.type;
  return {
    affiliateId: credit.affiliate.id,
    source,
    terms: { ...kept, ...content, capped_from_minor: null, content_hash: hash, pricing },
    draft: {
      row: {
        ...known.row,
        type,
        utm_campaign: null,
        ...NO_SUB_IDS,
        settings: { ...known.row.settings, source },
      },
      refused: known.refused,
    },
  };
}

/** Rules that only flag hold nothing. */
const held = ({ rule, action }: FraudHit): OpenReason[] => (action === 'flag' ? [] : [`fraud:${rule}`]);

/** A payment that failed is none: until the next one the order can change like one that was never paid. */
function wasPaid(facts: readonly Fact[]): boolean {
  const lastOf = (state: PaymentState): number =>
    Math.max(
      -Infinity,
      ...facts.flatMap(({ at, data }) => (data.kind === 'payment' && data.state === state ? [at] : [])),
    );
  return lastOf('paid') > lastOf('failed');
}

const contents = (facts: readonly Fact[]): string[] =>
  facts.flatMap(({ data }) => (data.kind === 'content' ? [data.hash] : []));

const lastHash = (terms: OrderTerms, facts: readonly Fact[]): string =>
  contents(facts).at(-1) ?? terms.content_hash ?? '';

/** The reasons that do not depend on the amounts. */
const ownReasons = ({ reasons }: OrderContent): OpenReason[] =>
  reasons.filter((reason) => reason !== 'totals_mismatch' && reason !== 'currency_mismatch');

/** The current reasons: those of the guards for the new buyer, and all other reasons unchanged. */
const reasonsNow = (known: OrderContent, guarded: GuardResult | null): OpenReason[] =>
  guarded === null
    ? ownReasons(known)
    : [...ownReasons(known).filter((reason) => !reason.startsWith('fraud:')), ...guarded.reasons];

const contentFrom = ({
  flat_rule: _rule,
  counts: _counts,
  capped_from_minor: _capped,
  content_hash: _hash,
  pricing: _pricing,
  limit: _limit,
  limits: _limits,
  ...content
}: OrderTerms): OrderContent => content;

/**
 * What is stored of an update; null when the order was reported like this before. Content is stored once for
 * each hash. The hash includes its reasons, unless they are those of the first report.
 */
export const contentToStore =
  ({ reported, guarded }: OrderUpdate): MakeContent =>
  ({ terms }, facts) => {
    if (terms === null || (reported === null && guarded === null)) return null;
    const known = latest(terms, facts);
    const knownHash = lastHash(terms, facts);
    if (reported === null) {
      const content = { ...known, reasons: reasonsNow(known, guarded) };
      return sameWords(content.reasons, known.reasons)
        ? null
        : { hash: withReasons(knownHash, content), content };
    }
    const { content } = reported;
    const isPlain = sameWords(ownReasons(content), ownReasons(terms));
    const hash = isPlain ? reported.hash : withReasons(reported.hash, content);
    return hash === knownHash ? null : { hash, content };
  };

const withReasons = (hash: string, { reasons }: OrderContent): string => `${hash}:${reasons.join()}`;

function latest(terms: OrderTerms, facts: readonly Fact[]): OrderContent {
  const bodies = new Map<string, OrderContent>();
  for (const { data } of facts)
    if (data.kind === 'content' && data.content !== null) bodies.set(data.hash, data.content);
  return bodies.get(contents(facts).at(-1) ?? '') ?? contentFrom(terms);
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));
