import type { IncomingMessage } from 'node:http';
import { toWire } from '../../core/money.js';
import { orderKey } from '../../core/order-key.js';
import { offsetOf, type Page } from '../../core/page.js';
import { DAY } from '../../core/duration.js';
import { NO_SUB_IDS } from '../../core/sub-ids.js';
import { failFields } from '../../errors.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { BeforeFacts, MakeContent } from '../../accounting/orders/service.js';
import { orderPaid } from '../../accounting/orders/domain-events.js';
import type { DisputeState, LatestClick, Order, OrderLine, Settled } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { checkAllKeys, checkName, checkPaid, checkRequest, checkUpdate } from './known-keys.js';
import { Giving } from './giving.js';
import type { GiveDto } from './schemas.js';
import { Leads } from './leads.js';
import type { OrderReport, RecordOutcome, ShopReport } from './order-report.js';
import { qualifyLeadsOf, qualifyPaidLeads } from './lead-qualification.js';
import { reportOrder } from './report.js';
import { couponAffiliate } from './coupon-repository.js';
import { Coupons, type CouponBound, type CouponQuery } from './coupons.js';
import type { CouponDto, CouponChangeDto } from './coupon-schemas.js';
import {
  countSkipped,
  listSkipped,
  purgeSkipped,
  skippedByReason,
  type Skipped,
  type SkippedFilter,
} from './repository.js';
import { CommissionMaker } from './amount.js';
import { reprice } from './reprice.js';
import { Renewals } from './renewal.js';
import { checkConversion, disputeStateOf, endOf, nameOf, paidOf } from './input.js';
import { refundOf } from './refund-input.js';
import { UnknownBuyers } from './unknown-buyers.js';
import { contentToStore, OrderUpdates, type CreditTo, type OrderUpdate } from './updating.js';
import type {
  BonusInput,
  ChangeResult,
  ConversionInput,
  ConversionResult,
  ConvertedReferral,
  LeadInput,
  LeadKey,
  OrderKey,
  PaidInput,
  RefundInput,
  RejectReason,
  RulesTried,
  SkipReason,
  TriedRules,
  UpdateInput,
} from './types.js';

export type { RecordOutcome, ShopReport } from './order-report.js';
export type { CreditTo } from './updating.js';

/** The name of a bonus; the provider reports nothing else. */
const bonusKey = (affiliate: number, rule: string, window: string) => ({
  provider: 'goals',
  reference: rule,
  sub_reference: `bonus:${affiliate}:${window}`,
});

const UNKNOWN: ChangeResult = { referral: null, changed: false, reason: 'unknown_order' };

/** A reported order, ready to be stored in a transaction. */
export interface PreparedUpdate {
  readonly content: MakeContent;
  /** Gives the order its affiliate and buyer of now. */
  readonly before: BeforeFacts;
}

/**
 * Turns orders into commissions. The host's code, providers and connected sites use it in the same way
 * (docs/tracking.md §5).
 */
export class ConversionsService {
  readonly #leads: Leads;
  readonly #commissions: CommissionMaker;
  readonly #renewals: Renewals;
  readonly #unknownBuyers: UnknownBuyers;
  readonly #updates: OrderUpdates;
  readonly #giving: Giving;

  readonly coupons: Coupons;

  constructor(private readonly app: Deps) {
    this.#updates = new OrderUpdates(app);
    this.#giving = new Giving(app);
    this.#leads = new Leads(app);
    this.#commissions = new CommissionMaker(app);
    this.#renewals = new Renewals(app);
    this.#unknownBuyers = new UnknownBuyers(app.log);
    this.coupons = new Coupons(app);
    app.affiliates.contribute({ coupons: (id) => this.coupons.ofAffiliate(id) });
    app.affiliates.addRows('coupons', { name: 'coupons' });
    app.affiliates.addRows('skipped_conversions');
    app.internal.on(orderPaid, (_trx, { customerId, afterCommit }) =>
      afterCommit(() => qualifyLeadsOf(app, customerId)),
    );
    app.rewards.contribute({
      reprice: ({ terms, currency, created_at }, rules) => {
        const { timeZone } = app.host.site();
        return reprice({ terms, currency, recorded_at: created_at, timeZone }, rules);
      },
    });
    app.tracking.contribute({
      takeOrder: async (req, order) => (await this.record(req, order)).referral !== null,
    });
  }

