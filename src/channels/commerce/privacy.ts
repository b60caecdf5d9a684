import type {
  AccountEvent,
  CommerceProvider,
  DataRequestEvent,
  EraseEvent,
  ProviderEvent,
} from '../../../adapters/commerce.js';
import type { Db } from '../../platform/database/db.js';
import { OrderLookup } from './order-lookup.js';
import type { Deps } from './deps.js';
import { unchanged, type EventContext, type EventResult } from './outcome.js';
import { deliveriesWith, rewriteDelivery } from './repository.js';
import type { DeliveryRow } from './record.js';

const REFS_MAX = 250;
const PAGE = 200;

/**
 * Handles requests about buyers' data, which shops pass on (docs/integrations.md §9). Commissions are not
 * deleted, but no longer name the person.
 */
export class PrivacyRequests {
  readonly #known: OrderLookup;

  constructor(private readonly app: Deps) {
    this.#known = new OrderLookup(app);
  }

  async erase(event: EraseEvent, context: EventContext): Promise<EventResult> {
    const { storeOutcome: done } = context;
    const ids = await this.#buyers(context, event);
    return this.app.transaction(async (trx) => {
      for (const id of ids) await this.#forget(trx, id);
      if (event.email) await this.forgetDelivered(trx, event.email);
      return done(
        trx,
        ids.length === 0 ? unchanged('customer_unknown') : { result: 'updated', reason: 'customer_erased' },
      );
    });
  }

  /** The administrator has to reply to the buyer; `customers.export` collects the data. */
  async requested(event: DataRequestEvent, context: EventContext): Promise<EventResult> {
    const { provider, storeOutcome: done } = context;
    const ids = await this.#buyers(context, event);
    const { account, customer_ref, order_refs = [] } = event;
    const request = {
      provider: provider.key,
      account,
      customer_ref,
      order_refs: order_refs.slice(0, REFS_MAX),
      customer_ids: ids,
    };
    return this.app.transaction(async (trx, afterCommit) => {
      await this.app.audit.write(trx, 'customer.data_requested', ['customer', ids[0] ?? null], {
        after: request,
      });
      afterCommit(async () => {
        this.app.log.warn('a customer requested their personal data through a shop', {
          provider: provider.key,
          account,
          customer_ids: ids,
        });
        await this.app.hooks.doAction('customer_data_requested', request);
      });
      return done(trx, {
        result: 'recorded',
        reason: ids.length === 0 ? 'customer_unknown' : 'data_requested',
      });
    });
  }

  /**
   * Erases the buyers of a shop that disconnected, except those who bought elsewhere too. In pages, as a shop
   * may have many.
   */
  async eraseAccount(
    _: AccountEvent,
    { provider, accounts, storeOutcome: done }: EventContext,
  ): Promise<EventResult> {
    for (const account of accounts) await this.#eraseBuyers(provider, account);
    return this.app.transaction(async (trx) => {
      for (const account of accounts)
        await this.forgetDelivered(trx, `"account":${JSON.stringify(account)}`, provider.key);
      return done(trx, { result: 'updated', reason: 'account_erased' });
    });
  }

  async #eraseBuyers({ key }: CommerceProvider, account: string): Promise<void> {
    for (let after = 0; ;) {
      const ids = await this.app.orders.buyersOfAccount(key, account, { after, limit: PAGE });
      const last = ids.at(-1);
      if (last === undefined) break;
      const [elsewhere, others] = [
        await this.app.orders.buyersElsewhere(ids, key, account),
        await this.app.customers.boughtElsewhere(ids, key),
      ];
      await this.app.transaction(async (trx) => {
        for (const id of ids) if (!elsewhere.has(id) && !others.has(id)) await this.#forget(trx, id);
      });
      after = last;
    }
  }

  /** Waiting and failed deliveries contain a buyer's data too: the person is removed, the order is not. */
  async forgetDelivered(trx: Db, text: string, provider: string | null = null): Promise<void> {
    for (let after = 0; ;) {
      const rows = await deliveriesWith(trx, { text, provider, after, limit: PAGE });
      for (const row of rows)
        await rewriteDelivery(trx, row.id, withoutPerson(row.event), this.app.clock.now());
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  async #forget(trx: Db, id: number): Promise<void> {
    for (const email of await this.app.customers.addresses(trx, id)) await this.forgetDelivered(trx, email);
    await this.app.customers.erase(trx, id);
    await this.app.orders.forgetCustomer(trx, id);
  }

  async #buyers(
    context: EventContext,
    { email, customer_ref: id, order_refs: refs = [] }: EraseEvent | DataRequestEvent,
  ): Promise<number[]> {
    const known = await this.app.customers.buyers.findBuyer(this.app.db, {
      email: email ?? null,
      ref: { provider: context.provider.key, account: context.accounts[0] ?? '', id },
    });
    const ids = new Set(known?.holders.map(({ customer }) => customer.id));
    for (const ref of refs.slice(0, REFS_MAX)) {
      const order = await this.#known.byRef(context, ref);
      if (order?.customer_id) ids.add(order.customer_id);
    }
    return [...ids];
  }
}

/** The event without the person; a body that could not be read is removed completely. */
function withoutPerson(event: DeliveryRow['event']): DeliveryRow['event'] {
  if (event === null) return null;
  // only the customer was replaced
  if ('order' in event) return { ...event, order: { ...event.order, customer: {} } } as ProviderEvent;
  if ('lead' in event) return { ...event, lead: { ...event.lead, customer: {} } };
  return null;
}
