import type { IncomingMessage } from 'node:http';
import { siteDay } from '../../core/dates.js';
import { orderKey } from '../../core/order-key.js';
import type { Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import { clientAddress } from '../../platform/http/client-address.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { FraudHit, OrderToCheck, LatestClick, Suspect } from '../fraud/types.js';
import type { CustomerName, FoundBuyer } from '../../accounting/customers/types.js';
import type { First, Opening, OpenTransaction } from '../../accounting/orders/service.js';
import type { NewFact, OpenReason, OrderLimit, OrderLine } from '../../accounting/orders/types.js';
import type { NewReferral, Referral, ReferralStatus } from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';
import { CommissionMaker, type PricedCommission } from './amount.js';
import type { RenewalTerms } from './commission.js';
import { Attribution, type Attributed, type Credit } from './attribution.js';
import { customerLimit } from './cap.js';
import { isVetoed, orderData } from './guards.js';
import { buyerOf, checkConversion, nameOf } from './input.js';
import { differences, fingerprint } from './fingerprint.js';
import { isLead } from './lead-repository.js';
import { Renewals, type Renewed } from './renewal.js';
import { countSkip, firstOfCustomer, insertSkipped } from './repository.js';
import { draftOf, filteredRow, reasonsOf, referralRow, suspected, termsOf } from './row.js';
import {
  isNobodys,
  skip,
  type Conversion,
  type ConversionInput,
  type ReportedInput,
  type Skip,
  type SkipReason,
} from './types.js';

export interface RecordOutcome {
  readonly referral: Referral | null;
  readonly created: boolean;
  readonly reason: SkipReason | null;
}

/**
 * Rows of the caller that are stored together with the conversion. The functions may run more than once, so
 * they change only the database.
 */
export interface CallersRows {
  /** Called before any other lock. `skipped` is set when nothing will be credited. */
  begin(trx: Db, skipped: SkipReason | null): Promise<void>;
  end(opened: OpenTransaction, recorded: RecordOutcome): Promise<void>;
  /** The buyer's click on a link of the affiliate whose coupon credits the order. */
  readonly couponClick?: number | null;
  /** What the caller knows about the order in addition to the conversion. */
  readonly order?: {
    /** When the order was paid; null when it is not paid. */
    readonly paid_at: number | null;
    readonly reasons: readonly OpenReason[];
    readonly lines: readonly OrderLine[];
    readonly source: string | null;
    readonly facts: readonly NewFact[];
  };
}
/** What the caller has of the buyer. */
export interface Sent {
  /** The buyer's own request. */
  readonly req: IncomingMessage | null;
  /** The click that set or renewed the cookie, when the caller knows it. */
  readonly click?: LatestClick | null;
}
interface PreparedReferral {
  readonly kind: 'ready';
  readonly row: NewReferral;
  readonly credit: Credit;
  readonly conversion: Conversion;
  readonly commission: PricedCommission;
  readonly hits: readonly FraudHit[];
  /** The status that an extension has set; null when it has set none. */
  readonly statusByExtension: ReferralStatus | null;
  readonly renewal?: RenewalTerms;
  /** Why it earns nothing as it is now; null when it earns. It is judged again when the order changes. */
  readonly waits: SkipReason | null;
}
/** What is known of an order that is about to be judged. */
interface RecordContext {
  readonly input: ConversionInput;
  readonly req: IncomingMessage | null;
  readonly mark: string;
  /** A shop's order, which is judged again whenever the shop reports it. */
  readonly isShops: boolean;
  /** What the rules say of the click that set or renewed the visitor's cookie. */
  readonly click: LatestClick | null;
  /** Set when the caller found the affiliate by a coupon: the buyer's click on a link of that affiliate. */
  readonly coupon: { readonly clicked_at: number | null } | null;
}
/** Set when the caller found the affiliate by a coupon. */
const couponOf = (callersRows: CallersRows | undefined): RecordContext['coupon'] =>
  callersRows?.order?.source === 'coupon' ? { clicked_at: callersRows.couponClick ?? null } : null;

/** The source of a lead knows whose sign-up it was, so the customer's names count at once. */
const isPaidNow = (ready: PreparedReferral, callersRows: CallersRows | undefined): boolean =>
  ready.conversion.lead !== null || paidAt(ready, callersRows?.order, 0) !== null;

const DELETED: RecordOutcome = { referral: null, created: false, reason: 'deleted' };
/** Reasons that may end by themselves: an order before it is refunded, or its first payment is approved. */
const ENDED_BY_OTHERS: readonly SkipReason[] = ['commission_cap', 'renewal_limit', 'parent_rejected'];
/** Reasons that end when the order is edited before it is paid. The others are fraud rules. */
const NOTHING_EARNED: readonly SkipReason[] = ['zero_amount', ...ENDED_BY_OTHERS];
/** What was read under the lock. */
interface RowsUnderLock {
  readonly callersRows: CallersRows | undefined;
  readonly first: First | null;
  readonly groupId: number | null;
  /** The buyer was unknown before, so there is no earlier order to look for. */
  readonly isNewBuyer: boolean;
  readonly waiting: readonly CustomerName[];
  readonly limits: readonly OrderLimit[];
  /** What the limits leave; null without any. */
  readonly left_minor: number | null;
}
/** The buyer, if known. */
interface Buyer {
  readonly customerId: number | null;
  readonly isNew: boolean;
  /** The buyer's first order by this affiliate. */
  readonly first: Referral | null;
  readonly waiting: readonly CustomerName[];
}
/** The data for storing an order: the affiliate, the caller's rows, and why nothing is credited. */
interface StoreContext {
  readonly affiliateId: number | null;
  readonly callersRows: CallersRows | undefined;
  readonly skipped?: SkipReason | null;
}

/**
 * Reasons by which a person or a bank has rejected the customer's first order; later orders then earn nothing
 * either. Other reasons only end lifetime commissions.
 */
const FRAUDULENT: readonly (string | null)[] = ['manual', 'disputed'];

/**
 * The same order was stored by somebody else in the meantime. It is thrown so that this transaction stores
 * nothing.
 */
class AlreadyStored extends Error {
  constructor(readonly stored: Referral) {
    super('stored already');
  }
}

/** The order exists, but its referral was deleted while this one was made. */
class Gone extends Error {}

/**
 * Turns an order into a referral: attribution, guards and filters come first, then everything is stored in
 * one transaction.
 */
export class Recorder {
  readonly #attribution: Attribution;
  readonly #commissions: CommissionMaker;
  readonly #renewals: Renewals;

  constructor(
    private readonly app: Deps,
    /** Called when a customer has paid for an order, also for one that credits nobody. */
    private readonly paid: (customerId: number) => Promise<void>,
  ) {
    this.#attribution = new Attribution(app);
    this.#commissions = new CommissionMaker(app);
    this.#renewals = new Renewals(app);
  }

  /**
   * When `callersRows` are given, a repeat is answered with the stored order even if its data differ: the
   * caller's rows decide.
   */
  async record(
    { req, click = null }: Sent,
    input: ReportedInput,
    callersRows?: CallersRows,
  ): Promise<RecordOutcome> {
    const { currency } = await this.app.settings.referralConfig();
    const program = { currency, now: this.app.clock.now() };
    const submitted = checkConversion(input, program);
    const mark = fingerprint(input);
    const { known, isDeleted } = await this.#findStored(submitted);
    if (known) return this.#repeated(known, mark, callersRows);
    if (isDeleted) return DELETED;
    const filtered = await this.#filtered(input);
    if (filtered === null) return this.#skip(submitted, skip('no_order_data', null), callersRows);
    const conversion = filtered === input ? submitted : checkConversion(filtered, program);
    const prepared = await this.#prepare(conversion, {
      input: filtered,
      req,
      mark,
      isShops: callersRows !== undefined,
      click,
      coupon: couponOf(callersRows),
    });
    if (prepared.kind === 'skip') return this.#skip(conversion, prepared, callersRows);
    return this.#storeOnce(prepared, mark, callersRows);
  }

  /** Stores it, unless another request has stored or deleted the order meanwhile. */
  async #storeOnce(
    ready: PreparedReferral,
    mark: string,
    callersRows: CallersRows | undefined,
  ): Promise<RecordOutcome> {
    try {
      return await this.#withinTransaction({ affiliateId: ready.row.affiliate_id, callersRows }, (opened) =>
        this.#store(ready, opened, callersRows),
      );
    } catch (error) {
      if (error instanceof AlreadyStored) return this.#repeated(error.stored, mark, callersRows);
      if (error instanceof Gone) return DELETED;
      throw error;
    }
  }

  /** The commission of this order, also one that a person entered for it. */
  async #findStored(submitted: Conversion): Promise<{ known: Referral | null; isDeleted: boolean }> {
    const name = nameOf(submitted.provider, submitted);
    const [stored, order, entered] = await this.app.db.pipeline(
      () => this.app.referrals.findByKey(keyOf(submitted)),
      () => this.app.orders.find(name),
      () => this.app.orders.entered(name),
    );
    const known = stored ?? (entered === null ? null : await this.app.referrals.find(entered));
    return { known, isDeleted: order !== null && order.deleted_at !== null };
  }

  /**
   * Stores several orders with one commit: orders of one affiliate lock its row anyway, so those that arrive
   * together share a transaction.
   */
  async #withinTransaction(
    { affiliateId, callersRows, skipped = null }: StoreContext,
    work: (opened: OpenTransaction) => Promise<RecordOutcome>,
  ): Promise<RecordOutcome> {
    return this.app.sharedTransaction(String(affiliateId), async (trx, afterCommit) => {
      await callersRows?.begin(trx, skipped);
      const recorded = await work({ trx, afterCommit });
      await callersRows?.end({ trx, afterCommit }, recorded);
      return recorded;
    });
  }

  async #repeated(
    stored: Referral,
    mark: string,
    callersRows: CallersRows | undefined,
  ): Promise<RecordOutcome> {
    if (!callersRows) return repeated(stored, mark);
    return this.#withinTransaction({ affiliateId: stored.affiliate_id, callersRows }, async () =>
      duplicate(stored),
    );
  }

  /**
   * The checked order after the provider's extensions have changed it. When they leave nothing, there is no
   * referral.
   */
  async #filtered(input: ReportedInput): Promise<ReportedInput | null> {
    const name = `formatted_order_data_by_${input.provider}` as const;
    if (!this.app.hooks.isUsed(name)) return input;
    const response = await this.app.hooks.applyFilters(name, orderData(input), input.vendor_order ?? null);
    if (response === null || Object.keys(response).length === 0) return null;
    const { provider, reference = null, sub_reference: sub = null, account = '' } = input;
    // A filter cannot change the key of the order, because the key was already looked up.
    return {
      ...input,
      ...(response as Partial<ConversionInput>),
      provider,
      reference,
      sub_reference: sub,
      account,
    };
  }

  async #prepare(given: Conversion, context: RecordContext): Promise<PreparedReferral | Skip> {
    const conversion = context.isShops ? given : await this.#ofSubscription(given);
    const credited = upgraded(conversion, await this.#credited(conversion, context.req));
    if (credited.kind === 'skip') return credited;
    const { credit } = credited;
    const clicked = { ...credit, click: credit.click ?? context.click };
    return this.#guarded(conversion, { ...credited, credit: clicked }, context);
  }

  /** Asks the rules against fraud and the extensions, and computes the commission. */
  async #guarded(
    conversion: Conversion,
    { credit, renewal, waits }: Attributed | Renewed,
    context: RecordContext,
  ): Promise<PreparedReferral | Skip> {
    const affiliateId = credit.affiliate.id;
    const hits = await this.app.fraud.check(await this.#suspect(conversion, credit, context));
    const rejected = hits.find((hit) => hit.action === 'reject');
    // A shop reports the whole order again, which is then judged as if it were new.
    const isFinal = context.isShops || conversion.status === 'unpaid' || renewal !== undefined;
    if (rejected && isFinal) return skip(rejected.rule, affiliateId, hits);
    if (await isVetoed(this.app, conversion, credit.affiliate, { input: context.input, hits }))
      return skip('refused', affiliateId);
    const priced = await this.#priced(conversion, { credit, ...(renewal && { renewal }) }, { hits, context });
    if (renewal?.ended && !priced.ready.commission.ruled) return skip(renewal.ended, affiliateId);
    if (priced.isDropped && context.isShops) return skip('zero_amount', affiliateId);
    return { ...priced.ready, waits: waitsFor(rejected, priced.isDropped, waits) };
  }

  async #priced(
    conversion: Conversion,
    { credit, renewal }: { readonly credit: Credit; readonly renewal?: RenewalTerms },
    { hits, context }: { readonly hits: readonly FraudHit[]; readonly context: RecordContext },
  ): Promise<{ readonly ready: Omit<PreparedReferral, 'waits'>; readonly isDropped: boolean }> {
    const commission = await this.#commissions.make(conversion, credit, context.input, {
      ...(renewal && { renewal }),
    });
    const parts = {
      conversion,
      credit,
      commission,
      fingerprint: context.mark,
      ...(renewal && { parent: renewal.parent }),
    };
    const asked = suspected(referralRow(parts), hits);
    const { provider } = conversion;
    const { row, isDropped } = await filteredRow(this.app, asked, {
      provider,
      keepZero: commission.mismatch,
    });
    const statusByExtension = row.status === asked.status ? null : row.status;
    const ready = {
      kind: 'ready' as const,
      row,
      credit,
      conversion,
      commission,
      hits,
      statusByExtension,
      ...(renewal && {
        renewal: commission.ruled ? { ...renewal, max: commission.payments ?? 0 } : renewal,
      }),
    };
    return { ready, isDropped };
  }

  /** Every later payment of a known subscription is a renewal, whatever its source calls it. */
  async #ofSubscription(conversion: Conversion): Promise<Conversion> {
    const { provider, reference, subscription } = conversion;
    if (subscription?.phase !== 'first') return conversion;
    const first = await this.app.referrals.firstOfSubscription(provider, subscription.id);
    return first === null || first.provider_id === reference
      ? conversion
      : { ...conversion, subscription: { ...subscription, phase: 'renewal' } };
  }

  /** The credited affiliate; for a renewal, the affiliate of its first payment. */
  async #credited(conversion: Conversion, req: IncomingMessage | null): Promise<Attributed | Renewed | Skip> {
    return conversion.subscription?.phase === 'renewal'
      ? this.#renewals.find(conversion)
      : this.#attribution.find(conversion, req);
  }

  /**
   * The person who sends the request is the buyer, unless staff entered the order or a subscription was
   * renewed.
   */
  async #suspect(
    conversion: Conversion,
    credit: Credit,
    context: Pick<RecordContext, 'req' | 'coupon'>,
  ): Promise<Suspect> {
    const { req } = context;
    const { customer, created_by_staff: byStaff, subscription, ordered_at: at } = conversion;
    const isRenewal = subscription?.phase === 'renewal';
    const present = byStaff || isRenewal ? null : req;
    const { email, user_id, payment_fingerprint, ip } = customer;
    return {
      affiliate: credit.affiliate,
      buyer: { email, user_id, payment_fingerprint },
      visit_id: credit.visit_id,
      click: credit.click ?? null,
      coupon:
        credit.source === 'coupon' ? await this.#couponClick(conversion, credit, present) : context.coupon,
      isRenewal,
      at: at ?? this.app.clock.now(),
      address: ip ?? (present === null ? null : clientAddress(present, this.app.options.tracking.trustProxy)),
      signedIn: present === null ? null : ((await this.app.host.currentUser(present))?.id ?? null),
    };
  }

  /** Looked for only while the rule about coupons without clicks is on. */
  async #couponClick(
    conversion: Conversion,
    credit: Credit,
    req: IncomingMessage | null,
  ): Promise<{ readonly clicked_at: number | null } | null> {
    const { codeWithoutClick: action } = (await this.app.settings.rules()).fraud;
    return action === 'off'
      ? null
      : { clicked_at: await this.#attribution.couponClick(credit, conversion, req) };
  }

  async #store(
    ready: PreparedReferral,
    { trx, afterCommit }: OpenTransaction,
    callersRows?: CallersRows,
  ): Promise<RecordOutcome> {
    const { row, credit, conversion, renewal } = ready;
    const skipped = (reason: SkipReason, affiliateId: number | null): Promise<RecordOutcome> =>
      this.#skipped(conversion, skip(reason, affiliateId), { trx, afterCommit });
    // What the guards checked is checked again under the lock.
    const [affiliate, known] = await trx.pipeline(
      () => this.app.affiliates.lock(trx, row.affiliate_id),
      async () => (renewal ? null : this.app.customers.findBuyer(trx, buyerOf(conversion))),
    );
    const refused = await this.#refusedUnderLock(ready, affiliate);
    if (refused !== null || affiliate === null)
      return skipped(refused ?? 'affiliate_inactive', affiliate?.id ?? null);
    const paid = isPaidNow(ready, callersRows);
    const buyer = await this.#buyer(trx, ready, { affiliateId: affiliate.id, known, paid });
    const { customerId, isNew, first, waiting } = buyer;
    if (first && hasEnded(first, credit)) return skipped('first_rejected', affiliate.id);
    if (await this.#isKnownLead(trx, conversion, customerId)) return skipped('lead_known', affiliate.id);
    const followed = await this.#follows(ready, first);
    const withBuyer = { ...ready, row: { ...row, customer_id: customerId } };
    const limited = await this.#limited(trx, withBuyer, followed);
    const seen = {
      groupId: affiliate.group_id,
      isNewBuyer: isNew,
      waiting,
      callersRows,
      first: followed,
      ...limited,
    };
    const waits = ready.waits ?? fullFor(ready, limited.full);
    if (waits !== null) return this.#wait({ ...withBuyer, waits }, seen, { trx, afterCommit });
    return this.#credit(
      { ...withBuyer, row: capped(withBuyer.row, limited.left_minor) },
      { trx, afterCommit },
      seen,
    );
  }

  /** A lead pays once per customer; under the customer's lock, so that only one of two at once is the first. */
  async #isKnownLead(trx: Db, { lead }: Conversion, customerId: number | null): Promise<boolean> {
    if (lead === null || customerId === null) return false;
    await this.app.customers.lock(trx, customerId);
    return isLead(trx, customerId);
  }

  /** A lead binds its customer at once, unless a rule holds it for a person. */
  async #bindLead({ trx, afterCommit }: OpenTransaction, lead: Referral): Promise<void> {
    const { customer_id: customerId, affiliate_id: affiliateId } = lead;
    if (customerId === null || affiliateId === null) return;
    if (!(await this.app.customers.bind(trx, customerId, affiliateId, lead.created_at))) return;
    if (!this.app.hooks.isUsed('customer_linked')) return;
    afterCommit(async () => {
      const linked = await this.app.customers.find(customerId);
      const affiliate = await this.app.affiliates.find(affiliateId);
      if (linked && affiliate) await this.app.hooks.doAction('customer_linked', linked, affiliate, null);
    });
  }

  /**
   * Stores an order that earns nothing as it is now, so that it can be judged again; it is told as not
   * credited.
   */
  async #wait(
    ready: PreparedReferral & { readonly waits: SkipReason },
    { callersRows, first, limits, left_minor }: RowsUnderLock,
    opened: OpenTransaction,
  ): Promise<RecordOutcome> {
    const { conversion, row, waits, hits } = ready;
    const isRefused = !NOTHING_EARNED.includes(waits);
    const skipped = skip(waits, row.affiliate_id, hits.length === 0 ? undefined : hits);
    // Without the record of its first payment, nothing tells when a renewal may earn.
    if (ready.renewal === undefined || first !== null)
      await this.app.orders.wait(
        opened,
        await this.#opening(ready, callersRows, { first, limits, left_minor }),
        {
          draft: draftOf(row, isRefused ? waits : null),
          decision: waits,
          affiliate_id: row.affiliate_id,
          customer_id: isRefused ? null : (row.customer_id ?? null),
          visit_id: row.visit_id ?? null,
        },
      );
    return this.#skipped(conversion, skipped, opened);
  }

  /** Why the order is not credited after all, as the affiliate and its renewals are under the lock. */
  async #refusedUnderLock(
    { row, renewal }: PreparedReferral,
    affiliate: Pick<Affiliate, 'status'> | null,
  ): Promise<SkipReason | null> {
    // merged into another affiliate in the meantime: when the order is reported again, it is credited to that
    // one
    if (affiliate === null && (await this.app.affiliates.findCredited(row.affiliate_id))) fail('busy');
    if (affiliate?.status !== 'active') return 'affiliate_inactive';
    return renewal && !(await this.#renewals.isKnown(renewal)) ? 'parent_unknown' : null;
  }

  /** The limits of the order, what they leave, and which of them leaves nothing. */
  async #limited(
    trx: Db,
    { row, renewal, commission }: PreparedReferral,
    first: First | null,
  ): Promise<Pick<RowsUnderLock, 'limits' | 'left_minor'> & { readonly full: SkipReason | null }> {
    const order = {
      affiliate_id: row.affiliate_id,
      customer_id: row.customer_id ?? null,
      currency: row.currency ?? '',
      first_order_id: first?.order.id ?? null,
      created_at: this.app.clock.now(),
    };
    const ofCustomer = await customerLimit(this.app, row);
    const ofRenewals = renewal && renewal.max > 0 ? { kind: 'renewals' as const, count: renewal.max } : null;
    const limits = [ofCustomer, ofRenewals, ...commission.limits].filter((limit) => limit !== null);
    const leaves = async (limit: OrderLimit | null): Promise<number | null> =>
      limit && this.app.orders.leftOf(trx, [limit], order);
    const counted = first === null && renewal !== undefined && (await this.#renewals.isOver(renewal));
    if (counted || (await leaves(ofRenewals)) === 0) return { limits, left_minor: 0, full: 'renewal_limit' };
    const others = limits.filter((limit) => limit !== ofRenewals);
    const left = await this.app.orders.leftOf(trx, others, order);
    return { limits, left_minor: left, full: left === 0 ? 'commission_cap' : null };
  }

  /** A renewal follows its first payment, a lifetime sale the customer's first order. */
  async #follows({ renewal, credit }: PreparedReferral, first: Referral | null): Promise<First | null> {
    if (renewal) return this.app.orders.firstOf(renewal.parent, true);
    return credit.source === 'lifetime' ? this.app.orders.firstOf(first, false) : null;
  }

  async #credit(
    ready: PreparedReferral,
    { trx, afterCommit }: OpenTransaction,
    { callersRows, first, groupId, isNewBuyer, waiting, limits, left_minor }: RowsUnderLock,
  ): Promise<RecordOutcome> {
    const { row, conversion } = ready;
    const duplicate = isNewBuyer ? null : await this.#duplicatePurchase(trx, ready);
    const hits = duplicate === null ? ready.hits : [...ready.hits, duplicate];
    if (duplicate?.action === 'reject')
      return this.#skipped(conversion, skip(duplicate.rule, row.affiliate_id, hits), { trx, afterCommit });
    const checkedReferral = duplicate === null ? ready : { ...ready, row: suspected(row, hits), hits };
    const opening = await this.#opening(checkedReferral, callersRows, { first, limits, left_minor });
    return this.#insert({ ...checkedReferral, groupId, waiting, isNewBuyer }, opening, { trx, afterCommit });
  }

  async #insert(
    {
      row,
      conversion,
      commission,
      hits,
      renewal,
      groupId,
      waiting,
      isNewBuyer,
    }: PreparedReferral & Pick<RowsUnderLock, 'groupId' | 'waiting' | 'isNewBuyer'>,
    opening: Opening,
    { trx, afterCommit }: OpenTransaction,
  ): Promise<RecordOutcome> {
    const due = this.app.orders.computeDue(opening);
    const checkedRow = {
      ...row,
      status: due.status,
      amount_minor: due.amount,
      reject_reason: due.reject_reason,
      ...(row.order_total_minor !== null && { order_total_minor: due.base }),
    };
    const { referral, created } = await this.app.referrals.books.insert(trx, checkedRow, {
      kind: 'earned',
      groupId,
      beside: async (inserted) => {
        const order = await this.app.orders.open({ trx, afterCommit }, opening, { referral: inserted, due });
        // Its order is still stored when the referral was deleted in the meantime.
        if (order === null) throw new Gone();
        if (waiting.length > 0 && inserted.customer_id !== null)
          await this.app.customers.wait(
            trx,
            { order_id: order.id, customer_id: inserted.customer_id },
            waiting,
          );
      },
    });
    if (!created) throw new AlreadyStored(referral);
    const isHeld = hits.some(({ action }) => action !== 'flag');
    if (conversion.lead !== null && !isHeld) await this.#bindLead({ trx, afterCommit }, referral);
    const { customer_id: customerId } = referral;
    // A new buyer was no lead before.
    if (!isNewBuyer && customerId !== null && due.is_paid && opening.terms.grand_total_minor > 0)
      afterCommit(() => this.paid(customerId));
    const suspicion = await this.app.fraud.save(trx, hits, judged(conversion, row.affiliate_id, referral.id));
    afterCommit(async () => {
      await this.app.referrals.announce(referral);
      if (renewal) await this.app.hooks.doAction('recurring_referral_created', referral);
      await this.app.fraud.announce(suspicion);
    });
    const isOver = opening.left_minor === 0 && row.amount_minor > 0 ? 'commission_cap' : null;
    return { referral, created, reason: commission.mismatch ? 'currency_mismatch' : isOver };
  }

  async #opening(
    ready: PreparedReferral,
    callersRows: CallersRows | undefined,
    { first, limits, left_minor }: Pick<RowsUnderLock, 'first' | 'limits' | 'left_minor'>,
  ): Promise<Opening> {
    const { row, conversion, commission, credit, statusByExtension } = ready;
    const { refundFlat } = await this.app.settings.rules();
    const { lines, reasons, source, facts } = callersRows?.order ?? NOTHING_KNOWN;
    const now = this.app.clock.now();
    return {
      name: nameOf(conversion.provider, conversion),
      currency: conversion.currency,
      terms: termsOf(
        row,
        { conversion, commission },
        {
          flat_rule: refundFlat,
          limits,
          lines,
          reasons: openReasons(ready, reasons),
        },
      ),
      paid_at: paidAt(ready, callersRows?.order, now),
      first,
      left_minor,
      subscription_id: conversion.subscription?.phase === 'first' ? conversion.subscription.id : null,
      source: source ?? credit.source,
      click: credit.click ?? null,
      facts: [...facts, ...(statusByExtension === 'rejected' ? [rejectedFact(now)] : [])],
    };
  }

  /**
   * Was this purchase already reported by another provider: the same customer, total and currency within a
   * day?
   */
  async #duplicatePurchase(trx: Db, { row, conversion }: PreparedReferral): Promise<FraudHit | null> {
    const { sameOrder: action } = (await this.app.settings.rules()).fraud;
    if (action === 'off' || row.type === 'recurring_sale') return null;
    const has = await this.app.orders.hasDuplicatePurchase(trx, {
      provider: conversion.provider,
      customer_id: row.customer_id ?? null,
      total_minor: conversion.totals?.grand_total ?? 0,
      currency: conversion.currency,
      at: this.app.clock.now(),
    });
    return has ? { rule: 'same_order', action, evidence: {} } : null;
  }

  /** The customer, stored now or found. A renewal has the customer of its first payment. */
  async #buyer(
    trx: Db,
    { conversion, renewal }: PreparedReferral,
    {
      affiliateId,
      known,
      paid,
    }: { readonly affiliateId: number; readonly known: FoundBuyer | null; readonly paid: boolean },
  ): Promise<Buyer> {
    const nobody = { customerId: null, isNew: false, first: null, waiting: [] };
    if (renewal) return { ...nobody, customerId: renewal.parent.customer_id };
    const ip = this.app.tracking.storedAddress(conversion.customer.ip);
    const buyer = await this.app.customers.save(trx, { ...buyerOf(conversion), ip }, { known, paid });
    if (buyer === null) return nobody;
    const { isNew, waiting } = buyer;
    const { id } = buyer.customer;
    const first = isNew ? null : await this.#firstOf(trx, affiliateId, id);
    return { customerId: id, isNew, first, waiting };
  }

  /** The customer's first order by this affiliate. */
  async #firstOf(trx: Db, affiliateId: number, customerId: number): Promise<Referral | null> {
    const id = await firstOfCustomer(trx, affiliateId, customerId);
    return id === null ? null : this.app.referrals.find(id);
  }

  async #skip(
    conversion: Conversion,
    skipped: Skip,
    callersRows: CallersRows | undefined,
  ): Promise<RecordOutcome> {
    const { totals, status } = conversion;
    if (isNobodys(skipped.reason) && status === 'unpaid' && (totals?.grand_total ?? 0) > 0)
      await this.#boughtAlone(conversion);
    if (callersRows || skipped.hits)
      return this.#withinTransaction(
        { affiliateId: skipped.affiliateId, callersRows, skipped: skipped.reason },
        (opened) => this.#skipped(conversion, skipped, opened),
      );
    await this.#writeSkip(conversion, skipped);
    return { referral: null, created: false, reason: skipped.reason };
  }

  async #boughtAlone(conversion: Conversion): Promise<void> {
    const customerId = await this.app.customers.boughtAlone(buyerOf(conversion));
    if (customerId !== null) await this.paid(customerId);
  }

  async #skipped(
    conversion: Conversion,
    skipped: Skip,
    { trx, afterCommit }: OpenTransaction,
  ): Promise<RecordOutcome> {
    await this.#writeSkip(conversion, skipped);
    if (skipped.hits && skipped.affiliateId !== null) {
      const suspicion = await this.app.fraud.save(
        trx,
        skipped.hits,
        judged(conversion, skipped.affiliateId, null),
      );
      afterCommit(() => this.app.fraud.announce(suspicion));
    }
    return { referral: null, created: false, reason: skipped.reason };
  }

  async #writeSkip(
    { provider, reference, sub_reference: sub }: Conversion,
    { reason, affiliateId }: Skip,
  ): Promise<void> {
    const now = this.app.clock.now();
    if (isNobodys(reason)) await countSkip(this.app.db, siteDay(now, this.app.host.site().timeZone), reason);
    else
      await insertSkipped(this.app.db, {
        provider,
        provider_id: reference ?? sub ?? '',
        reason,
        affiliate_id: affiliateId,
        created_at: now,
      });
  }
}

