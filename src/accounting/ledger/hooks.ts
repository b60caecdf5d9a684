import { after, defineHooks } from '../../platform/hooks/line.js';

export const ledgerHooks = defineHooks(
  {
    currency_changed: after<[currency: string, previous: string]>(
      ['currency', 'previous'],
      'The currency of the program changed, and the totals of all affiliates were computed again.',
    ),
  },
  {
    'currency.changed': 'currency_changed',
  },
);
