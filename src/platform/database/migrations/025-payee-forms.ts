import type { SchemaStep } from '../migrate.js';
import { id } from './columns.js';

/** What an affiliate had entered for methods with details of their own when the payout was run. */
export const payeeFormsStep: SchemaStep = {
  id: '025-payee-forms',
  up: ({ create, json, key }) =>
    create('payout_payee_forms', (t) => {
      id(t);
      t.bigInteger('transaction_id').notNullable();
      t.bigInteger('affiliate_id').notNullable();
      t.string('method', 50).notNullable();
      json(t, 'sealed');
      t.string('label', 100).notNullable(); // what is shown of it
      key(t, 'mark', 64).nullable(); // tells two details apart
      t.unique(['transaction_id', 'method']);
      t.index(['affiliate_id']);
      t.foreign('transaction_id').references('id').inTable('payout_transactions').onDelete('CASCADE');
    }),
};
