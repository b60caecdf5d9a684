import type { SchemaStep } from '../migrate.js';

/** The link variables that a connected site had before; they go on being read. */
export const sitesImportsStep: SchemaStep = {
  id: '010-sites-imports',
  up: ({ column }) => column('connected_sites', 'former_params', 'text'),
};
