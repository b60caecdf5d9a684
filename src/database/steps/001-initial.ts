import type { Knex } from 'knex';
import type { SchemaStep, SchemaTools } from '../migrate.js';

// Types used throughout: ids and times are BIGINT (times: epoch milliseconds, UTC), money is BIGINT minor units, rates are × 10 000,
// keys are binary-collated text, JSON is text. No column has a database default that depends on time or locale.
const MAX_MINOR = 999_999_999_999_999; // 15 digits: exact as a JSON number

export const initialStep: SchemaStep = {
  id: '001-initial',
  async up(tools) { // job_leases and schema_steps exist already: the lock of migrate.ts needs them
    await people(tools);
    await money(tools);
    await settings(tools);
    await material(tools);
    await plumbing(tools);
    await commerce(tools);
    await imports(tools);
  },
};

type Table = Knex.CreateTableBuilder;

const id = (t: Table): void => { t.bigIncrements('id'); };
const ref = (t: Table, name: string): void => { t.bigInteger(name).nullable(); };
const time = (t: Table, ...names: string[]): void => { for (const name of names) t.bigInteger(name).notNullable(); };
const count = (t: Table, ...names: string[]): void => { for (const name of names) t.bigInteger(name).notNullable().defaultTo(0); };
const amount = (t: Table, name: string): void => {
  t.bigInteger(name).notNullable().defaultTo(0);
  t.check(`?? between -${MAX_MINOR} and ${MAX_MINOR}`, [name]);
};

async function people({ create, key, json }: SchemaTools): Promise<void> {
  await create('meta', (t) => { // groups (object_type affiliate_group) and permissions (user_meta)
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
    t.index(['total_earnings_minor', 'id']);
    t.index(['unpaid_earnings_minor', 'id']);
    t.index(['referrals', 'id']);
    t.index(['visits', 'id']);
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
    t.index(['affiliate_id', 'created_at']);
    t.index(['created_at', 'id']);
    t.index(['utm_campaign', 'id']);
    t.foreign('affiliate_id').references('id').inTable('affiliates');
  });
  await create('visit_keys', (t) => { // one row per (affiliate, visitor, window): two racing clicks meet here
    key(t, 'visit_key', 128).notNullable().primary();
    t.bigInteger('visit_id').notNullable();
    time(t, 'created_at');
    t.index(['created_at']);
  });
}

