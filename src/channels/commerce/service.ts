import { createdOf, type DayQuery } from '../../records/filters.js';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type {
  CommerceProvider,
  Detach,
  Intake,
  OrderEvent,
  OrderRef,
  Outcome,
  ProviderEvent,
  ProviderOrder,
  RenewalEvent,
} from '../../../adapters/commerce.js';
import type { Db } from '../../platform/database/db.js';
import { NEWEST_FIRST, readPage } from '../../records/list.js';
import type { Page } from '../../core/page.js';
import { own } from '../../core/own.js';
import { fail } from '../../errors.js';
import type { CouponBound } from '../../attribution/conversions/types.js';
import { customerErased } from '../../accounting/customers/domain-events.js';
import { commissionEntered } from '../../accounting/orders/domain-events.js';
import { ENTERED } from '../../accounting/orders/types.js';
import { awaitKey } from './outcome.js';
import type { Deps } from './deps.js';
import { Inbox } from './inbox.js';
import { namesFit } from './stored-event.js';
import { EventProcessor } from './processor.js';
import { ProviderRegistry } from './registry.js';
import {
  accountsOfProvider,
  deliveriesMatching,
  countDeliveries,
  countIgnored,
  type DeliveryFilter,
  wakeDeliveries,
  type DeliveryCount,
  type IgnoredCount,
} from './repository.js';
import type { CouponShopDto } from './schemas.js';
import { CommerceSettings } from './settings.js';
import { StoreNames } from './store-names.js';
import { ShopSweep } from './sweep.js';
import { deliveries, type DeliveryRow } from './record.js';
import { WebhookReceiver } from './webhook.js';

interface DeliveriesQuery extends DayQuery, Omit<DeliveryFilter, 'received'> {
  readonly page: number;
  readonly per_page: number;
}

/** Shops of one provider. */
const ACCOUNTS_MAX = 500;

/** The provider for the host's own orders. */
const CUSTOM: CommerceProvider = {
  key: 'custom',
  info: { title: 'Own shop', description: 'Orders reported by the host itself.', type: 'commerce' },
  abilities: new Set(['coupons', 'renewals', 'upgrades']),
  trustAffiliateId: true,
};

/**
 * Shops and payment systems: the providers, their settings, and the events they send (docs/integrations.md).
 */
export class CommerceService {
  readonly settings: CommerceSettings;
  readonly #registry = new ProviderRegistry();
  readonly #processor: EventProcessor;
  readonly inbox: Inbox;
  readonly receiver: WebhookReceiver;
  readonly sweeping: ShopSweep;
  readonly #stores: StoreNames;
  readonly #detach = new Map<string, Detach>();
  #started = false;

