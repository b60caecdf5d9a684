import type { SchemaStep } from '../migrate.js';

/** The commission of an order that earns nothing yet, so that it can be booked once it does. */
export const moneyStep: SchemaStep = {
  id: '007-money',
  up: async ({ column }) => column('orders', 'draft', 'json'),
};
