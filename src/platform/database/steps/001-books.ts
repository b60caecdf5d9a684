import type { SchemaTools } from '../migrate.js';
import { amount, count, id, MAX_MINOR, ref, time } from './columns.js';

// Part of 001-initial: who earns, and what.

export async function people({ create, key, json }: SchemaTools): Promise<void> {
  await create('meta', (t) => {
    // groups (object_type affiliate_group) and permissions (user_meta)
    id(t);
    key(t, 'object_type', 50).notNullable();
    t.bigInteger('object_id').notNullable().defaultTo(0);
    t.string('meta_key', 192).notNullable();
    key(t, 'name_key', 192).notNullable(); // normalised meta_key: trimmed, NFKC, lower case
    json(t, 'value');
    t.string('status', 20).nullable(); // copied from the value of a group, for filters
    json(t, 'notes'); // likewise, for searches
    time(t, 'created_at', 'updated_at');
    t.unique(['object_type', 'object_id', 'name_key']);
  });
  await create('affiliates', (t) => {
    id(t);
    t.bigInteger('user_id').nullable().unique();
    ref(t, 'contact_id');
    ref(t, 'group_id');
    t.bigInteger('rate_e4').nullable();
    t.string('rate_type', 20).notNullable().defaultTo('default');
    amount(t, 'total_earnings_minor');
    amount(t, 'unpaid_earnings_minor');
    count(t, 'referrals', 'visits', 'visits_purged', 'lead_counts');
    key(t, 'custom_param', 100).nullable().unique();
    t.string('payment_email', 191).nullable().index();
    t.string('status', 20).notNullable();
    json(t, 'settings');
    json(t, 'custom_fields');
    json(t, 'note');
    key(t, 'source_key', 191).nullable().unique();
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'id']);
    t.index(['group_id', 'id']);
    t.index(['created_at', 'id']);
    t.foreign('group_id').references('id').inTable('meta').onDelete('SET NULL');
  });
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
    time(t, 'created_at', 'updated_at');
    t.unique(['site_id', 'event_id']);
    t.index(['affiliate_id', 'id']);
    t.index(['created_at', 'id']);
    t.index(['utm_campaign', 'id']);
    t.foreign('affiliate_id').references('id').inTable('affiliates');
  });
  await create('visit_keys', (t) => {
    // one row per (affiliate, visitor, window): two racing clicks meet here
    key(t, 'visit_key', 128).notNullable().primary();
    t.bigInteger('visit_id').notNullable();
    time(t, 'created_at');
    t.index(['created_at']);
  });
}

export async function money({ create, key, json }: SchemaTools): Promise<void> {
  await create('payouts', (t) => {
    id(t);
    ref(t, 'created_by');
    amount(t, 'total_amount_minor');
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
    t.index(['total_amount_minor', 'id']);
  });
  await create('payout_transactions', (t) => {
    id(t);
    ref(t, 'created_by');
    ref(t, 'affiliate_id'); // outlives the affiliate: no foreign key
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
    key(t, 'currency', 3).nullable(); // null reads as the program currency
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
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'affiliate_id', 'created_at']);
    t.index(['status', 'created_at', 'id']);
    t.index(['affiliate_id', 'id', 'status']); // in order, and tells what the affiliate may see
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
    // the key alone forbids paying twice; frozen list that outlives referral and affiliate
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
    // append only
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
  await create('audit', (t) => {
    id(t);
    ref(t, 'actor_id');
    t.string('action', 100).notNullable();
    t.string('object_type', 50).notNullable();
    key(t, 'object_id', 64).nullable();
    json(t, 'before');
    json(t, 'after');
    key(t, 'request_id', 64).nullable();
    time(t, 'created_at');
    t.index(['object_type', 'object_id', 'id']);
    t.index(['created_at', 'id']);
  });
}
