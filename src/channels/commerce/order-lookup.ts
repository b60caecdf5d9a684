import type { Order, OrderName } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { firstFound, type EventContext } from './outcome.js';

type Shop = Pick<EventContext, 'provider' | 'accounts'>;

/**
 * Finds the orders of a shop under each name that the shop has had; where the vendor never gives an id twice,
 * in any of its accounts.
 */
export class OrderLookup {
  constructor(private readonly app: Deps) {}

  async byName({ provider, accounts }: Shop, name: OrderName): Promise<Order | null> {
    const { orders } = this.app;
    const found = await firstFound(accounts, (account) => orders.findOfShop({ ...name, account }));
    if (found !== null || provider.uniqueIds !== true || name.sub_reference !== '') return found;
    return orders.findAnywhere(provider.key, name.reference);
  }

  /** The order with this reference or another of its names. */
  async byRef({ provider, accounts }: Shop, ref: string): Promise<Order | null> {
    const { orders } = this.app;
    const found = await firstFound(accounts, (account) => orders.findByRef(provider.key, account, ref));
    return found ?? (provider.uniqueIds === true ? orders.findByRefAnywhere(provider.key, ref) : null);
  }

  /** The order that began a subscription; one with a commission comes first. */
  async ofSubscription({ provider, accounts }: Shop, id: string): Promise<Order | null> {
    const { orders } = this.app;
    return firstFound(
      accounts,
      async (account) => (await orders.ofSubscription(provider.key, account, id))[0] ?? null,
    );
  }

  /** The parts of an order that earn separately. */
  async parts(shop: Shop, ref: string): Promise<Order[]> {
    const known = await this.byRef(shop, ref);
    if (known) return this.app.orders.parts(known);
    const found = await firstFound(shop.accounts, async (account) => {
      const rows = await this.app.orders.parts({ provider: shop.provider.key, account, reference: ref });
      return rows.length === 0 ? null : rows;
    });
    return found ?? [];
  }
}
