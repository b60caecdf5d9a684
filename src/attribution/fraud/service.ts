import { mailbox } from '../../core/mailbox.js';
import type { Page } from '../../core/page.js';
import { fail } from '../../errors.js';
import type { Db } from '../../platform/database/db.js';
import { createdOf } from '../../records/filters.js';
import { NEWEST_FIRST, readPage } from '../../records/list.js';
import { affiliateCreated, affiliateSaved, isPaidElsewhere } from '../../program/affiliates/domain-events.js';
import type { Deps } from './deps.js';
import { AffiliateMarks } from './marks.js';
import { fraudEvents } from './record.js';
import * as store from './repository.js';
import { OrderRules, signsOf } from './rules.js';
import type { ClickEvidence } from './clicks.js';
import { SelfReferral } from './self-referral.js';
import type {
  ClickSign,
  FraudAction,
  FraudEvent,
  FraudEventQuery,
  FraudHit,
  FraudRule,
  OrderToCheck,
  Suspect,
} from './types.js';
import { toIso } from '../../core/dates.js';
import { DAY } from '../../core/duration.js';

/**
 * Finds suspicious orders (docs/tracking.md §13, §14): checked before a commission is recorded, stored once
 * per rule, affiliate and customer.
 */
export class FraudService {
  readonly #marks: AffiliateMarks;
  readonly #self: SelfReferral;
  readonly #rules: OrderRules;

  constructor(private readonly app: Deps) {
    this.#marks = new AffiliateMarks(app);
    this.#self = new SelfReferral(app, this.#marks);
    this.#rules = new OrderRules(app, this.#marks);
    app.affiliates.addPart({ move: store.moveSuspicions });
    app.internal.on(affiliateCreated, (trx, { affiliate }) => this.#marks.learnPayout(trx, [affiliate]));
    app.internal.on(affiliateSaved, (trx, { before, after }) =>
      isPaidElsewhere(before, after) ? this.#marks.learnPayout(trx, [after]) : undefined,
    );
  }

  /**
   * All rules that apply; the strongest action decides. For an own purchase, the other rules are not asked.
   */
  async check(suspect: Suspect): Promise<readonly FraudHit[]> {
    const own = await this.#self.check(suspect);
    if (suspect.isRenewal || own.some(({ rule }) => rule === 'self_referral')) return own;
    return [...own, ...(await this.#rules.check(suspect))];
  }

  /**
   * What is suspicious about a click that sets or renews a cookie without being stored as a visit, by the rules as
   * they were last read.
   */
  lastSignsOf(click: ClickEvidence): readonly ClickSign[] {
    return signsOf(click, this.app.settings.lastRules.fraud);
  }

  async signsOf(click: ClickEvidence): Promise<readonly ClickSign[]> {
    return signsOf(click, (await this.app.settings.rules()).fraud);
  }

  /**
   * Stores hits, in the transaction of the referral if there is one, and returns the new ones for `announce`.
   */
  async save(
    db: Db,
    hits: readonly FraudHit[],
    { buyer, ...order }: OrderToCheck,
  ): Promise<readonly FraudEvent[]> {
    const events: FraudEvent[] = [];
    for (const hit of hits) {
      const event = { ...hit, ...order, created_at: this.app.clock.now() };
      const id = await store.insertEvent(db, { ...event, customer_key: this.#customerKey(buyer, order) });
      if (id !== null) events.push({ ...event, id });
    }
    await this.app.eventLog.append(
      db,
      'fraud.detected',
      ...events.map((event) => ({ id: event.id, data: { ...event, created_at: toIso(event.created_at) } })),
    );
    return events;
  }

  async announce(events: readonly FraudEvent[]): Promise<void> {
    for (const event of events) await this.app.hooks.doAction('fraud_detected', event);
  }

  /** The action of each rule. */
  async actions(): Promise<Readonly<Record<FraudRule, FraudAction | 'off'>>> {
    const { fraud } = await this.app.settings.rules();
    return {
      self_referral: fraud.selfReferral,
      same_domain: fraud.sameDomain,
      same_address: fraud.sameAddress,
      same_payment: fraud.samePayment,
      disposable_mail: fraud.disposableMail,
      banned_referrer: fraud.bannedReferrer,
      coupon_site: fraud.couponSite,
      paid_traffic: fraud.paidTraffic,
      fast_order: fraud.fastOrder,
      address_orders: fraud.addressOrders,
      refund_ratio: fraud.refundRatio,
      shared_payout: fraud.sharedPayout,
      same_order: fraud.sameOrder,
      code_without_click: fraud.codeWithoutClick,
    };
  }

  async list(query: FraudEventQuery): Promise<Page<FraudEvent>> {
    const matching = store.eventsMatching({
      rule: query.rule ?? null,
      affiliateId: query.affiliate_id ?? null,
      created: createdOf(query, this.app.host.site().timeZone),
    });
    return readPage(this.app.db, fraudEvents, matching, { ...query, order: NEWEST_FIRST });
  }

  async get(id: number): Promise<FraudEvent> {
    return (await store.findEvent(this.app.db, id)) ?? fail('suspicion_not_found');
  }

  /** Remembers an address of an affiliate as a keyed hash, only while a rule asks for it. */
  sawAt(affiliateId: number, address: string | null): Promise<void> {
    return this.#marks.saw(affiliateId, 'address', address);
  }

  /**
   * Remembers a means of payment of an affiliate (the shop's fingerprint of card or account) as a keyed hash.
   */
  paysWith(affiliateId: number, fingerprint: string): Promise<void> {
    return this.#marks.saw(affiliateId, 'payment', fingerprint);
  }

  /** The hourly job. Returns how many affiliates were processed. */
  catchUp(): Promise<number> {
    return this.#marks.catchUp();
  }

  /** Suspicions have the retention of visits. */
  async purge(now: number = this.app.clock.now()): Promise<number> {
    const { retentionDays: days } = this.app.options.tracking;
    const marks = await this.#marks.purge(now);
    return marks + (days > 0 ? await store.purgeEvents(this.app.db, now - days * DAY) : 0);
  }

  /**
   * One key per customer, however the address is spelled; without an address, each order is its own customer.
   */
  #customerKey(
    { email, user_id: userId }: OrderToCheck['buyer'],
    { provider, provider_id: id }: Omit<OrderToCheck, 'buyer'>,
  ): string {
    const name = mailbox(email) ?? (userId === null ? `order ${provider} ${id}` : `user ${userId}`);
    return this.app.secrets.sign('fraud-customer', name);
  }
}
