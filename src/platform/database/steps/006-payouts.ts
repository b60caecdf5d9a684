import type { SchemaStep } from '../migrate.js';

/** What a payout once amounted to, for the approval by a second user; the audit by actor. */
export const payoutsStep: SchemaStep = {
  id: '006-payouts',
  async up({ db, column, index }) {
    // an imported payout has 0: its total is the highest
    await column('payouts', 'highest_total_minor', 'bigint not null default 0');
    await db.execute(
      `update ${db.name('payouts')} set highest_total_minor = total_amount_minor ` +
        'where highest_total_minor < total_amount_minor',
    );
    await index('payouts', ['created_by', 'created_at']);
    await index('audit', ['actor_id', 'id']);
  },
};
