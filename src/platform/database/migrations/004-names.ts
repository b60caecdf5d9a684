import type { SchemaStep } from '../migrate.js';
import { time } from './columns.js';

/**
 * One registry of all names that credit an affiliate (docs/tracking.md §1); it replaces the table of aliases.
 * Names stay when their affiliate is deleted, so that they credit no other affiliate.
 */
export const namesStep: SchemaStep = {
  id: '004-names',
  async up({ create, key, db, schema, name }) {
    await create('affiliate_names', (t) => {
      t.bigIncrements('id');
      key(t, 'space', 30).notNullable(); // names are unique within it: links, or a kind of an imported system
      key(t, 'name', 191).notNullable(); // in the form they are compared in; a hash once they are retired
      t.string('kind', 20).notNullable(); // own, login, merged, imported
      t.bigInteger('affiliate_id').nullable(); // null: retired
      t.bigInteger('user_id').nullable(); // of a retired name: the user who may have it again
      time(t, 'since');
      t.unique(['space', 'name']);
      t.index(['affiliate_id', 'space']);
      t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('SET NULL');
    });
    if (!(await schema.hasTable(name('affiliate_aliases')))) return;
    await db.execute(
      `insert into ${name('affiliate_names')} (space, name, kind, affiliate_id, since) ` +
        `select case when kind = 'custom_param' then 'links' else kind end, value, ` +
        `case when kind = 'custom_param' then 'own' when kind like 'merged%' then 'merged' else 'imported' end, ` +
        `affiliate_id, created_at from ${name('affiliate_aliases')} old where not exists ` +
        `(select 1 from ${name('affiliate_names')} copied where copied.name = old.value and copied.space = ` +
        `case when old.kind = 'custom_param' then 'links' else old.kind end)`,
      [],
    );
    await schema.dropTable(name('affiliate_aliases'));
  },
};
