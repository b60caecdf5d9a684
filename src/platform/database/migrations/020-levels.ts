import type { SchemaStep } from '../migrate.js';
import { id, ref, time } from './columns.js';

/** The moves of affiliates between levels, and whether a person keeps an affiliate in its group. */
export const levelsStep: SchemaStep = {
  id: '020-levels',
  up: async ({ create, column, key }) => {
    await create('affiliate_levels', (t) => {
      id(t);
      t.bigInteger('affiliate_id').notNullable();
      // a window moves an affiliate once
      key(t, 'window_key', 20).notNullable();
      ref(t, 'from_group');
      ref(t, 'to_group');
      key(t, 'metric', 20).notNullable();
      key(t, 'value', 40).notNullable();
      t.bigInteger('set_id').notNullable();
      time(t, 'created_at');
      t.index(['affiliate_id', 'id']);
    });
    await column('affiliates', 'group_pinned', 'bigint');
  },
};
