import type { SchemaStep } from '../migrate.js';

/** What an order comes to before refunds, by the content that counts; null for orders settled before. */
export const fullAmountStep: SchemaStep = {
  id: '029-full-amount',
  up: ({ column }) => column('orders', 'full_minor', 'bigint'),
};