/** Does the rejection of the customer's first order by this affiliate end later commissions? */
function hasEnded({ status, reject_reason: reason }: Referral, { source }: Credit): boolean {
  if (status !== 'rejected') return false;
  return source === 'lifetime' ? reason !== 'failed' : FRAUDULENT.includes(reason);
}

/** An upgrade earns nothing, whatever else would keep it from earning. */
function upgraded<C extends Attributed | Renewed>({ upgrade }: Conversion, credited: C | Skip): C | Skip {
  const id = credited.kind === 'skip' ? credited.affiliateId : credited.credit.affiliate.id;
  return upgrade && id !== null ? skip('upgrade_order', id) : credited;
}

const waitsFor = (
  rejected: FraudHit | undefined,
  isDropped: boolean,
  waits: SkipReason | undefined,
): SkipReason | null => rejected?.rule ?? (isDropped ? 'zero_amount' : (waits ?? null));

/** The limit that keeps an order from earning. The first payment of a subscription is booked at 0, because its renewals follow it. */
const fullFor = ({ row, conversion }: PreparedReferral, full: SkipReason | null): SkipReason | null =>
  row.amount_minor > 0 && conversion.subscription?.phase !== 'first' ? full : null;

/** Notes on the row that a limit leaves less than the order earned. */
const capped = (row: NewReferral, left: number | null): NewReferral =>
  left === null || left >= row.amount_minor
    ? row
    : { ...row, settings: { ...row.settings, capped_from_minor: row.amount_minor } };

