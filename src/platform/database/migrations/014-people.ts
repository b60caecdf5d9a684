import type { SchemaStep } from '../migrate.js';
import { count, id, ref, time } from './columns.js';

/** Invitations, and messages to affiliates. */
export const peopleStep: SchemaStep = {
  id: '014-people',
  up: async ({ create, key, json }) => {
    await create('invitations', (t) => {
      id(t);
      key(t, 'kind', 20).notNullable(); // affiliate, manager
      t.string('email', 254).notNullable();
      key(t, 'email_key', 254).notNullable();
      t.string('status', 20).notNullable(); // open, accepted, withdrawn
      ref(t, 'group_id');
      t.string('rate_type', 20).notNullable();
      ref(t, 'rate_e4');
      t.text('note').nullable();
      json(t, 'permissions');
      ref(t, 'affiliate_id');
      ref(t, 'user_id'); // who came of it
      ref(t, 'created_by');
      time(t, 'created_at', 'sent_at', 'expires_at', 'updated_at');
      t.index(['email_key', 'kind']);
      t.index(['affiliate_id']);
      t.index(['expires_at']);
    });
    await create('messages', (t) => {
      id(t);
      t.string('subject', 255).notNullable();
      t.text('body').notNullable();
      json(t, 'audience');
      t.string('status', 20).notNullable(); // queued, done
      count(t, 'recipients');
      ref(t, 'last_affiliate_id'); // how far the queueing has come
      ref(t, 'portal_until');
      ref(t, 'created_by');
      time(t, 'created_at', 'updated_at');
      t.index(['status']);
      t.index(['portal_until']);
    });
    await create('message_recipients', (t) => {
      t.bigInteger('message_id').notNullable();
      t.bigInteger('affiliate_id').notNullable();
      t.primary(['message_id', 'affiliate_id']);
      t.index(['affiliate_id', 'message_id']);
    });
  },
};
