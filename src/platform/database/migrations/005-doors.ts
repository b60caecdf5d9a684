import type { SchemaStep } from '../migrate.js';

/** Who stands behind a payout that was made with an API key, and what else was made with a key. */
export const doorsStep: SchemaStep = {
  id: '005-doors',
  up: async ({ column, index }) => {
    // the user who made the API key; null without a key
    await column('payouts', 'key_maker_id', 'bigint');
    await index('audit', ['api_key_id', 'id']);
  },
};
