import type { SchemaStep } from '../migrate.js';

/** Every order of a long list has an index; what was removed is counted, so that remembered places in a list can be checked. */
export const longListsStep: SchemaStep = {
  id: '003-long-lists',
  async up({ create, key, index }) {
    await create('removed_rows', (t) => {
      key(t, 'table_name', 50).notNullable().primary();
      t.bigInteger('removed').notNullable().defaultTo(0);
    });
    for (const column of ['utm_medium', 'utm_source']) await index('visits', [column, 'id']);
    for (const column of ['updated_at', 'order_total_minor', 'type', 'provider', 'provider_id'])
      await index('referrals', [column, 'id']);
  },
};
