import type { SchemaStep } from '../migrate.js';
import { time } from './columns.js';

/** Addresses that mails came back from. */
export const bouncesStep: SchemaStep = {
  id: '016-bounces',
  up: async ({ create, key }) => {
    await create('bounced_addresses', (t) => {
      key(t, 'mark', 64).notNullable().primary(); // keyed hash of the address
      time(t, 'bounced_at');
    });
  },
};
