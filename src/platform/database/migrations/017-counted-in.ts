import type { SchemaStep } from '../migrate.js';

/**
 * The currency in which the earnings of an affiliate's row are counted while the program changes to another one;
 * null: the currency of the program.
 */
export const countedInStep: SchemaStep = {
  id: '017-counted-in',
  up: async ({ column }) => column('affiliates', 'counted_in', 'varchar(3)'),
};
