import type { IncomingMessage } from 'node:http';
import { toWire } from '../../core/money.js';
import { orderKey } from '../../core/order-key.js';
import { offsetOf, type Page } from '../../core/page.js';
import { DAY } from '../../core/duration.js';
import { NO_SUB_IDS } from '../../core/sub-ids.js';
import { failFields } from '../../errors.js';
import { forCall } from '../../platform/http/request-context.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { BeforeFacts, MakeContent } from '../../accounting/orders/service.js';
import { orderPaid } from '../../accounting/orders/domain-events.js';
import {
  UNKNOWN_ORDER,
  type DisputeState,
  type LatestClick,
  type Order,
  type OrderLine,
  type SettleResult,
} from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { checkAllKeys, checkName, checkPaid, checkRequest, checkUpdate } from './known-keys.js';
import { OrderTransfer } from './transfer.js';
import { Leads } from './leads.js';
import type { OrderReport, RecordOutcome } from './order-report.js';
import { qualifyLeadsOf, qualifyPaidLeads } from './lead-qualification.js';
import { reportOrder } from './report.js';
import { couponAffiliate } from './coupon-repository.js';
import { Coupons, type CouponQuery } from './coupons.js';
import type { CouponDto, CouponChangeDto } from './coupon-schemas.js';
import {
  countSkipped,
  listSkipped,
  purgeSkipped,
  skippedByReason,
  type SkippedOrder,
  type SkippedFilter,
} from './repository.js';
import { OrderRewards } from './order-rewards.js';
import { CommissionCalculator } from './commission-calculator.js';
import { reprice } from './reprice.js';
import { Renewals } from './renewals.js';
import { checkConversion, disputeStateOf, endOf, nameOf, paidOf } from './input.js';
import { refundOf } from './refund-input.js';
import { SetupHints } from './skipped.js';
import { contentToStore, OrderUpdates, type CreditTo, type OrderUpdate } from './order-updates.js';
import type {
  CouponBound,
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
export type { CreditTo } from './order-updates.js';

/** The name of a bonus; the provider reports nothing else. */
const bonusKey = (affiliate: number, rule: string, window: string) => ({
  provider: 'goals',
  reference: rule,
  sub_reference: `bonus:${affiliate}:${window}`,
});

/** A reported order, ready to be stored in a transaction. */
export interface PreparedUpdate {
  readonly content: MakeContent;
  /** Gives the order its current affiliate and buyer. */
  readonly before: BeforeFacts;
}

/**
 * Turns orders into commissions. The host's code, providers and connected sites use it in the same way
 * (docs/tracking.md §5).
 */
export class ConversionsService {
  readonly #leads: Leads;
  readonly #calculator: CommissionCalculator;
  readonly #renewals: Renewals;
  readonly #setupHints: SetupHints;
  readonly #updates: OrderUpdates;

  readonly coupons: Coupons;
  readonly transfers: OrderTransfer;

  constructor(private readonly app: Deps) {
    this.#updates = new OrderUpdates(app);
    this.#leads = new Leads(app);
    this.#calculator = new CommissionCalculator(app);
    this.#renewals = new Renewals(app);
    this.#setupHints = new SetupHints(app.log);
    this.coupons = new Coupons(app);
    this.transfers = new OrderTransfer(app);
    app.affiliates.contribute({ coupons: (id) => this.coupons.ofAffiliate(id) });
    app.affiliates.addRows('coupons', { name: 'coupons' });
    app.affiliates.addRows('skipped_conversions');
    app.internal.on(orderPaid, (_trx, { customerId, afterCommit }) =>
      afterCommit(() => qualifyLeadsOf(app, customerId)),
    );
    const rewards = new OrderRewards(app);
    app.rewards.contribute({
      reprice: (order, rules) => {
        const { terms, currency, created_at: recorded_at } = order;
        const { timeZone } = app.host.site();
        const facts = () => rewards.factsFor(order, rules);
        return reprice({ terms, currency, recorded_at, timeZone }, { rules, facts });
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
    return forCall(this.app, { req, route: 'conversions.record' }, () => this.#record(req, input));
  }

  async #record(req: IncomingMessage | null, input: ConversionInput): Promise<ConversionResult> {
    checkAllKeys(input, (await this.app.settings.referralConfig()).currency);
    const result = await this.app.telemetry.span('affiliate.order', { provider: input.provider }, () =>
      reportOrder(this.app, { req, input }),
    );
    this.#setupHints.log(result.reason, input);
    const { referral } = result;
    const lacksTotal = result.reason === 'duplicate' && referral?.payload_hash === null;
    const known = lacksTotal ? await this.#fillIn(referral, input) : referral;
    return this.#toConversion({ ...result, referral: known });
  }

  /**
   * A commission that a person entered learns what its order costs and whether it is paid, so that refunds can be
   * compared with it (docs/money.md).
   */
  async #fillIn(referral: Referral, { order: totals, items, status }: ConversionInput): Promise<Referral> {
    const order = await this.app.orders.ofReferral(referral.id);
    if (order === null || totals === undefined || !this.app.orders.lacksTotal(order)) return referral;
    if ((totals.currency ?? order.currency).toUpperCase() !== order.currency) return referral;
    const { provider, account, reference, sub_reference } = order;
    const { changes } = this.app.orders;
    const facts = await this.app.orders.factsOf(order);
    const reported = { provider, account, reference, sub_reference, order: totals, ...(items && { items }) };
    const update = await this.#updates.prepare(order, reported, { facts });
    const changed = update === null ? null : await changes.update(order, contentToStore(update));
    if (status !== 'unpaid') return changed?.referral ?? referral;
    return (await changes.complete(order, paidOf(totals, order.currency))).referral ?? referral;
  }

  /** Credits an order of a connected site, which knows the click that set or renewed the visitor's cookie. */
  async recordClicked(input: ConversionInput, click: LatestClick | null): Promise<ConversionResult> {
    checkAllKeys(input, (await this.app.settings.referralConfig()).currency);
    const result = await reportOrder(this.app, { req: null, click, input });
    return this.#toConversion(result);
  }

  /** Credits an order of a shop, which may store rows of its own in the same transaction. */
  async reportShopOrder(report: OrderReport): Promise<RecordOutcome> {
    return reportOrder(this.app, report);
  }

  /**
   * Credits a lead: a sign-up, a form, the start of a trial. It binds the customer and earns once per customer;
   * with `defer`, once it is qualified. The cookie is read from `req`, which is null for calls between servers.
   */
  async lead(req: IncomingMessage | null, input: LeadInput): Promise<ConversionResult> {
    return forCall(this.app, { req, route: 'conversions.lead' }, async () =>
      this.#toConversion(await this.#leads.record(req, input)),
    );
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
    return this.#toResult(await this.#leads.qualify(lead));
  }

  /** Withdraws a lead; its commission is taken back as for a canceled order. */
  async cancelLead(lead: LeadKey, reason: RejectReason = 'canceled'): Promise<ChangeResult> {
    return this.#toResult(await this.#leads.cancel(lead, reason));
  }

  /** A lead that a person or script reports. */
  async reportLead(input: LeadInput): Promise<RecordOutcome> {
    await this.#leads.forbidOwn(input);
    return this.#leads.record(null, input);
  }

  async reviewLead(lead: LeadKey, verdict: 'qualify' | 'cancel'): Promise<SettleResult> {
    await this.app.referrals.forbidOwn((await this.#leads.get(lead)).affiliate_id);
    return verdict === 'qualify' ? this.#leads.qualify(lead) : this.#leads.cancel(lead, 'canceled');
  }

  /** The hourly job for deferred leads whose customers have paid. */
  async qualifyPaidLeads(): Promise<number> {
    return qualifyPaidLeads(this.app);
  }

  /**
   * Returns what an order would earn by these rules, and why: every rule, every condition and the value it
   * saw. Stores nothing and asks no extension. A renewal names its first commission as
   * `subscription.parent_id`.
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
    const tried = await this.#calculator.tryRules(conversion, credit, { active, renewal });
    const { currency } = conversion;
    const { lines } = tried.explanation;
    return {
      amount: toWire(tried.amount, currency),
      currency,
      base: toWire(tried.base, currency),
      rules: this.app.rewards.explainTried(tried.rewards, { rules: active.rules, lines, currency }),
    };
  }

  /** The referral of an order, or null. */
  async find(provider: string, key: OrderKey): Promise<ConvertedReferral | null> {
    return this.#converted(await this.app.referrals.findByKey(orderKey(provider, key)));
  }

  /** The order was paid, so its commission goes from pending to unpaid. */
  async complete(provider: string, key: OrderKey, input: PaidInput = {}): Promise<ChangeResult> {
    checkName(provider, key);
    checkPaid(input);
    const { changes } = this.app.orders;
    const order = await changes.find(nameOf(provider, key));
    if (order === null) return UNKNOWN_ORDER;
    return this.#toResult(await changes.complete(order, paidOf(input, order.currency)));
  }

  /**
   * Reports an order that was edited. Until it is paid, its commission follows the order and its buyer; what
   * is added later counts once `complete` reports more money. Removed goods count as a `refund`.
   */
  async update(provider: string, key: OrderKey, input: UpdateInput): Promise<ChangeResult> {
    checkName(provider, key);
    const { changes } = this.app.orders;
    const order = await changes.find(nameOf(provider, key));
    checkUpdate(input, order?.currency ?? (await this.app.settings.referralConfig()).currency);
    if (order === null) return UNKNOWN_ORDER;
    const { reference, sub_reference, account } = order;
    const whole: ConversionInput = { ...input, provider, reference, sub_reference, account };
    const facts = await this.app.orders.factsOf(order);
    const update = await this.#updates.prepare(order, whole, { facts });
    const content = update ? contentToStore(update) : () => null;
    return this.#toResult(await changes.update(order, content, update ? this.#before(update) : undefined));
  }

  /** Prepares the change of a shop's order as a fact to add; null when nothing about it is new. */
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
      return failFields({ refunded_total: { order: 'This commission has no order to refund.' } });
    const { provider, reference, sub_reference, account } = order;
    const { changed, reason } = await this.refund(provider, { reference, sub_reference, account }, input);
    return { referral: await referrals.get(id), changed, reason };
  }

  /**
   * Records a refund. `refunded_total` is the gross sum of all refunds; `refund_id` with `amount` or `items`
   * is one of several refunds. The rest of the order decides what is owed; a full refund rejects the
   * referral.
   */
  async refund(provider: string, key: OrderKey, input: RefundInput): Promise<ChangeResult> {
    checkName(provider, key);
    const name = nameOf(provider, key);
    const order = await this.app.orders.changes.find(name);
    const { currency } = order ?? (await this.app.settings.referralConfig());
    const refund = refundOf(input, currency);
    if (order !== null) return this.#toResult(await this.app.orders.changes.refund(order, refund));
    const parts = name.sub_reference === '' ? await this.app.orders.parts(name) : [];
    if (parts.length === 0) return UNKNOWN_ORDER;
    return this.#toResult(await this.app.orders.changes.refundParts(parts, refund));
  }

  /** The order was canceled, failed, voided, deleted or lost in a dispute. */
  async cancel(provider: string, key: OrderKey, reason: RejectReason = 'canceled'): Promise<ChangeResult> {
    checkName(provider, key);
    const { changes } = this.app.orders;
    const order = await changes.find(nameOf(provider, key));
    const end = endOf(reason);
    return order === null ? UNKNOWN_ORDER : this.#toResult(await changes.cancel(order, end));
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
    const { changes } = this.app.orders;
    const order = await changes.find(nameOf(provider, key));
    const known = disputeStateOf(state);
    return order === null ? UNKNOWN_ORDER : this.#toResult(await changes.dispute(order, disputeId, known));
  }

  /**
   * Binds a coupon to an affiliate, who is then credited for its orders with or without a click
   * (docs/tracking.md §5). Returns the affiliate it was bound to before.
   */
  async bindCoupon(provider: string, code: string, affiliateId: number): Promise<CouponBound> {
    return this.coupons.bind(provider, code, affiliateId);
  }

  /** Unbinds a coupon; false when it was not bound. */
  async unbindCoupon(provider: string, code: string): Promise<boolean> {
    return this.coupons.unbind(provider, code);
  }

  /** The affiliate of a coupon, in any status. */
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
  ): Promise<Page<SkippedOrder & { readonly id: number }>> {
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

  /** Deletes rows that are older than the retention of visits. */
  async purge(now: number = this.app.clock.now()): Promise<number> {
    const { retentionDays: days } = this.app.options.tracking;
    return days > 0 ? purgeSkipped(this.app.db, now - days * DAY) : 0;
  }

  async #toConversion({ referral, created, reason }: RecordOutcome): Promise<ConversionResult> {
    return { referral: await this.#converted(referral), created, reason };
  }

  async #toResult<R extends { readonly referral: Referral | null }>(
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
