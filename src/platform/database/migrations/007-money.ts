import type { SchemaStep } from '../migrate.js';

/**
 * The commission of an order that earns nothing yet, so that it can be booked once it does; and orders are found
 * by their number alone.
 */
export const moneyStep: SchemaStep = {
  id: '007-money',
  up: async ({ column, index }) => {
    await column('orders', 'draft', 'text');
    await index('orders', ['reference']);
  },
};
