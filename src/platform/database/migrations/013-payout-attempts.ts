import type { SchemaStep } from '../migrate.js';
import { count, id, ref, time } from './columns.js';

/** Payments that leave by a press: batches, tries, the details they go to, and what did not match. */
export const payoutAttemptsStep: SchemaStep = {
  id: '013-payout-attempts',
  up: async ({ create, key, json }) => {
    await create('payout_batches', (t) => {
      id(t);
      t.bigInteger('payout_id').notNullable();
      t.string('method', 50).notNullable();
      key(t, 'batch_key', 64).notNullable().unique();
      t.string('state', 20).notNullable();
      t.smallint('sandbox').notNullable().defaultTo(0);
      key(t, 'ref', 191).nullable();
      ref(t, 'call_until'); // a process calls the payer until then
      ref(t, 'next_at'); // when it is to be called
      count(t, 'calls');
      ref(t, 'called_at'); // the first call; the payer keeps the key from then on
      ref(t, 'created_by');
      time(t, 'created_at', 'updated_at');
      t.index(['next_at']);
      t.index(['payout_id', 'id']);
    });
    // the tries outlive a transaction that was released, so they have no foreign keys
    await create('payout_attempts', (t) => {
      id(t);
      t.bigInteger('batch_id').notNullable();
      t.bigInteger('payout_id').notNullable();
      t.bigInteger('transaction_id').notNullable();
      ref(t, 'affiliate_id');
      t.integer('try').notNullable();
      t.string('method', 50).notNullable();
      key(t, 'attempt_key', 64).notNullable().unique();
      t.string('state', 20).notNullable();
      t.smallint('booked').notNullable().defaultTo(1); // 0: the books do not know the state yet
      t.smallint('sandbox').notNullable().defaultTo(0);
      t.bigInteger('amount_minor').notNullable();
      t.bigInteger('sent_minor').notNullable();
      key(t, 'currency', 3).notNullable();
      ref(t, 'fee_minor');
      key(t, 'fee_currency', 3).nullable();
      t.string('fee_by', 20).notNullable();
      key(t, 'ref', 191).nullable();
      t.string('code', 60).nullable();
      t.string('message', 255).nullable();
      key(t, 'details_mark', 64).notNullable();
      json(t, 'sealed'); // what is sent, so that a repeat is the same; emptied at the end
      ref(t, 'payer_at');
      ref(t, 'until_at');
      ref(t, 'next_at'); // when the payer is to be asked
      count(t, 'checks');
      time(t, 'created_at', 'updated_at');
      t.unique(['transaction_id', 'try']);
      t.index(['batch_id', 'id']);
      t.index(['next_at']);
      t.index(['booked', 'id']);
      t.index(['payout_id', 'state']);
      t.index(['state', 'id']);
      t.index(['ref']);
      t.index(['affiliate_id', 'id']);
    });
    await create('payment_details', (t) => {
      id(t);
      t.bigInteger('affiliate_id').notNullable();
      t.string('method', 50).notNullable();
      json(t, 'sealed');
      t.string('label', 100).notNullable();
      t.string('state', 20).notNullable();
      t.string('reason', 255).nullable();
      key(t, 'mark', 64).nullable();
      t.smallint('chosen').notNullable().defaultTo(0);
      time(t, 'created_at', 'updated_at');
      t.unique(['affiliate_id', 'method']);
    });
    await create('payment_findings', (t) => {
      id(t);
      key(t, 'finding_key', 191).notNullable().unique();
      t.string('kind', 30).notNullable();
      t.string('method', 50).notNullable();
      ref(t, 'payout_id');
      ref(t, 'attempt_id');
      key(t, 'ref', 191).nullable();
      ref(t, 'amount_minor');
      ref(t, 'found_minor');
      key(t, 'currency', 3).nullable();
      time(t, 'created_at');
      ref(t, 'settled_at');
      ref(t, 'settled_by');
      t.string('note', 255).nullable();
      t.index(['settled_at', 'id']);
      t.index(['payout_id', 'id']);
    });
  },
};
