import type { SchemaStep } from '../migrate.js';
import { id, time } from './columns.js';

/**
 * The names by which a buyer is recognized (docs/tracking.md §7). Names of an order that is not paid yet wait
 * in a table of their own, since they identify nobody.
 */
export const customerNamesStep: SchemaStep = {
  id: '008-customer-names',
  async up({ create, column, index, json, key, db, name }) {
    await create('customer_names', (t) => {
      id(t);
      t.bigInteger('customer_id').notNullable();
      t.string('kind', 20).notNullable(); // email, user, provider, card
      key(t, 'name', 191).notNullable(); // in the form it is compared in; a keyed hash of a card
      t.string('label', 191).nullable(); // as people read it
      time(t, 'since');
      t.unique(['name', 'kind']);
      t.index(['customer_id', 'id']);
      t.foreign('customer_id').references('id').inTable('customers').onDelete('CASCADE');
    });
    await create('waiting_names', (t) => {
      id(t);
      t.bigInteger('order_id').notNullable();
      t.bigInteger('customer_id').notNullable();
      t.string('kind', 20).notNullable();
      key(t, 'name', 191).notNullable();
      t.string('label', 191).nullable();
      time(t, 'since');
      t.index(['order_id', 'id']);
      t.index(['customer_id', 'id']);
      t.index(['name', 'kind']);
      t.index(['since', 'id']);
      t.foreign('customer_id').references('id').inTable('customers').onDelete('CASCADE');
    });
    // where a transaction pays its affiliate, as it was when the payout was run
    await create('payout_payees', (t) => {
      t.bigInteger('transaction_id').notNullable().primary();
      t.bigInteger('affiliate_id').notNullable();
      t.string('payment_email', 191).nullable();
      json(t, 'settings'); // of the affiliate, with the bank details
      t.index(['affiliate_id']);
      t.foreign('transaction_id').references('id').inTable('payout_transactions').onDelete('CASCADE');
    });
    // the earliest binding wins when one order names two customers
    await column('customers', 'bound_at', 'bigint');
    // the customer who is probably the same person; a person decides
    await column('customers', 'same_person_as', 'bigint');
    await index('customers', ['same_person_as']);
    const customers = name('customers');
    await db.execute(
      `update ${customers} set bound_at = created_at where by_affiliate_id is not null and bound_at is null`,
    );
    const known = (kind: string, value: string): string =>
      `not exists (select 1 from ${name('customer_names')} known where known.kind = '${kind}' and known.name = ${value})`;
    await db.execute(
      `insert into ${name('customer_names')} (customer_id, kind, name, label, since) ` +
        `select c.id, 'email', c.email_key, c.email, c.created_at from ${customers} c ` +
        `where c.email_key is not null and ${known('email', 'c.email_key')}`,
    );
    const user = db.dialect.asText('c.user_id');
    await db.execute(
      `insert into ${name('customer_names')} (customer_id, kind, name, label, since) ` +
        `select c.id, 'user', ${user}, null, c.created_at from ${customers} c where c.user_id is not null ` +
        `and c.id = (select min(older.id) from ${customers} older where older.user_id = c.user_id) ` +
        `and ${known('user', user)}`,
    );
  },
};
