import type { SchemaTools } from '../migrate.js';
import { count, id, ref, time } from './columns.js';

// Part of 001-initial: settings and material, and what queues, limits, shops and imports keep.

export async function settings({ create, key, json }: SchemaTools): Promise<void> {
  await create('options', (t) => {
    key(t, 'name', 191).notNullable().primary();
    json(t, 'value');
    t.bigInteger('version').notNullable().defaultTo(1);
    time(t, 'updated_at');
  });
}

export async function material({ create, key, json }: SchemaTools): Promise<void> {
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

export async function plumbing({ create, key, json }: SchemaTools): Promise<void> {
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
  await create('daily_stats', (t) => {
    // written in the transaction of the row it counts; scope a:<affiliate id> or all:<shard>
    key(t, 'scope', 32).notNullable();
    t.integer('day').notNullable(); // days since 1970-01-01 in the site's time zone
    count(t, 'visits', 'referrals', 'affiliates');
    t.primary(['scope', 'day']);
    t.index(['day']);
  });
  await create('skip_counts', (t) => {
    // clicks that were not counted, by reason
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
  await create('host_users', (t) => {
    // for hosts whose user ids are text
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

export async function commerce({ create, key, json }: SchemaTools): Promise<void> {
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
}

export async function imports({ create, key, json }: SchemaTools): Promise<void> {
  await create('import_runs', (t) => {
    key(t, 'source', 50).notNullable().primary();
    t.string('stage', 30).notNullable();
    t.bigInteger('revision').notNullable(); // compared and set with every batch
    json(t, 'state');
    time(t, 'created_at', 'updated_at');
  });
  await create('import_rows', (t) => {
    // rows that were left out, or came in with a remark
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
