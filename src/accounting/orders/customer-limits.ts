import type { Db } from '../../platform/database/db.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import { limitsOf } from './counted-order.js';
import * as store from './repository.js';
import type { OpenTransaction, Settler } from './settle.js';

const CUSTOMERS_MAX = 1000;
const ORDERS_MAX = 1000;

/**
 * Settles orders with limits again when affiliates or customers are merged: a limit per customer counts all orders of
 * the customer by one affiliate.
 */
export class CustomerLimits {
  /** Customers of both affiliates, by the id of the one that is merged away. */
  readonly #shared = new Map<number, readonly number[]>();

  constructor(private readonly settler: Settler) {}

  async beforeMerge(trx: Db, { from, into }: AffiliateMerge): Promise<void> {
    this.#shared.set(from, await store.sharedCustomers(trx, from, into, CUSTOMERS_MAX));
  }

  async afterMerge(opened: OpenTransaction, { from, into }: AffiliateMerge): Promise<void> {
    const customers = this.#shared.get(from) ?? [];
    this.#shared.delete(from);
    if (customers.length === 0) return;
    for (const { id, terms } of await store.ordersOfCustomers(opened.trx, into, customers))
      if (limitsOf(terms).length > 0)
        await this.settler.settle(opened, id, { kind: 'adjusted', reason: 'limit' });
  }

  async afterCustomerMerge(opened: OpenTransaction, customerId: number): Promise<void> {
    for (const { id, terms } of await store.ordersOfCustomer(opened.trx, customerId, ORDERS_MAX))
      if (limitsOf(terms).some(({ kind }) => kind === 'customer'))
        await this.settler.settle(opened, id, { kind: 'adjusted', reason: 'customers merged' });
  }
}