  constructor(private readonly app: Deps) {
    for (const provider of app.options.providers) this.#registry.register(provider);
    app.referrals.contribute({ orderUrl: (key, id, account) => this.orderUrl(key, id, account) });
    app.internal.on(commissionEntered, (trx, entered) => this.#wake(trx, entered));
    app.internal.on(customerErased, (trx, { customer }) => this.#forgetBuyer(trx, customer));
    this.settings = new CommerceSettings(app, this.#registry, () => this.ignored());
    const lookup = {
      get: (key: string) => (key === CUSTOM.key ? CUSTOM : this.#registry.get(key)),
    } as ProviderRegistry;
    app.conversions.coupons.knowIntegrations(() => this.keys());
    app.settings.contribute({
      providers: {
        keys: () => this.keys(),
        enabled: () => this.settings.enabled(),
        enableAll: (trx, afterCommit, keys) => this.settings.enableAll(trx, afterCommit, keys),
      },
    });
    this.#stores = new StoreNames(app);
    this.#processor = new EventProcessor(app, this.settings, this.#stores);
    this.inbox = new Inbox(app, { processor: this.#processor, registry: lookup });
    this.receiver = new WebhookReceiver(app, { registry: this.#registry, inbox: this.inbox });
    this.sweeping = new ShopSweep(app, {
      registry: this.#registry,
      isEnabled: (key) => this.settings.isEnabled(key),
      accept: (provider, events) => this.#acceptAll(provider, events),
    });
  }

  /** Adds a provider; its key must be new. */
  register(provider: CommerceProvider): void {
    if (provider.key === CUSTOM.key) throw new TypeError('The key "custom" is the host\'s own.');
    this.#registry.register(provider);
    if (this.#started) void this.#begin(provider);
  }

  get(key: string): CommerceProvider | null {
    return this.#registry.get(key);
  }

  keys(): string[] {
    return this.#registry.keys();
  }

  list(): readonly CommerceProvider[] {
    return this.#registry.list();
  }

  /** The interface for shops in the same process. */
  intake(key: string): Intake {
    const provider = key === CUSTOM.key ? CUSTOM : (this.#registry.get(key) ?? fail('integration_not_found'));
    return { accept: (event) => this.#accept(provider, event) };
  }

  /** An order event of the host's own shop, in the form of a provider. */
  recordConversion(event: ProviderEvent): Promise<Outcome> {
    return this.#accept(CUSTOM, event);
  }

  /**
   * A token for an order, by which a later event finds the affiliate of this visitor; null when there is none
   * (docs/integrations.md §10).
   */
  async checkoutToken(req: IncomingMessage): Promise<string | null> {
    const found = await this.app.tracking.attributedVisit(req);
    return (
      found &&
      this.app.tracking.clickToken({
        affiliate_id: found.affiliate.id,
        visit_id: found.visit_id,
        issued_at: found.clicked_at ?? this.app.clock.now(),
        ...(found.clicked_at !== null && { rules: found.signs.map(([rule]) => rule) }),
      })
    );
  }

  /** For metadata of an order: `{ fa_ref }`, or nothing. */
  async checkoutMetadata(req: IncomingMessage): Promise<{ fa_ref?: string }> {
    const token = await this.checkoutToken(req);
    return token === null ? {} : { fa_ref: token };
  }

  bindCoupon(provider: string, code: string, affiliateId: number): Promise<CouponBound> {
    return this.app.conversions.bindCoupon(provider, code, affiliateId);
  }

  /** The shops that a coupon can be bound in: the integrations that are on, and those of earlier orders. */
  async couponShops(): Promise<CouponShopDto[]> {
    const infos = await this.settings.list();
    const enabled = await this.settings.enabled();
    const all = [...new Set([...enabled, ...(await this.app.conversions.coupons.shopsOfOrders())])];
    return Promise.all(
      all.map(async (provider) => ({
        provider,
        title: own(infos, provider)?.title ?? provider,
        counts_coupons: !enabled.includes(provider) || (await this.settings.countsCoupons(provider)),
      })),
    );
  }

  /** Address of the referral's order in the shop's back office, or ''. */
  orderUrl(key: string, id: string, account = ''): string {
    return this.#registry.get(key)?.orderUrl?.({ account: this.#stores.nameOf(key, account), id }) ?? '';
  }

  /** What waited for the order, such as its refund, is processed by the next job. */
  async #wake(
    trx: Db,
    { provider, reference }: { readonly provider: string; readonly reference: string },
  ): Promise<void> {
    const now = this.app.clock.now();
    for (const key of provider === ENTERED ? this.keys() : [provider]) {
      const accounts = ['', ...(await accountsOfProvider(trx, key, ACCOUNTS_MAX))];
      await wakeDeliveries(
        trx,
        key,
        accounts.map((account) => awaitKey(account, reference)),
        now,
      );
    }
  }

  /** Removes a buyer from orders, and from waiting and failed deliveries. */
  async #forgetBuyer(
    trx: Db,
    { id, email }: { readonly id: number; readonly email: string | null },
  ): Promise<void> {
    await this.app.orders.forgetCustomer(trx, id);
    if (email !== null) await this.#processor.privacy.forgetDelivered(trx, email);
  }

  /** Deliveries by provider, state and reason, with the latest of each. */
  deliveries(): Promise<DeliveryCount[]> {
    return countDeliveries(this.app.db);
  }

  /** The deliveries, newest first. */
  async listDeliveries({
    page,
    per_page,
    provider,
    status,
    ...days
  }: DeliveriesQuery): Promise<Page<DeliveryRow>> {
    const filter = { provider, status, received: createdOf(days, this.app.host.site().timeZone) };
    return readPage(this.app.db, deliveries, deliveriesMatching(filter), {
      page,
      per_page,
      order: NEWEST_FIRST,
    });
  }

  /** Deliveries of the last 30 days that were ignored because their integration was off. */
  ignored(): Promise<IgnoredCount[]> {
    return countIgnored(this.app.db, 'provider_disabled');
  }

  /** Starts listening to shops in the same process. */
  async start(): Promise<void> {
    this.#started = true;
    const { context } = this.app;
    await context.run({ ...context.current(), whileClosed: true }, async () => {
      for (const provider of this.#registry.list()) await this.#stores.saveAccounts(provider);
    });
    for (const provider of this.#registry.list()) await this.#attach(provider);
    await this.#logDisabled();
  }

  /** Providers in code earn nothing until they are switched on, which is easily forgotten. */
  async #logDisabled(): Promise<void> {
    const enabled = await this.settings.enabled();
    const off = this.keys().filter((key) => !enabled.includes(key));
    if (off.length > 0)
      this.app.log.warn('commerce providers are switched off, so their orders earn nothing', {
        providers: off.join(', '),
        help: 'Switch them on in the settings, or give each provider `enabled: true`.',
      });
  }

  async close(): Promise<void> {
    for (const detach of this.#detach.values()) await detach();
    this.#detach.clear();
  }

  /**
   * Asks a shop for one order and records it. For an order that was recorded before, returns its commission or why
   * it earned nothing; `order_unknown` when the shop has no such order, or cannot be asked.
   */
  async reconcile(key: string, ref: OrderRef): Promise<Outcome> {
    const provider = this.#registry.get(key) ?? fail('integration_not_found');
    const account = this.#stores.nameOf(key, ref.account);
    const order = await provider.fetchOrder?.({ ...ref, account });
    if (!order) return { result: 'ignored', reason: 'order_unknown' };
    const event = fetched(order, account);
    const outcome = await this.#accept(provider, event);
    const isKnown = outcome.result === 'unchanged' || outcome.result === 'updated';
    return isKnown && outcome.referral_id === undefined
      ? this.#earlierOutcome(provider, event, outcome)
      : outcome;
  }

  async #accept(provider: CommerceProvider, event: ProviderEvent): Promise<Outcome> {
    const key = keyOf(event);
    const [id] = (await this.inbox.store(provider, key, [event])) ?? [];
    return id === undefined ? this.inbox.outcomeOf(provider, key) : this.inbox.work(id);
  }

  /** The commission of an order that was recorded before, or why it earned nothing. */
  async #earlierOutcome(
    provider: CommerceProvider,
    event: OrderEvent | RenewalEvent,
    outcome: Outcome,
  ): Promise<Outcome> {
    const stored = await this.app.orders.findByRef(provider.key, event.account, event.order.id);
    if (stored?.referral_id) return { ...outcome, referral_id: stored.referral_id };
    const reason = stored
      ? stored.deleted_at === null
        ? stored.decision
        : 'deleted'
      : await this.inbox.ignoredReason(provider, keyOf(event));
    return reason === null ? outcome : { result: 'ignored', reason };
  }

  /** Events are stored under the key of their delivery, so one that arrived by itself is recognized. */
  async #acceptAll(provider: CommerceProvider, events: readonly ProviderEvent[]): Promise<void> {
    const deliveries = new Map<string, ProviderEvent[]>();
    for (const event of events)
      deliveries.set(keyOf(event), [...(deliveries.get(keyOf(event)) ?? []), event]);
    for (const [key, group] of deliveries) {
      if (!group.every(namesFit)) {
        this.app.log.warn('a shop has an id that cannot be stored', { provider: provider.key });
        continue;
      }
      for (const id of (await this.inbox.store(provider, key, group)) ?? []) await this.inbox.work(id);
    }
  }

  async #begin(provider: CommerceProvider): Promise<void> {
    try {
      await this.#stores.saveAccounts(provider);
    } catch (error) {
      this.app.log.error('the shops of a commerce provider could not be listed', {
        provider: provider.key,
        error,
      });
    }
    await this.#attach(provider);
  }

  async #attach(provider: CommerceProvider): Promise<void> {
    if (!provider.attach) return;
    try {
      this.#detach.set(provider.key, await provider.attach(this.intake(provider.key)));
    } catch (error) {
      this.app.log.error('a commerce provider could not be set up', { provider: provider.key, error });
    }
  }
}

const keyOf = (event: ProviderEvent): string =>
  event.delivery ?? `event:${createHash('sha256').update(JSON.stringify(event)).digest('hex')}`;

/** The event that a shop would send for an order that it has returned. */
function fetched(order: ProviderOrder, account: string): OrderEvent | RenewalEvent {
  const base = { at: order.paid_at ?? order.created_at, account };
  if (order.paid_at === undefined) return { ...base, type: 'order.created', order };
  const { subscription } = order;
  return subscription?.phase === 'renewal'
    ? { ...base, type: 'subscription.renewed', order: { ...order, subscription } }
    : { ...base, type: 'order.paid', order };
}
