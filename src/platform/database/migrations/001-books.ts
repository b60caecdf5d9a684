import type { SchemaTools } from '../schema-tools.js';
import { amount, count, id, MAX_MINOR, ref, time } from './columns.js';

// Part of 001-initial: orders, commissions and payouts.

export async function bookTables({ create, key, json }: SchemaTools): Promise<void> {
  await create('customers', (t) => {
    id(t);
    t.bigInteger('user_id').nullable().index();
    ref(t, 'by_affiliate_id');
    t.string('email', 191).nullable();
    key(t, 'email_key', 191).nullable().unique();
    t.string('first_name', 191).nullable();
    t.string('last_name', 191).nullable();
    t.string('ip', 100).nullable();
    json(t, 'settings');
    key(t, 'source_key', 191).nullable().unique();
    // time of the buyer's first paid order when no affiliate brought it: no earlier order can credit one
    // later
    t.bigInteger('own_since').nullable();
    time(t, 'created_at', 'updated_at');
    t.index(['by_affiliate_id', 'id']);
    t.foreign('by_affiliate_id').references('id').inTable('affiliates').onDelete('SET NULL');
  });
  await create('visits', (t) => {
    id(t);
    ref(t, 'affiliate_id');
    ref(t, 'user_id');
    ref(t, 'referral_id');
    key(t, 'site_id', 20).nullable();
    key(t, 'event_id', 64).nullable();
    t.string('url', 1000).nullable();
    t.string('referrer', 1000).nullable();
    t.string('utm_campaign', 100).nullable();
    t.string('utm_medium', 100).nullable();
    t.string('utm_source', 100).nullable();
    t.string('ip', 100).nullable();
    key(t, 'visitor_key', 64).nullable(); // keyed hash of address and user agent
    key(t, 'source_key', 191).nullable().unique();
    t.smallint('converted').notNullable().defaultTo(0); // 1: a referral names the visit
    time(t, 'created_at', 'updated_at');
    t.unique(['site_id', 'event_id']);
    t.index(['affiliate_id', 'id']);
    t.index(['created_at', 'id']);
    t.index(['utm_campaign', 'id']);
    t.foreign('affiliate_id').references('id').inTable('affiliates');
  });
  await create('payouts', (t) => {
    id(t);
    ref(t, 'created_by');
    amount(t, 'total_amount_minor');
    // the highest total the payout had, for the approval by a second user; 0 in an imported payout, whose
    // total is already the highest
    count(t, 'highest_total_minor');
    t.string('payout_method', 50).notNullable().defaultTo('manual');
    t.string('status', 20).notNullable();
    key(t, 'currency', 3).nullable();
    t.string('title', 192).notNullable();
    json(t, 'description');
    json(t, 'settings');
    key(t, 'source_key', 191).nullable().unique();
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'id']);
    t.index(['created_at', 'id']);
    t.index(['created_by', 'created_at']);
  });
  await create('payout_transactions', (t) => {
    id(t);
    ref(t, 'created_by');
    ref(t, 'affiliate_id'); // no foreign key, because the row outlives the affiliate
    t.bigInteger('payout_id').notNullable();
    amount(t, 'total_amount_minor');
    t.string('payout_method', 50).notNullable().defaultTo('manual');
    t.string('status', 20).notNullable();
    key(t, 'currency', 3).nullable();
    json(t, 'settings');
    key(t, 'source_key', 191).nullable().unique();
    time(t, 'created_at', 'updated_at');
    t.unique(['payout_id', 'affiliate_id']);
    t.index(['payout_id', 'status']);
    t.index(['payout_id', 'id']);
    t.index(['affiliate_id', 'id']);
    t.foreign('payout_id').references('id').inTable('payouts');
  });
  await create('referrals', (t) => {
    id(t);
    ref(t, 'affiliate_id');
    ref(t, 'parent_id');
    ref(t, 'customer_id');
    ref(t, 'visit_id');
    t.string('description', 500).nullable();
    t.string('status', 20).notNullable();
    t.bigInteger('amount_minor').notNullable();
    t.check(`?? between -${MAX_MINOR} and ${MAX_MINOR}`, ['amount_minor']);
    t.bigInteger('order_total_minor').nullable();
    key(t, 'currency', 3).nullable(); // null means the program currency
    t.string('utm_campaign', 100).nullable();
    key(t, 'provider', 100).nullable();
    key(t, 'provider_id', 255).nullable();
    key(t, 'provider_sub_id', 192).nullable();
    key(t, 'dedup_key', 191).nullable().unique();
    key(t, 'site_id', 20).nullable();
    json(t, 'products');
    ref(t, 'payout_transaction_id');
    ref(t, 'payout_id');
    t.smallint('paid_elsewhere').notNullable().defaultTo(0);
    t.string('type', 30).notNullable();
    json(t, 'settings'); // provider data, original order and the explanation of the amount
    key(t, 'payload_hash', 64).nullable(); // fingerprint of the recorded conversion
    t.string('reject_reason', 50).nullable();
    t.bigInteger('payable_at').nullable();
    key(t, 'source_key', 191).nullable().unique();
    key(t, 'source_hash', 64).nullable(); // hash of the imported row, to notice when it changes
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'affiliate_id', 'created_at']);
    t.index(['status', 'created_at', 'id']);
    // Rows in order, with the status that decides whether the affiliate sees them.
    t.index(['affiliate_id', 'id', 'status']);
    t.index(['created_at', 'id']);
    t.index(['provider', 'provider_id']);
    t.index(['provider', 'provider_sub_id']);
    t.index(['visit_id']);
    t.index(['customer_id']);
    t.index(['parent_id']);
    t.index(['payout_id', 'id']);
    t.index(['payout_transaction_id']);
    t.foreign('affiliate_id').references('id').inTable('affiliates');
    t.foreign('parent_id').references('id').inTable('referrals').onDelete('SET NULL');
    t.foreign('customer_id').references('id').inTable('customers').onDelete('SET NULL');
    t.foreign('visit_id').references('id').inTable('visits').onDelete('SET NULL');
    t.foreign('payout_transaction_id').references('id').inTable('payout_transactions');
    t.foreign('payout_id').references('id').inTable('payouts');
  });
  await create('payout_items', (t) => {
    // the primary key prevents paying twice; the row outlives referral and affiliate
    t.bigInteger('referral_id').notNullable().primary();
    t.bigInteger('transaction_id').notNullable();
    t.bigInteger('affiliate_id').notNullable();
    amount(t, 'amount_minor');
    key(t, 'currency', 3).notNullable();
    t.index(['transaction_id']);
    t.index(['affiliate_id']);
    t.foreign('transaction_id').references('id').inTable('payout_transactions');
  });
  await create('ledger_entries', (t) => {
    // rows are only added
    id(t);
    t.bigInteger('affiliate_id').notNullable();
    ref(t, 'referral_id');
    ref(t, 'payout_id');
    ref(t, 'transaction_id');
    t.string('kind', 20).notNullable();
    key(t, 'currency', 3).notNullable();
    amount(t, 'total_delta_minor');
    amount(t, 'unpaid_delta_minor');
    ref(t, 'actor_id');
    t.string('reason', 191).nullable();
    time(t, 'created_at');
    t.index(['affiliate_id', 'id']);
    t.index(['referral_id']);
    t.index(['transaction_id']);
  });
  await create('referral_totals', (t) => {
    // one row per affiliate, provider and currency; '' for none
    t.bigInteger('affiliate_id').notNullable();
    key(t, 'provider', 100).notNullable();
    key(t, 'currency', 3).notNullable();
    count(t, 'paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing'); // numbers of referrals
    count(t, 'paid_minor', 'paid_order_minor', 'unpaid_minor', 'unpaid_order_minor');
    t.primary(['affiliate_id', 'provider', 'currency']);
  });
  await create('daily_stats', (t) => {
    // written in the transaction of the row it counts; scope is a:<affiliate id> or all:<shard>
    key(t, 'scope', 32).notNullable();
    t.integer('day').notNullable(); // days since 1970-01-01 in the site's time zone
    count(t, 'visits', 'referrals', 'affiliates');
    t.primary(['scope', 'day']);
    t.index(['day']);
  });
  await create('orders', (t) => {
    // one row per order, whichever way it was reported
    id(t);
    key(t, 'order_key', 191).notNullable().unique(); // provider, account, reference and sub-reference in one
    key(t, 'provider', 100).notNullable();
    key(t, 'account', 150).notNullable().defaultTo('');
    key(t, 'reference', 191).notNullable().defaultTo('');
    key(t, 'sub_reference', 192).notNullable().defaultTo('');
    key(t, 'subscription_id', 191).nullable();
    key(t, 'currency', 3).notNullable();
    json(t, 'terms'); // totals, lines, rate and reasons as first reported
    ref(t, 'customer_id');
    ref(t, 'affiliate_id'); // no foreign key, because the row outlives the affiliate
    ref(t, 'visit_id');
    ref(t, 'referral_id');
    ref(t, 'first_order_id');
    t.string('source', 50).nullable();
    t.string('decision', 50).nullable();
    t.bigInteger('total_minor').nullable();
    t.bigInteger('due_minor').nullable(); // what was due when the order was last settled
    t.string('due_status', 20).nullable();
    t.string('reject_reason', 50).nullable();
    json(t, 'reasons');
    // a hash over all facts of the order, so that verify() notices a fact that was changed or removed by hand
    key(t, 'facts_seal', 64).notNullable().defaultTo('');
    count(t, 'withheld_minor'); // paid, reported as a loss, and not taken back
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
    // rows are only added
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
}