  /**
   * Credits an order. The cookie is read from `req`, which is null for calls between servers. The same order
   * given twice makes one referral.
   */
  async record(req: IncomingMessage | null, input: ConversionInput): Promise<ConversionResult> {
    checkRequest(req);
    checkAllKeys(input, (await this.app.settings.referralConfig()).currency);
    const result = await this.app.telemetry.span('affiliate.order', { provider: input.provider }, () =>
      reportOrder(this.app, { req, input }),
    );
    this.#unknownBuyers.report(result.reason, { provider: input.provider, reference: input.reference });
    const { referral } = result;
    const mayLack = result.reason === 'duplicate' && referral?.payload_hash === null;
    const known = mayLack ? await this.#learns(referral, input) : referral;
    return { ...result, referral: await this.#converted(known) };
  }

  /**
   * A commission that a person entered learns what its order costs and whether it is paid, so that refunds can be
   * compared with it (docs/money.md).
   */
  async #learns(referral: Referral, { order: totals, items, status }: ConversionInput): Promise<Referral> {
    const order = await this.app.orders.ofReferral(referral.id);
    if (order === null || totals === undefined || !this.app.orders.lacksTotal(order)) return referral;
    if ((totals.currency ?? order.currency).toUpperCase() !== order.currency) return referral;
    const { provider, account, reference, sub_reference } = order;
    const name = { provider, account, reference, sub_reference };
    const facts = await this.app.orders.factsOf(order);
    const told = { ...name, order: totals, ...(items && { items }) };
    const update = await this.#updates.prepare(order, told, { facts });
    const changed = await this.app.orders.update(name, update ? contentToStore(update) : () => null);
    if (status !== 'unpaid') return changed.referral ?? referral;
    const paid = totals.paid === undefined ? undefined : paidOf({ paid: totals.paid }, order.currency);
    return (await this.app.orders.complete(name, paid)).referral ?? referral;
  }

