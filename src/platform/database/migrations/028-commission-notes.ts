import type { SchemaStep } from '../migrate.js';

/** What affiliates write beside their commissions, for themselves. */
export const commissionNotesStep: SchemaStep = {
  id: '028-commission-notes',
  up: ({ create }) =>
    create('commission_notes', (t) => {
      t.bigInteger('referral_id').primary();
      t.string('note', 200).notNullable();
      t.foreign('referral_id').references('id').inTable('referrals').onDelete('CASCADE');
    }),
};
