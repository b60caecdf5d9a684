import type { SchemaStep } from '../migrate.js';
import { time } from './columns.js';

/**
 * The names of each shop of a provider, such as its addresses, and the account under which its orders are
 * stored; so that an order is the same one however many shops are named, and wherever its shop has moved.
 */
export const storesStep: SchemaStep = {
  id: '009-stores',
  async up({ create, key, index }) {
    await create('provider_stores', (t) => {
      key(t, 'provider', 100).notNullable();
      key(t, 'name', 150).notNullable(); // '' for the only shop of a provider
      key(t, 'account', 150).notNullable();
      time(t, 'created_at');
      t.primary(['provider', 'name']);
      t.index(['provider', 'account']);
    });
    // A vendor's order is found whatever account it is told for.
    await index('orders', ['provider', 'reference']);
    await index('order_refs', ['provider', 'ref']);
  },
};
