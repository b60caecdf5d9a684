import type { SchemaTools } from '../schema-tools.js';
import { id, time } from './columns.js';

// Part of 001-initial: connected sites, shops, webhook endpoints, applications and imports.

export async function edgeTables({ create, key, json }: SchemaTools): Promise<void> {
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
  await create('webhook_endpoints', (t) => {
    // endpoints that receive events
    id(t);
    t.string('url', 2048).notNullable();
    t.string('description', 255).notNullable();
    json(t, 'events'); // list of types, or ["*"]
    t.string('status', 20).notNullable(); // active or disabled
    t.string('disabled_reason', 20).nullable(); // gone or failing; null: disabled by a person
    t.smallint('payment_details').notNullable().defaultTo(0);
    t.text('secret').notNullable(); // sealed
    t.text('former_secret').nullable(); // sealed; signs beside the new one for a day
    t.bigInteger('former_until').nullable();
    t.bigInteger('failing_since').nullable(); // the first failure since the last success
    t.integer('failures').notNullable().defaultTo(0); // failures in a row
    t.bigInteger('paused_until').nullable();
    t.bigInteger('created_by').nullable();
    time(t, 'created_at', 'updated_at');
  });
  await create('signup_challenges', (t) => {
    key(t, 'reference', 64).notNullable().primary();
    key(t, 'code_hash', 64).notNullable();
    json(t, 'payload');
    t.integer('attempts').notNullable().defaultTo(0);
    time(t, 'created_at', 'expires_at');
    t.index(['expires_at']);
  });
  await create('import_runs', (t) => {
    key(t, 'source', 50).notNullable().primary();
    t.string('stage', 30).notNullable();
    t.bigInteger('revision').notNullable(); // compared and set with every batch
    json(t, 'state');
    time(t, 'created_at', 'updated_at');
  });
  await create('import_rows', (t) => {
    // imported rows that were left out or have a remark
    id(t);
    key(t, 'source', 50).notNullable();
    t.string('stage', 30).notNullable();
    key(t, 'source_id', 100).notNullable();
    t.string('outcome', 10).notNullable();
    t.string('reason', 191).notNullable();
    t.string('affiliate', 191).nullable(); // the affiliate's name in the old system
    t.string('amount', 60).nullable(); // the text in the old system
    t.string('currency', 10).nullable();
    t.string('detail', 500).nullable(); // the text that could not be used
    time(t, 'created_at');
    t.unique(['source', 'stage', 'source_id']);
  });
}
