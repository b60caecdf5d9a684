import { SUB_ID_MAX, SUB_IDS } from '../../../core/sub-ids.js';
import type { SchemaStep } from '../migrate.js';

/** What affiliates put into their links to tell their sources apart, on the click and on its commissions. */
export const subIdsStep: SchemaStep = {
  id: '021-sub-ids',
  up: async ({ column }) => {
    for (const table of ['visits', 'referrals'] as const)
      for (const name of SUB_IDS) await column(table, name, `varchar(${SUB_ID_MAX})`);
  },
};
