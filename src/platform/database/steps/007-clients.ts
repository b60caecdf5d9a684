import type { SchemaStep } from '../migrate.js';

/**
 * Every value an affiliate's links ever carried, of each kind once, so that an earlier one goes on
 * crediting the same affiliate.
 */
export const clientsStep: SchemaStep = {
  id: '007-clients',
  async up({ create, key }) {
    await create('affiliate_aliases', (t) => {
      t.bigIncrements('id');
      key(t, 'kind', 30).notNullable(); // custom_param, or the name of an imported system's values
      key(t, 'value', 191).notNullable();
      t.bigInteger('affiliate_id').notNullable();
      t.bigInteger('created_at').notNullable();
      t.unique(['kind', 'value']);
      t.index(['affiliate_id', 'kind']);
      t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
    });
  },
};
