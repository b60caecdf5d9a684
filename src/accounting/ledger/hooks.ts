import { after, defineHooks } from '../../platform/hooks/line.js';

export const ledgerHooks = defineHooks(
  {
    currency_changed: after<[currency: string, previous: string]>(
      ['currency', 'previous'],
      "The program's currency changed, and the totals of all affiliates were recalculated.",
    ),
  },
  {
    'currency.changed': 'currency_changed',
  },
);
