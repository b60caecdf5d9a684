import type { CommerceProvider, ProviderEvent } from '../../../adapters/commerce.js';
import type { App } from '../../app.js';
import { AffiliateError } from '../../errors.js';
import { forgetCustomer } from './order-queries.js';
import { OrderRecorder, type EventContext } from './orders.js';
import { ignored, unchanged, type Handled } from './outcome.js';
import type { IntegrationSettings } from './settings.js';
import { OrderSettlement } from './settlement.js';

/** One event of a provider, from its checks to what it changed. Repeats and any order of events give the same rows. */
export class EventProcessor {
  readonly #settlement: OrderSettlement;
  readonly #orders: OrderRecorder;

  constructor(private readonly app: App, private readonly settings: IntegrationSettings) {
    this.#settlement = new OrderSettlement(app);
    this.#orders = new OrderRecorder(app, { settings, settlement: this.#settlement });
  }

  async process(given: ProviderEvent, context: EventContext): Promise<Handled> {
    const { provider } = context;
    const refused = await this.#refused(provider, given);
    if (refused) return ignored(refused);
    const event = await provider.webhook?.enrich?.(given) ?? given;
    const handled = await this.#business(event, context);
    await this.app.hooks.doAction('provider_event', { ...event }, { ...handled });
    return handled;
  }

  async #refused(provider: CommerceProvider, event: ProviderEvent): Promise<string | null> {
    if (event.test !== undefined && provider.mode !== undefined && event.test !== (provider.mode === 'test')) return 'test_event';
    if (provider.key === 'custom' || event.type === 'customer.erase') return null;
    return await this.settings.isEnabled(provider.key) ? null : 'provider_disabled';
  }

  /** Amounts that can not be, refused by the service's own rules, are an answer and no failure. */
  async #business(event: ProviderEvent, context: EventContext): Promise<Handled> {
    try {
      return await this.#dispatch(event, context);
    } catch (error) {
      if (error instanceof AffiliateError && error.status < 500) return ignored(error.code);
      throw error;
    }
  }

  async #dispatch(event: ProviderEvent, context: EventContext): Promise<Handled> {
    const { provider } = context;
    switch (event.type) {
      case 'order.created': case 'order.paid': case 'subscription.renewed': return this.#orders.handle(event, context);
      case 'order.attributed': return this.#orders.attributed(event, context);
      case 'order.refunded': return this.#settlement.refund(provider, event);
      case 'order.canceled': return this.#settlement.cancel(provider, event);
      case 'dispute.opened': case 'dispute.won': case 'dispute.lost': return this.#settlement.dispute(provider, event);
      case 'order.linked': return this.#settlement.link(provider, event);
      case 'lead.created': return this.#orders.lead(event, context);
      case 'customer.erase': return this.#erase(event);
      default: return ignored('unknown_event');
    }
  }

  /** The shop has to forget a buyer, and so do we; commissions stay. */
  async #erase({ email }: Extract<ProviderEvent, { type: 'customer.erase' }>): Promise<Handled> {
    const customer = email ? await this.app.customers.match(email, null) : null;
    if (!customer) return unchanged('customer_unknown');
    await this.app.transaction(async (trx) => {
      await this.app.customers.erase(trx, customer.id);
      await forgetCustomer(trx, customer.id);
    });
    return { result: 'updated', reason: 'customer_erased' };
  }
}
