import type { SchemaStep } from '../migrate.js';

/** The short link that a click came through, for reward rules of single links. */
export const visitLinksStep: SchemaStep = {
  id: '022-visit-links',
  up: async ({ column }) => column('visits', 'link_id', 'bigint'),
};