/** What is known about an order when the caller gives only a conversion. */
const NOTHING_KNOWN = { lines: null, reasons: [], source: null, facts: [] };

/**
 * The open reasons of an order. An extension that sets pending adds a reason; one that sets unpaid removes
 * all.
 */
function openReasons(
  { statusByExtension, hits, commission }: PreparedReferral,
  given: readonly OpenReason[],
): readonly OpenReason[] {
  if (statusByExtension === 'unpaid') return [];
  const held = statusByExtension === 'pending' ? (['manual'] as const) : [];
  return [...reasonsOf(hits, commission), ...given, ...held];
}

function paidAt(
  { statusByExtension, conversion }: PreparedReferral,
  given: CallersRows['order'],
  now: number,
): number | null {
  const told = given ? given.paid_at : conversion.status === 'unpaid' ? now : null;
  return statusByExtension === 'unpaid' ? (told ?? now) : told;
}

const rejectedFact = (at: number): NewFact => ({
  key: `judgement:${at}`,
  at,
  data: { kind: 'judgement', verdict: 'rejected', reason: 'extension', clears: [] },
});

const keyOf = ({ provider, reference, sub_reference: sub, account }: Conversion): string =>
  orderKey(provider, { reference, sub_reference: sub, account });

const judged = (
  { provider, reference, sub_reference: sub, customer }: Conversion,
  affiliateId: number,
  referralId: number | null,
): OrderToCheck => ({
  affiliate_id: affiliateId,
  referral_id: referralId,
  provider,
  provider_id: reference ?? sub ?? '',
  buyer: customer,
});

/**
 * Answers an order whose key is already stored: with the stored referral when the data are equal, else with
 * an error that names the fields that differ.
 */
function repeated(stored: Referral, mark: string): RecordOutcome {
  const fields = stored.payload_hash === null ? [] : differences(stored.payload_hash, mark);
  if (fields.length > 0)
    fail('conversion_conflict', {
      data: { fields },
      message: `This conversion was recorded with different data: ${fields.join(', ')}. Report changes with conversions.update.`,
    });
  return duplicate(stored);
}

const duplicate = (stored: Referral): RecordOutcome => ({
  referral: stored,
  created: false,
  reason: 'duplicate',
});
