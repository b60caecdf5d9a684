import type { SchemaStep } from '../migrate.js';

/**
 * Redirect links with names of their own; what suspicion was raised, and what affiliates are recognised by.
 */
export const linksAndFraudStep: SchemaStep = {
  id: '002-links-and-fraud',
  async up({ create, key, json }) {
    await create('redirect_links', (t) => {
      t.bigIncrements('id');
      key(t, 'slug', 100).notNullable().unique();
      t.bigInteger('affiliate_id').notNullable();
      t.bigInteger('creative_id').nullable();
      t.string('url', 2048).nullable(); // null: where the creative leads, else the affiliate's default link
      t.string('utm_campaign', 100).nullable();
      t.string('status', 20).notNullable();
      t.bigInteger('created_at').notNullable();
      t.bigInteger('updated_at').notNullable();
      t.index(['affiliate_id', 'id']);
      t.index(['creative_id']);
      t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
      t.foreign('creative_id').references('id').inTable('creatives').onDelete('CASCADE');
    });
    await create('fraud_events', (t) => {
      t.bigIncrements('id');
      key(t, 'rule', 30).notNullable();
      t.string('action', 10).notNullable();
      t.bigInteger('affiliate_id').notNullable();
      key(t, 'customer_key', 64).notNullable(); // keyed hash
      t.bigInteger('referral_id').nullable();
      key(t, 'provider', 100).notNullable();
      key(t, 'provider_id', 191).notNullable();
      json(t, 'evidence');
      t.bigInteger('created_at').notNullable();
      t.unique(['rule', 'affiliate_id', 'customer_key']);
      t.index(['affiliate_id', 'id']);
      t.index(['referral_id']);
      t.index(['created_at']);
      t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
      t.foreign('referral_id').references('id').inTable('referrals').onDelete('SET NULL');
    });
    await create('affiliate_marks', (t) => {
      t.bigInteger('affiliate_id').notNullable();
      key(t, 'kind', 10).notNullable();
      key(t, 'mark', 64).notNullable(); // keyed hash
      t.bigInteger('seen_at').notNullable();
      t.primary(['affiliate_id', 'kind', 'mark']);
      t.index(['kind', 'mark']);
      t.index(['kind', 'seen_at']);
      t.foreign('affiliate_id').references('id').inTable('affiliates').onDelete('CASCADE');
    });
  },
};
