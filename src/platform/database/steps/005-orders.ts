import type { SchemaStep } from '../migrate.js';
import { count, id, ref, time } from './columns.js';

/**
 * One record per order, whichever way it was heard of, and what was heard of it since:
 * facts are only ever added.
 */
export const ordersStep: SchemaStep = {
  id: '005-orders',
  async up({ create, key, json, column }) {
    await create('orders', (t) => {
      id(t);
      key(t, 'order_key', 191).notNullable().unique(); // provider, acreference and sub-reference in one
      key(t, 'provider', 100).notNullable();
      key(t, 'account', 150).notNullable().defaultTo('');
      key(t, 'reference', 191).notNullable().defaultTo('');
      key(t, 'sub_reference', 192).notNullable().defaultTo('');
      key(t, 'subscription_id', 191).nullable();
      key(t, 'currency', 3).notNullable();
      json(t, 'terms'); // totals, lines, rate and reasons as first heard
      ref(t, 'customer_id');
      ref(t, 'affiliate_id'); // outlives the affiliate: no foreign key
      ref(t, 'visit_id');
      ref(t, 'referral_id');
      ref(t, 'first_order_id');
      t.string('source', 50).nullable();
      t.string('decision', 50).nullable();
      t.bigInteger('total_minor').nullable();
      t.bigInteger('due_minor').nullable(); // what was due when it was last settled
      t.string('due_status', 20).nullable();
      t.string('reject_reason', 50).nullable();
      json(t, 'reasons');
      count(t, 'withheld_minor'); // paid out and told, not taken back
      t.bigInteger('deleted_at').nullable();
      time(t, 'created_at', 'updated_at');
      t.index(['provider', 'account', 'reference']);
      t.index(['provider', 'subscription_id']);
      t.index(['affiliate_id', 'id']);
      t.index(['referral_id']);
      t.index(['first_order_id']);
      t.index(['customer_id', 'created_at']);
    });
    await create('order_facts', (t) => {
      // append only
      id(t);
      t.bigInteger('order_id').notNullable();
      key(t, 'fact_key', 191).notNullable();
      t.string('kind', 20).notNullable();
      time(t, 'at');
      json(t, 'data');
      ref(t, 'actor_id');
      t.string('source', 20).notNullable();
      time(t, 'created_at');
      t.unique(['order_id', 'fact_key']);
      t.foreign('order_id').references('id').inTable('orders');
    });
    await create('order_refs', (t) => {
      // other names of an order, under which refunds and disputes may arrive
      key(t, 'provider', 100).notNullable();
      key(t, 'account', 150).notNullable().defaultTo('');
      key(t, 'ref', 191).notNullable();
      t.bigInteger('order_id').notNullable();
      t.primary(['provider', 'account', 'ref']);
      t.index(['order_id']);
      t.foreign('order_id').references('id').inTable('orders');
    });
    // when a buyer's first paid order came without any affiliate: earlier orders bind him no more
    await column('customers', 'own_since', 'bigint');
  },
};
