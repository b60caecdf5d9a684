import type { SchemaStep } from '../migrate.js';

/** Keys of scripts and servers, each for one user of the host; the secret itself is never stored. */
export const apiKeysStep: SchemaStep = {
  id: '013-api-keys',
  async up({ create, column, key, json }) {
    await create('api_keys', (t) => {
      t.bigIncrements('id');
      key(t, 'key_id', 8).notNullable().unique(); // the public part
      key(t, 'secret_hash', 64).notNullable(); // SHA-256, hex
      t.bigInteger('user_id').notNullable();
      t.string('name', 100).notNullable();
      json(t, 'rights'); // list of words
      t.bigInteger('created_by').nullable();
      t.bigInteger('expires_at').nullable();
      t.bigInteger('last_used_at').nullable(); // to the minute
      t.bigInteger('created_at').notNullable();
      t.bigInteger('updated_at').notNullable();
      t.index(['user_id']);
    });
    await column('audit', 'api_key_id', 'bigint null');
  },
};
