import type { SchemaStep } from '../migrate.js';

/** When an affiliate asked for the deletion of its personal data. */
export const leavingStep: SchemaStep = {
  id: '023-leaving',
  up: async ({ column, index }) => {
    await column('affiliates', 'deletion_asked_at', 'bigint');
    await index('affiliates', ['deletion_asked_at']);
  },
};
