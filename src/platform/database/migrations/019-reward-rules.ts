import type { SchemaStep } from '../migrate.js';
import { count, id, ref, time } from './columns.js';

/** Rule sets, and the rule that an order counts for in caps. */
export const rewardRulesStep: SchemaStep = {
  id: '019-reward-rules',
  up: async ({ create, column, index, key, json }) => {
    await create('reward_sets', (t) => {
      id(t);
      count(t, 'version');
      key(t, 'state', 20).notNullable(); // draft, active, retired
      ref(t, 'effective_from');
      ref(t, 'effective_until');
      t.text('note').notNullable();
      json(t, 'body');
      json(t, 'simulation');
      ref(t, 'created_by');
      ref(t, 'edited_by');
      time(t, 'created_at', 'updated_at');
      t.unique(['version']);
      t.index(['state']);
    });
    await column('orders', 'reward_rule', 'varchar(50)');
    await index('orders', ['affiliate_id', 'reward_rule']);
  },
};
