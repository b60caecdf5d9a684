import type { SchemaTools } from '../schema-tools.js';
import { amount, count, id, ref, time } from './columns.js';

// Part of 001-initial. Who earns, in which groups, who may sign in by key; what was changed, what has to be told.

export async function programTables({ create, key, json }: SchemaTools): Promise<void> {
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
    t.smallint('threshold_told').notNullable().defaultTo(0); // 1: balance.threshold_reached was told
    json(t, 'settings');
    json(t, 'custom_fields');
    json(t, 'note');
    key(t, 'source_key', 191).nullable().unique();
    key(t, 'source_hash', 64).nullable(); // what an imported row was made of, so that a change of it is seen
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'id']);
    t.index(['group_id', 'id']);
    t.index(['created_at', 'id']);
    t.foreign('group_id').references('id').inTable('meta').onDelete('SET NULL');
  });
  await create('affiliate_aliases', (t) => {
    // every value an affiliate's links ever carried, of each kind once: an earlier one goes on crediting him
    id(t);
    key(t, 'kind', 30).notNullable(); // custom_param, or the name of an imported system's values
    key(t, 'value', 191).notNullable();
    t.bigInteger('affiliate_id').notNullable();
    time(t, 'created_at');
    t.unique(['kind', 'value']);
    t.index(['affiliate_id', 'kind']);
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
  });
  await create('api_keys', (t) => {
    // keys of scripts and servers, each for one user of the host; the secret itself is never stored
    id(t);
    key(t, 'key_id', 8).notNullable().unique(); // the public part
    key(t, 'secret_hash', 64).notNullable(); // SHA-256, hex
    t.bigInteger('user_id').notNullable();
    t.string('name', 100).notNullable();
    json(t, 'rights'); // list of words
    t.bigInteger('created_by').nullable();
    t.bigInteger('expires_at').nullable();
    t.bigInteger('last_used_at').nullable(); // to the minute
    time(t, 'created_at', 'updated_at');
    t.index(['user_id']);
  });
  await create('audit', (t) => {
    id(t);
    ref(t, 'actor_id');
    ref(t, 'api_key_id');
    t.string('action', 100).notNullable();
    t.string('object_type', 50).notNullable();
    key(t, 'object_id', 64).nullable();
    json(t, 'before');
    json(t, 'after');
    key(t, 'request_id', 64).nullable();
    time(t, 'created_at');
    t.index(['object_type', 'object_id', 'id']);
    t.index(['created_at', 'id']);
    t.index(['actor_id', 'id']);
  });
  await create('outbox', (t) => {
    id(t);
    key(t, 'channel', 40).notNullable().defaultTo('mail'); // mail, webhook:<endpoint>
    key(t, 'event', 150).notNullable(); // one row per (event, recipient), e.g. referral:41:new_sale
    key(t, 'recipient', 191).notNullable();
    t.string('kind', 50).notNullable();
    key(t, 'object_key', 100).nullable(); // one after the other for the same object
    ref(t, 'event_id');
    json(t, 'payload');
    t.string('status', 20).notNullable(); // pending, sent, skipped, dead
    t.integer('attempts').notNullable().defaultTo(0);
    time(t, 'next_attempt_at');
    key(t, 'claimed_by', 64).nullable();
    t.bigInteger('claimed_until').nullable();
    t.string('last_error', 500).nullable();
    t.integer('answer_status').nullable();
    t.text('answer').nullable(); // the first 1 KiB
    time(t, 'created_at', 'updated_at');
    t.unique(['event', 'recipient']);
    t.index(['status', 'next_attempt_at']);
    t.index(['channel', 'status', 'next_attempt_at']);
    t.index(['channel', 'object_key', 'status', 'id']);
    t.index(['channel', 'id']);
  });
  await create('event_queue', (t) => {
    // what happened and was not given its place in line yet
    eventColumns({ key, json }, t); // written in the transaction of the change
    json(t, 'stored_row'); // a row as it stood, where many changed in one statement
    time(t, 'created_at');
  });
  await create('events', (t) => {
    eventColumns({ key, json }, t); // in line: ids grow in the order in which they can be read
    time(t, 'created_at');
    t.index(['created_at']);
    t.index(['type', 'id']);
  });
}

function eventColumns(
  { key, json }: Pick<SchemaTools, 'key' | 'json'>,
  t: Parameters<Parameters<SchemaTools['create']>[1]>[0],
): void {
  id(t);
  key(t, 'type', 60).notNullable();
  key(t, 'object_type', 30).notNullable();
  key(t, 'object_id', 64).notNullable();
  json(t, 'data');
  json(t, 'previous');
}