  /** The same for a connected site, which knows the click that set or renewed the visitor's cookie. */
  async recordClicked(input: ConversionInput, click: LatestClick | null): Promise<ConversionResult> {
    checkAllKeys(input, (await this.app.settings.referralConfig()).currency);
    const result = await reportOrder(this.app, { req: null, click, input });
    return { ...result, referral: await this.#converted(result.referral) };
  }

  /** The same for a shop, which stores rows of its own in the same transaction: everything is stored or nothing. */
  async recordOfShop(
    input: ConversionInput,
    shop: ShopReport,
    click: OrderReport['click'] = null,
  ): Promise<RecordOutcome> {
    return reportOrder(this.app, { req: null, click, input, shop });
  }

  /**
   * Credits a lead: a sign-up, a form, the start of a trial. It binds the customer and earns once per customer;
   * with `defer`, once it is qualified. The cookie is read from `req`, which is null for calls between servers.
   */
  async lead(req: IncomingMessage | null, input: LeadInput): Promise<ConversionResult> {
    return this.#answer(await this.#leads.record(req, input));
  }

  /** Pays the reward of a goal that was reached. The same goal and window make one commission. */
  async bonus({ affiliate, window, title, goal, ...bonus }: BonusInput): Promise<RecordOutcome> {
    return reportOrder(this.app, {
      req: null,
      input: {
        ...bonusKey(affiliate, bonus.rule, window),
        status: 'unpaid',
        affiliate,
        description: title,
        settings: { goal },
        bonus,
      },
    });
  }

  /** A deferred lead is real: its commission no longer waits. The first payment of its customer does the same. */
  async qualify(lead: LeadKey): Promise<ChangeResult> {
    return this.#answer(await this.#leads.qualify(lead));
  }

  /** Withdraws a lead; its commission is taken back as for a canceled order. */
  async cancelLead(lead: LeadKey, reason: RejectReason = 'canceled'): Promise<ChangeResult> {
    return this.#answer(await this.#leads.cancel(lead, reason));
  }

  /** A lead that a person or script reports. */
  async reportLead(input: LeadInput): Promise<RecordOutcome> {
    await this.#leads.forbidOwn(input);
    return this.#leads.record(null, input);
  }

  async reviewLead(lead: LeadKey, verdict: 'qualify' | 'cancel'): Promise<Settled> {
    await this.app.referrals.forbidOwn((await this.#leads.get(lead)).affiliate_id);
    return verdict === 'qualify' ? this.#leads.qualify(lead) : this.#leads.cancel(lead, 'canceled');
  }

  /** The hourly job for deferred leads whose customers have paid. */
  async qualifyPaidLeads(): Promise<number> {
    return qualifyPaidLeads(this.app);
  }

  /**
   * Says what an order would earn by these rules, and why: every rule, every condition and the value it saw.
   * Stores nothing and asks no extension. A renewal names its first commission as `subscription.parent_id`.
   */
  async tryRules(input: RulesTried): Promise<TriedRules> {
    const { currency: program } = await this.app.settings.referralConfig();
    const given: ConversionInput = { provider: 'try', reference: 'try', ...input.order };
    checkAllKeys(given, program);
    const conversion = checkConversion(given, { currency: program, now: this.app.clock.now() });
    const affiliate = await this.app.affiliates.get(input.affiliate_id);
    const active = await this.app.rewards.rulesToTry(input);
    const found = conversion.subscription?.phase === 'renewal' ? await this.#renewals.find(conversion) : null;
    const renewal = found?.kind === 'credit' ? found.renewal : undefined;
    const credit = {
      affiliate,
      source: 'explicit' as const,
      visit_id: null,
      utm_campaign: input.campaign ?? null,
      sub_ids: NO_SUB_IDS,
      click: null,
    };
    const tried = await this.#commissions.tryRules(conversion, credit, { active, renewal });
    const { currency } = conversion;
    const { lines } = tried.explanation;
    return {
      amount: toWire(tried.amount, currency),
      currency,
      base: toWire(tried.base, currency),
      rules: this.app.rewards.explainTried(tried.rewards, { rules: active.rules, lines, currency }),
    };
  }

  /** The key that keeps an order from being credited twice. Imports store it with their orders. */
  keyOf(provider: string, key: OrderKey): string {
    return orderKey(provider, key);
  }

  /** The referral of an order, or null. */
  async find(provider: string, key: OrderKey): Promise<ConvertedReferral | null> {
    return this.#converted(await this.app.referrals.findByKey(orderKey(provider, key)));
  }

  /** The order was paid, so its commission goes from pending to unpaid. */
  async complete(provider: string, key: OrderKey, input: PaidInput = {}): Promise<ChangeResult> {
    checkName(provider, key);
    checkPaid(input);
    const name = nameOf(provider, key);
    const order = await this.app.orders.known(name);
    if (order === null) return UNKNOWN;
    return this.#answer(await this.app.orders.complete(name, paidOf(input, order.currency)));
  }

  /**
   * Reports an order that was edited. Until it is paid, its commission follows the order and its buyer; what
   * is added later counts once `complete` reports more money. Removed goods count as a `refund`.
   */
  async update(provider: string, key: OrderKey, input: UpdateInput): Promise<ChangeResult> {
    checkName(provider, key);
    const name = nameOf(provider, key);
    const order = await this.app.orders.known(name);
    checkUpdate(input, order?.currency ?? (await this.app.settings.referralConfig()).currency);
    if (order === null) return UNKNOWN;
    const { reference, sub_reference, account } = order;
    const whole: ConversionInput = { ...input, provider, reference, sub_reference, account };
    const facts = await this.app.orders.factsOf(order);
    const update = await this.#updates.prepare(order, whole, { facts });
    return this.#answer(
      await this.app.orders.update(
        name,
        update ? contentToStore(update) : () => null,
        update ? this.#before(update) : undefined,
      ),
    );
  }

  /** The same for a shop's order, as a fact to add to it; null when nothing about it is new. */
  async prepareUpdate(
    order: Order,
    input: ConversionInput,
    { lines, creditTo }: { readonly lines: readonly OrderLine[]; readonly creditTo: CreditTo | null },
  ): Promise<PreparedUpdate | null> {
    const facts = await this.app.orders.factsOf(order);
    const update = await this.#updates.prepare(order, input, { facts, lines, creditTo });
    return update && { content: contentToStore(update), before: this.#before(update) };
  }

  #before(update: OrderUpdate): BeforeFacts {
    return {
      affiliates: update.moved === null ? [] : [update.moved.affiliateId],
      change: (opened, locked) => this.#updates.apply(opened, locked, update),
    };
  }

  /**
   * Records a refund that a person or script enters for a referral's order, in the same way as refunds from
   * shops and code.
   */
  async refundReferral(
    id: number,
    input: RefundInput,
  ): Promise<Omit<ChangeResult, 'referral'> & { readonly referral: Referral }> {
    const { referrals, orders } = this.app;
    await referrals.forbidOwn((await referrals.get(id)).affiliate_id);
    const order = await orders.ofReferral(id);
    if (order === null)
      return failFields({ refunded_total: { order: 'This referral has no order that could be refunded.' } });
    const { provider, reference, sub_reference, account } = order;
    const { changed, reason } = await this.refund(provider, { reference, sub_reference, account }, input);
    return { referral: await referrals.get(id), changed, reason };
  }

  /** What `give` would change. */
  async givePreview(referralId: number, affiliateId: number): Promise<GiveDto> {
    return this.#giving.preview(referralId, affiliateId);
  }

  /**
   * Gives the order of a commission to another affiliate. Returns the new commission; the first one is reversed.
   * Errors: `referral_without_order`, `referral_locked`, `referral_paid` (option `clawback` is `off`),
   * `affiliate_inactive`, `order_ended`, `validation_failed`.
   */
  async give(referralId: number, input: { affiliate_id: number; reason: string }): Promise<Referral> {
    return this.#giving.give(referralId, input);
  }

  /**
   * Records a refund. `refunded_total` is the gross sum of all refunds; `refund_id` with `amount` or `items`
   * is one of several refunds. The rest of the order decides what is owed; a full refund rejects the
   * referral.
   */
  async refund(provider: string, key: OrderKey, input: RefundInput): Promise<ChangeResult> {
    checkName(provider, key);
    const name = nameOf(provider, key);
    const order = await this.app.orders.known(name);
    const { currency } = order ?? (await this.app.settings.referralConfig());
    const refund = refundOf(input, currency);
    if (order !== null) return this.#answer(await this.app.orders.refund(name, refund));
    const parts = name.sub_reference === '' ? await this.app.orders.parts(name) : [];
    if (parts.length === 0) return UNKNOWN;
    return this.#answer(await this.app.orders.refundParts(parts, refund));
  }

  /** The order was canceled, failed, voided, deleted or lost in a dispute. */
  async cancel(provider: string, key: OrderKey, reason: RejectReason = 'canceled'): Promise<ChangeResult> {
    checkName(provider, key);
    return this.#answer(await this.app.orders.cancel(nameOf(provider, key), endOf(reason)));
  }

  /**
   * The payment is disputed. The commission waits until the dispute is won; when it is lost, nothing is due.
   */
  async dispute(
    provider: string,
    key: OrderKey,
    state: DisputeState,
    disputeId = 'host',
  ): Promise<ChangeResult> {
    checkName(provider, key);
    return this.#answer(
      await this.app.orders.dispute(nameOf(provider, key), disputeId, disputeStateOf(state)),
    );
  }

  /**
   * Binds a coupon to an affiliate, who is then credited for its orders with or without a click
   * (docs/tracking.md §5). Answers whose it was.
   */
  async bindCoupon(provider: string, code: string, affiliateId: number): Promise<CouponBound> {
    return this.coupons.bind(provider, code, affiliateId);
  }

  /** Unbinds a coupon; false when it was bound to nobody. */
  async unbindCoupon(provider: string, code: string): Promise<boolean> {
    return this.coupons.unbind(provider, code);
  }

  /** The affiliate of a coupon, whatever the affiliate's status. */
  async couponAffiliate(provider: string, code: string): Promise<number | null> {
    return couponAffiliate(this.app.db, provider, code);
  }

  async couponsOf(
    affiliateId: number,
  ): Promise<readonly { readonly provider: string; readonly code: string }[]> {
    return this.coupons.ofAffiliate(affiliateId);
  }

  /** Coupons and whom they credit. */
  async listCoupons(query: CouponQuery): Promise<Page<CouponDto>> {
    return this.coupons.list(query);
  }

  /** Whose a coupon was, newest first. */
  async couponHistory(
    provider: string,
    code: string,
    page: { readonly page: number; readonly per_page: number },
  ): Promise<Page<CouponChangeDto>> {
    return this.coupons.history(provider, code, page);
  }

  /** Orders that were not credited and the reasons, newest first. */
  async skipped(
    filter: SkippedFilter,
    page: { readonly page: number; readonly per_page: number },
  ): Promise<Page<Skipped & { readonly id: number }>> {
    const total = await countSkipped(this.app.db, filter);
    const offset = offsetOf(page);
    const rows =
      offset >= total ? [] : await listSkipped(this.app.db, filter, { limit: page.per_page, offset });
    return { rows, total, page: page.page, per_page: page.per_page };
  }

  /** The number of these orders per reason. */
  async skippedByReason(filter: SkippedFilter): Promise<{ reason: SkipReason; hits: number }[]> {
    return skippedByReason(this.app.db, filter);
  }

  /** Deletes old rows; they are kept as long as visits. */
  async purge(now: number = this.app.clock.now()): Promise<number> {
    const { retentionDays: days } = this.app.options.tracking;
    return days > 0 ? purgeSkipped(this.app.db, now - days * DAY) : 0;
  }

  async #answer<R extends { readonly referral: Referral | null }>(
    result: R,
  ): Promise<Omit<R, 'referral'> & { referral: ConvertedReferral | null }> {
    return { ...result, referral: await this.#converted(result.referral) };
  }

  async #converted(referral: Referral | null): Promise<ConvertedReferral | null> {
    if (referral === null) return null;
    const currency = referral.currency ?? (await this.app.settings.referralConfig()).currency;
    const { order_total_minor: total } = referral;
    return {
      ...referral,
      amount: toWire(referral.amount_minor, currency),
      order_total: total === null ? null : toWire(total, currency),
    };
  }
}
