import type { SchemaStep } from '../migrate.js';

/** The click that led to an order, for the rules against fraud when the order is judged later or again. */
export const clicksStep: SchemaStep = {
  id: '015-clicks',
  up: async ({ column }) => column('orders', 'click', 'text'),
};
