import type { SchemaTools } from '../schema-tools.js';
import { count, id, ref, time } from './columns.js';

// Part of 001-initial: clicks, conversions, fraud findings, links and creatives.

export async function saleTables({ create, key, json }: SchemaTools): Promise<void> {
  await create('visit_keys', (t) => {
    // one row per affiliate, visitor and window; the key decides between two clicks at the same time
    key(t, 'visit_key', 128).notNullable().primary();
    t.bigInteger('visit_id').notNullable();
    time(t, 'created_at');
    t.index(['created_at']);
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
  await create('redirect_links', (t) => {
    // short links with a name of their own
    id(t);
    key(t, 'slug', 100).notNullable().unique();
    t.bigInteger('affiliate_id').notNullable();
    t.bigInteger('creative_id').nullable();
    t.string('url', 2048).nullable(); // null: the address of the creative, or else the affiliate's default link
    t.string('utm_campaign', 100).nullable();
    t.string('status', 20).notNullable();
    time(t, 'created_at', 'updated_at');
    t.index(['affiliate_id', 'id']);
    t.index(['creative_id']);
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
    t.foreign('creative_id').references('id').inTable('creatives').onDelete('CASCADE');
  });
  await create('fraud_events', (t) => {
    // every fraud finding
    id(t);
    key(t, 'rule', 30).notNullable();
    t.string('action', 10).notNullable();
    t.bigInteger('affiliate_id').notNullable();
    key(t, 'customer_key', 64).notNullable(); // keyed hash
    t.bigInteger('referral_id').nullable();
    key(t, 'provider', 100).notNullable();
    key(t, 'provider_id', 191).notNullable();
    json(t, 'evidence');
    time(t, 'created_at');
    t.unique(['rule', 'affiliate_id', 'customer_key']);
    t.index(['affiliate_id', 'id']);
    t.index(['referral_id']);
    t.index(['created_at']);
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
    t.foreign('referral_id').references('id').inTable('referrals').onDelete('SET NULL');
  });
  await create('affiliate_marks', (t) => {
    // what identifies an affiliate: address, device
    t.bigInteger('affiliate_id').notNullable();
    key(t, 'kind', 10).notNullable();
    key(t, 'mark', 64).notNullable(); // keyed hash
    time(t, 'seen_at');
    t.primary(['affiliate_id', 'kind', 'mark']);
    t.index(['kind', 'mark']);
    t.index(['kind', 'seen_at']);
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
  });
}
