import type { SchemaStep } from '../migrate.js';
import { count } from './columns.js';

const STATUSES = ['paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing'] as const;

/** Clicks that brought an order are marked; what referrals add up to is stored. */
export const countedListsStep: SchemaStep = {
  id: '004-counted-lists',
  async up({ create, key, column }) {
    await column('visits', 'converted', 'smallint not null default 0'); // 1: a referral names the visit
    await create('referral_totals', (t) => {
      // one row per affiliate, provider and currency; '' for none
      t.bigInteger('affiliate_id').notNullable();
      key(t, 'provider', 100).notNullable();
      key(t, 'currency', 3).notNullable();
      count(t, ...STATUSES); // referrals
      count(t, 'paid_minor', 'paid_order_minor', 'unpaid_minor', 'unpaid_order_minor');
      t.primary(['affiliate_id', 'provider', 'currency']);
    });
  },
};
