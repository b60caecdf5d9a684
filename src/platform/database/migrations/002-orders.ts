import type { SchemaStep } from '../migrate.js';

/** What each open reason of an order is about, for the orders that follow it. */
export const orderCausesStep: SchemaStep = {
  id: '002-orders',
  up: async ({ column }) => column('orders', 'open_causes', 'text'),
};