async function money({ create, key, json }: SchemaTools): Promise<void> {
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
    key(t, 'provider_id', 191).nullable();
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
    t.index(['status', 'id']);
    t.index(['status', 'created_at', 'id']);
    t.index(['affiliate_id', 'id']);
    t.index(['created_at', 'id']);
    t.index(['provider', 'status', 'id']);
    t.index(['status', 'currency', 'amount_minor', 'order_total_minor']); // holds every figure of the dashboard
    t.index(['provider', 'provider_id']);
    t.index(['provider', 'provider_sub_id']);
    t.index(['amount_minor', 'id']);
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
  await create('payout_items', (t) => { // the key alone forbids paying twice; frozen list that outlives referral and affiliate
    t.bigInteger('referral_id').notNullable().primary();
    t.bigInteger('transaction_id').notNullable();
    t.bigInteger('affiliate_id').notNullable();
    amount(t, 'amount_minor');
    key(t, 'currency', 3).notNullable();
    t.index(['transaction_id']);
    t.index(['affiliate_id']);
    t.foreign('transaction_id').references('id').inTable('payout_transactions');
  });
  await create('ledger_entries', (t) => { // append only
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

async function settings({ create, key, json }: SchemaTools): Promise<void> {
  await create('options', (t) => {
    key(t, 'name', 191).notNullable().primary();
    json(t, 'value');
    t.bigInteger('version').notNullable().defaultTo(1);
    time(t, 'updated_at');
  });
}

async function material({ create, key, json }: SchemaTools): Promise<void> {
  await create('creatives', (t) => {
    id(t);
    t.string('name', 255).notNullable();
    json(t, 'description');
    t.string('type', 20).notNullable();
    t.string('image', 2048).nullable();
    json(t, 'text');
    t.string('url', 2048).notNullable();
    t.string('privacy', 20).notNullable();
    t.string('status', 20).notNullable();
    t.bigInteger('starts_at').nullable();
    t.bigInteger('ends_at').nullable();
    t.bigInteger('next_due_at').nullable().index();
    json(t, 'meta');
    key(t, 'source_key', 191).nullable().unique();
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'id']);
    t.index(['updated_at', 'id']);
  });
  await create('creative_affiliates', (t) => {
    t.bigInteger('creative_id').notNullable();
    t.bigInteger('affiliate_id').notNullable();
    t.primary(['creative_id', 'affiliate_id']);
    t.index(['affiliate_id']);
    t.foreign('creative_id').references('id').inTable('creatives').onDelete('CASCADE');
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
  });
  await create('creative_groups', (t) => {
    t.bigInteger('creative_id').notNullable();
    t.bigInteger('group_id').notNullable();
    t.primary(['creative_id', 'group_id']);
    t.index(['group_id']);
    t.foreign('creative_id').references('id').inTable('creatives').onDelete('CASCADE');
    t.foreign('group_id').references('id').inTable('meta').onDelete('CASCADE');
  });
  await create('connected_sites', (t) => {
    id(t);
    key(t, 'site_id', 20).notNullable().unique();
    t.string('site_url', 255).notNullable();
    key(t, 'url_key', 255).notNullable().unique(); // host, port and path, without scheme
    t.string('site_title', 191).notNullable();
    key(t, 'secret', 255).notNullable(); // derived key, wrapped when there is a service secret
    t.string('param_key', 50).notNullable();
    t.integer('cookie_duration').notNullable();
    t.string('credit_last_referrer', 3).notNullable();
    t.string('status', 20).notNullable();
    t.string('logo', 2048).notNullable().defaultTo('');
    json(t, 'description');
    t.string('subtitle', 191).notNullable().defaultTo('');
    time(t, 'created_at', 'token_issued_at');
    t.bigInteger('last_seen_at').nullable();
  });
  await create('site_nonces', (t) => {
    key(t, 'site_id', 20).notNullable();
    key(t, 'nonce', 64).notNullable();
    time(t, 'expires_at');
    t.primary(['site_id', 'nonce']);
    t.index(['expires_at']);
  });
}

async function plumbing({ create, key, json }: SchemaTools): Promise<void> {
  await create('outbox', (t) => {
    id(t);
    key(t, 'event', 150).notNullable(); // one row per (event, recipient), e.g. referral:41:new_sale
    key(t, 'recipient', 191).notNullable();
    t.string('kind', 50).notNullable();
    json(t, 'payload');
    t.string('status', 20).notNullable(); // pending, sent, skipped, dead
    t.integer('attempts').notNullable().defaultTo(0);
    time(t, 'next_attempt_at');
    key(t, 'claimed_by', 64).nullable();
    t.bigInteger('claimed_until').nullable();
    t.string('last_error', 500).nullable();
    time(t, 'created_at', 'updated_at');
    t.unique(['event', 'recipient']);
    t.index(['status', 'next_attempt_at']);
  });
  await create('idempotency_keys', (t) => {
    key(t, 'scope', 128).notNullable();
    key(t, 'idem_key', 255).notNullable();
    key(t, 'fingerprint', 64).notNullable();
    key(t, 'owner', 64).notNullable(); // the request that holds the claim
    t.integer('status').nullable(); // null: claimed; 0: effect committed; else the stored answer's
    json(t, 'answer');
    time(t, 'claimed_until', 'created_at', 'expires_at');
    t.primary(['scope', 'idem_key']);
    t.index(['expires_at']);
  });
  await create('daily_stats', (t) => { // written in the transaction of the row it counts; scope a:<affiliate id> or all:<shard>
    key(t, 'scope', 32).notNullable();
    t.integer('day').notNullable(); // days since 1970-01-01 in the site's time zone
    count(t, 'visits', 'referrals', 'affiliates');
    t.primary(['scope', 'day']);
    t.index(['day']);
  });
  await create('skip_counts', (t) => { // clicks that were not counted, by reason
    t.integer('day').notNullable();
    key(t, 'kind', 20).notNullable();
    key(t, 'reason', 50).notNullable();
    count(t, 'hits');
    t.primary(['day', 'kind', 'reason']);
  });
  await create('skipped_conversions', (t) => {
    id(t);
    key(t, 'provider', 100).notNullable();
    key(t, 'provider_id', 191).notNullable();
    key(t, 'reason', 50).notNullable();
    ref(t, 'affiliate_id');
    time(t, 'created_at');
    t.index(['provider', 'provider_id']);
    t.index(['created_at', 'id']);
  });
  await create('rate_limits', (t) => {
    key(t, 'limit_key', 191).notNullable().primary();
    t.bigInteger('points').notNullable();
    time(t, 'expires_at');
    t.index(['expires_at']);
  });
  await create('host_users', (t) => { // for hosts whose user ids are text
    id(t);
    key(t, 'host_id', 191).notNullable().unique();
    time(t, 'created_at');
  });
  await create('signup_challenges', (t) => {
    key(t, 'reference', 64).notNullable().primary();
    key(t, 'code_hash', 64).notNullable();
    json(t, 'payload');
    t.integer('attempts').notNullable().defaultTo(0);
    time(t, 'created_at', 'expires_at');
    t.index(['expires_at']);
  });
}

async function commerce({ create, key, json }: SchemaTools): Promise<void> {
  await create('coupons', (t) => {
    key(t, 'provider', 100).notNullable();
    key(t, 'code_key', 100).notNullable(); // trimmed, lower case
    t.string('code', 100).notNullable();
    t.bigInteger('affiliate_id').notNullable();
    time(t, 'created_at');
    t.primary(['provider', 'code_key']);
    t.index(['affiliate_id']);
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
  });
  await create('provider_deliveries', (t) => {
    id(t);
    key(t, 'provider', 100).notNullable();
    key(t, 'delivery_key', 191).notNullable();
    t.string('topic', 100).nullable();
    t.string('status', 20).notNullable();
    t.integer('attempts').notNullable().defaultTo(0);
    t.bigInteger('next_attempt_at').nullable();
    t.bigInteger('claimed_at').nullable();
    key(t, 'awaits_ref', 191).nullable();
    t.string('reason', 100).nullable();
    json(t, 'event');
    time(t, 'received_at', 'updated_at');
    t.unique(['provider', 'delivery_key']);
    t.index(['status', 'next_attempt_at']);
    t.index(['provider', 'awaits_ref']);
  });
  await create('provider_orders', (t) => {
    id(t);
    key(t, 'provider', 50).notNullable();
    key(t, 'account', 150).notNullable().defaultTo('');
    key(t, 'provider_id', 191).notNullable();
    key(t, 'sub_id', 191).notNullable().defaultTo('');
    key(t, 'subscription_id', 191).nullable();
    t.string('state', 20).notNullable();
    time(t, 'event_at');
    key(t, 'currency', 3).notNullable();
    json(t, 'totals');
    json(t, 'items');
    json(t, 'refunds');
    ref(t, 'customer_id');
    ref(t, 'affiliate_id');
    ref(t, 'visit_id');
    t.string('source', 50).nullable();
    t.string('decision', 50).nullable();
    t.string('reason', 50).nullable();
    ref(t, 'referral_id');
    time(t, 'created_at', 'updated_at');
    t.unique(['provider', 'account', 'provider_id', 'sub_id']);
    t.index(['provider', 'subscription_id']);
    t.index(['referral_id']);
  });
  await create('provider_refs', (t) => {
    key(t, 'provider', 50).notNullable();
    key(t, 'account', 150).notNullable().defaultTo('');
    key(t, 'ref', 191).notNullable();
    t.bigInteger('order_id').notNullable();
    t.primary(['provider', 'account', 'ref']);
    t.index(['order_id']);
    t.foreign('order_id').references('id').inTable('provider_orders').onDelete('CASCADE');
  });
}

async function imports({ create, key, json }: SchemaTools): Promise<void> {
  await create('import_runs', (t) => {
    key(t, 'source', 50).notNullable().primary();
    t.string('stage', 30).notNullable();
    t.bigInteger('revision').notNullable(); // compared and set with every batch
    json(t, 'state');
    time(t, 'created_at', 'updated_at');
  });
  await create('import_rows', (t) => { // rows that were left out, or came in with a remark
    id(t);
    key(t, 'source', 50).notNullable();
    t.string('stage', 30).notNullable();
    key(t, 'source_id', 100).notNullable();
    t.string('outcome', 10).notNullable();
    t.string('reason', 191).notNullable();
    time(t, 'created_at');
    t.unique(['source', 'stage', 'source_id']);
  });
}
