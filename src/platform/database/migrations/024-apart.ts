import type { SchemaStep } from '../migrate.js';
import { id, time } from './columns.js';

/** Pairs of customers that a person told apart; the smaller id comes first. */
export const apartStep: SchemaStep = {
  id: '024-apart',
  up: ({ create }) =>
    create('customers_apart', (t) => {
      id(t);
      t.bigInteger('customer_id').notNullable();
      t.bigInteger('other_id').notNullable();
      time(t, 'created_at');
      t.unique(['customer_id', 'other_id']);
      t.index(['other_id']);
      for (const column of ['customer_id', 'other_id'])
        t.foreign(column).references('id').inTable('customers').onDelete('CASCADE');
    }),
};
