import type { SchemaStep } from '../migrate.js';
import { id, time } from './columns.js';

/** Sites that were disconnected, and reports about orders that have not arrived yet. */
export const sitesStep: SchemaStep = {
  id: '003-sites',
  up: async ({ create, key, json }) => {
    await create('former_sites', (t) => {
      key(t, 'url_key', 255).notNullable().primary();
      key(t, 'site_id', 20).notNullable().unique();
    });
    await create('early_reports', (t) => {
      id(t);
      key(t, 'site_id', 20).notNullable();
      key(t, 'reference', 150).notNullable();
      json(t, 'fields');
      time(t, 'expires_at');
      t.index(['site_id', 'reference']);
      t.index(['expires_at']);
    });
  },
};
