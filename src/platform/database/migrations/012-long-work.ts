import type { SchemaStep } from '../migrate.js';
import { count } from './columns.js';

/** Long work is done in steps: what it has planned, how far it is, and why it stopped. */
export const longWorkStep: SchemaStep = {
  id: '012-long-work',
  up: async ({ create, column, key }) => {
    // `told`: whoever does it only reports it
    await column('works', 'state', "varchar(20) not null default 'told'");
    // how often the step at hand failed for the same reason
    await column('works', 'failures', 'bigint not null default 0');
    await column('works', 'reason', 'varchar(500)');
    // the user who began it; null for code
    await column('works', 'user_id', 'bigint');
    // the commissions of each affiliate that a payout was to pay when it began
    await create('payout_plan', (t) => {
      t.bigInteger('payout_id').notNullable();
      t.bigInteger('affiliate_id').notNullable();
      count(t, 'referral_count', 'amount_minor', 'highest_id', 'id_sum');
      key(t, 'left_out', 30).nullable(); // why the affiliate is not paid by it
      t.primary(['payout_id', 'affiliate_id']);
    });
  },
};
