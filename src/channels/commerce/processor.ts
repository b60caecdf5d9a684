import type {
  AccountEvent,
  CommerceProvider,
  DataRequestEvent,
  EraseEvent,
  ProviderEvent,
} from '../../../adapters/commerce.js';
import { AffiliateError } from '../../errors.js';
import type { Deps } from './deps.js';
import { ShopAccounts } from './accounts.js';
import { OrderLookup } from './order-lookup.js';
import { awaitsMoney, nameOf } from './order-rows.js';
import { NewOrders } from './orders.js';
import type { StoreNames } from './store-names.js';
import { ignored, type EventContext, type EventResult } from './outcome.js';
import { PrivacyRequests } from './privacy.js';
import type { CommerceSettings } from './settings.js';
import { OrderSettlement } from './settlement.js';

type PrivacyEvent = EraseEvent | DataRequestEvent | AccountEvent;

/** Events that are handled even if the provider is switched off. */
const ALWAYS: ReadonlySet<ProviderEvent['type']> = new Set([
  'customer.erase',
  'customer.requested',
  'account.erase',
  'account.disconnected',
]);

/**
 * Processes one event of a provider, from its checks to its changes. Repeats and any order of events lead to
 * the same rows.
 */
export class EventProcessor {
  readonly #settlement: OrderSettlement;
  readonly #orders: NewOrders;
  readonly #accounts: ShopAccounts;
  readonly #known: OrderLookup;
  readonly privacy: PrivacyRequests;
  /** Providers whose switch was missed already. */
  readonly #loggedDisabled = new Set<string>();

  constructor(
    private readonly app: Deps,
    private readonly settings: CommerceSettings,
    private readonly stores: StoreNames,
  ) {
    this.#accounts = new ShopAccounts(app);
    this.#known = new OrderLookup(app);
    this.#settlement = new OrderSettlement(app, this.#accounts);
    this.privacy = new PrivacyRequests(app);
    this.#orders = new NewOrders(app, { settings, settlement: this.#settlement });
  }

  async process(given: ProviderEvent, asked: EventContext): Promise<EventResult> {
    const { provider } = asked;
    const refused = await this.#refused(provider, given);
    if (refused) return ignored(refused);
    const accounts = await this.stores.accountsOf(provider, given.account);
    const [account] = accounts;
    const context = { ...asked, accounts };
    if (!ALWAYS.has(given.type)) await this.#accounts.reconnected(provider, { ...given, account });
    const event = { ...(await this.#enriched(given, context)), account };
    const handled = await this.#business(event, context);
    const { result, reason, referral_id } = handled;
    await this.app.hooks.doAction(
      'provider_event',
      { ...event },
      { result, ...(reason !== undefined && { reason }), ...(referral_id !== undefined && { referral_id }) },
    );
    return handled;
  }

  /** The shop is asked under the name that it has for the host. */
  async #enriched(event: ProviderEvent, context: EventContext): Promise<ProviderEvent> {
    const { provider, isLast } = context;
    try {
      if (!provider.webhook?.enrich) return event;
      const name = 'order' in event ? nameOf(provider, event) : null;
      const order = name && (await this.#known.byName(context, name));
      return await provider.webhook.enrich(event, { known: order !== null && !awaitsMoney(order) });
    } catch (error) {
      if (!isLast) throw error;
      this.app.log.warn('a shop returned no details; its event is processed without them', {
        provider: provider.key,
        topic: event.type,
        error,
      });
      return event;
    }
  }

  async #refused(provider: CommerceProvider, event: ProviderEvent): Promise<string | null> {
    if (event.test !== undefined && provider.mode !== undefined && event.test !== (provider.mode === 'test'))
      return 'test_event';
    if (provider.key === 'custom' || ALWAYS.has(event.type)) return null;
    if (await this.settings.isEnabled(provider.key)) return null;
    this.#logDisabled(provider);
    return 'provider_disabled';
  }

  /** Logged once per process: the orders of a provider that is switched off earn nothing, later neither. */
  #logDisabled({ key }: CommerceProvider): void {
    if (this.#loggedDisabled.has(key)) return;
    this.#loggedDisabled.add(key);
    this.app.log.warn('an order is ignored, because its provider is switched off', {
      provider: key,
      help: 'Switch it on in the settings, or give the provider `enabled: true`.',
    });
  }

  /** If the service's rules refuse the amounts of an event, that is a result and not a failure. */
  async #business(event: ProviderEvent, context: EventContext): Promise<EventResult> {
    try {
      return await this.#dispatch(event, context);
    } catch (error) {
      if (error instanceof AffiliateError && error.status < 500) return ignored(error.code);
      throw error;
    }
  }

  async #dispatch(event: ProviderEvent, context: EventContext): Promise<EventResult> {
    switch (event.type) {
      case 'order.created':
      case 'order.paid':
      case 'subscription.renewed':
        return this.#orders.handle(event, context);
      case 'order.attributed':
        return this.#orders.attributed(event, context);
      case 'order.refunded':
        return this.#settlement.refund(event, context);
      case 'order.canceled':
        return this.#settlement.cancel(event, context);
      case 'dispute.opened':
      case 'dispute.won':
      case 'dispute.lost':
        return this.#settlement.dispute(event, context);
      case 'order.linked':
        return this.#settlement.link(event, context);
      case 'lead.created':
        return this.#orders.lead(event, context);
      default:
        return this.#dispatchPrivacy(event, context);
    }
  }

  async #dispatchPrivacy(event: PrivacyEvent, context: EventContext): Promise<EventResult> {
    switch (event.type) {
      case 'customer.erase':
        return this.privacy.erase(event, context);
      case 'customer.requested':
        return this.privacy.requested(event, context);
      case 'account.erase':
        return this.privacy.eraseAccount(event, context);
      case 'account.disconnected':
        return this.#accounts.leave(event.account, { event, context });
      default:
        return ignored('unknown_event');
    }
  }
}
