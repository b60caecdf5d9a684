import { randomToken } from '../../../core/random.js';
import type { SchemaTools } from '../schema-tools.js';
import { count, id, time } from './columns.js';

// Part of 001-initial. Tables of the platform: identity, settings, numbers for ids of the host that are text,
// limits and keys of repeated requests.

const ONLY_ROW = 1;

export async function platformTables({ db, create, key, json }: SchemaTools): Promise<void> {
  await create('service_identity', (t) => {
    // its one row identifies this service, also among services with the same secret
    t.integer('id').notNullable().primary();
    key(t, 'service_id', 64).notNullable();
  });
  const row = { id: ONLY_ROW, service_id: randomToken(24) };
  await db.dialect.insertIfAbsent(db, 'service_identity', row, ['id']);
  await create('options', (t) => {
    key(t, 'name', 191).notNullable().primary();
    json(t, 'value');
    t.bigInteger('version').notNullable().defaultTo(1);
    time(t, 'updated_at');
  });
  await create('host_users', (t) => {
    // for hosts whose user ids are text
    id(t);
    key(t, 'host_id', 191).notNullable().unique();
    time(t, 'created_at');
  });
  await create('host_pages', (t) => {
    // for hosts whose page ids are text
    id(t);
    key(t, 'host_id', 191).notNullable().unique();
    time(t, 'created_at');
  });
  await create('missing_users', (t) => {
    // affiliates whose account was missing when the host was last asked
    t.bigInteger('user_id').notNullable().primary();
    time(t, 'created_at'); // when the account was first missing
  });
  await create('works', (t) => {
    // long work that is running, or was interrupted and can be continued
    key(t, 'kind', 30).notNullable();
    t.bigInteger('object_id').notNullable();
    count(t, 'done', 'total');
    json(t, 'details');
    time(t, 'started_at', 'seen_at');
    t.primary(['kind', 'object_id']);
  });
  await create('rate_limits', (t) => {
    key(t, 'limit_key', 191).notNullable().primary();
    t.bigInteger('points').notNullable();
    time(t, 'expires_at');
    t.index(['expires_at']);
  });
  await create('idempotency_keys', (t) => {
    key(t, 'scope', 128).notNullable();
    key(t, 'idem_key', 255).notNullable();
    key(t, 'fingerprint', 64).notNullable();
    key(t, 'owner', 64).notNullable(); // the request that holds the claim
    // Null: claimed; 0: the effect is committed; otherwise the status of the stored answer.
    t.integer('status').nullable();
    json(t, 'answer');
    time(t, 'claimed_until', 'created_at', 'expires_at');
    t.primary(['scope', 'idem_key']);
    t.index(['expires_at']);
  });
}
