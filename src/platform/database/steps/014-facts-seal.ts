import type { SchemaStep } from '../migrate.js';

/** What all facts of an order come to, so that `verify()` sees one that was changed or removed by hand. */
export const factsSealStep: SchemaStep = {
  id: '014-facts-seal',
  async up({ column }) {
    await column('orders', 'facts_seal', "varchar(64) not null default ''");
  },
};
