import type { Db } from '../../platform/database/db.js';
import type { Merging } from '../../program/affiliates/types.js';
import { limitsOf } from './content.js';
import * as store from './repository.js';
import type { OpenTransaction, Settler } from './settle.js';

const CUSTOMERS_MAX = 1000;

/** A limit per customer counts the orders of one affiliate, so a merge changes what it leaves. */
export class MergedLimits {
  /** Customers of both affiliates, by the id of the one that is merged away. */
  readonly #shared = new Map<number, readonly number[]>();

  constructor(private readonly settler: Settler) {}

  async beforeMerge(trx: Db, { from, into }: Merging): Promise<void> {
    this.#shared.set(from, await store.sharedCustomers(trx, from, into, CUSTOMERS_MAX));
  }

  async afterMerge(opened: OpenTransaction, { from, into }: Merging): Promise<void> {
    const customers = this.#shared.get(from) ?? [];
    this.#shared.delete(from);
    if (customers.length === 0) return;
    for (const { id, terms } of await store.ordersOfCustomers(opened.trx, into, customers))
      if (limitsOf(terms).length > 0)
        await this.settler.settle(opened, id, { kind: 'adjusted', reason: 'limit' });
  }
}
