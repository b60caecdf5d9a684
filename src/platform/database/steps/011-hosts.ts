import type { SchemaStep } from '../migrate.js';
import { id, time } from './columns.js';

/**
 * Page ids of hosts whose ids are text, and the affiliates whose account the host did not
 * know when it was last asked.
 */
export const hostsStep: SchemaStep = {
  id: '011-hosts',
  async up({ create, key }) {
    await create('host_pages', (t) => {
      id(t);
      key(t, 'host_id', 191).notNullable().unique();
      time(t, 'created_at');
    });
    await create('missing_users', (t) => {
      t.bigInteger('user_id').notNullable().primary();
      time(t, 'created_at'); // when it was missed first
    });
  },
};
