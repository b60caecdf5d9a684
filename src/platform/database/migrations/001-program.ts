import type { SchemaTools } from '../schema-tools.js';
import { amount, count, id, ref, time } from './columns.js';

// Part of 001-initial: affiliates and their groups, API keys, the audit log, mails and events.

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
    json(t, 'notes'); // copied too, for searches
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
    t.smallint('threshold_told').notNullable().defaultTo(0); // 1: balance.threshold_reached was sent
    json(t, 'settings');
    json(t, 'custom_fields');
    json(t, 'note');
    key(t, 'source_key', 191).nullable().unique();
    key(t, 'source_hash', 64).nullable(); // hash of the imported row, to notice when it changes
    time(t, 'created_at', 'updated_at');
    t.index(['status', 'id']);
    t.index(['group_id', 'id']);
    t.index(['created_at', 'id']);
    t.foreign('group_id').references('id').inTable('meta').onDelete('SET NULL');
  });
  await create('affiliate_aliases', (t) => {
    // every value that an affiliate's links have carried, one row for each kind: an earlier value still
    // credits the affiliate
    id(t);
    key(t, 'kind', 30).notNullable(); // custom_param, or the kind of an imported system's value
    key(t, 'value', 191).notNullable();
    t.bigInteger('affiliate_id').notNullable();
    time(t, 'created_at');
    t.unique(['kind', 'value']);
    t.index(['affiliate_id', 'kind']);
    t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
  });
  await create('api_keys', (t) => {
    // API keys, each for one user of the host; the secret itself is never stored
    id(t);
    key(t, 'key_id', 8).notNullable().unique(); // the public part
    key(t, 'secret_hash', 64).notNullable(); // SHA-256, hex
    t.bigInteger('user_id').notNullable();
    t.string('name', 100).notNullable();
    json(t, 'rights'); // list of rights
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
    key(t, 'object_key', 100).nullable(); // messages about the same object are sent one after another
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
    // events that have no number in the sequence yet
    eventColumns({ key, json }, t); // written in the transaction of the change
    json(t, 'stored_row'); // the stored row, when one statement changed many
    time(t, 'created_at');
  });
  await create('events', (t) => {
    eventColumns({ key, json }, t); // numbered events: ids grow in the order in which events become readable
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
