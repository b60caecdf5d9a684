import { defineModule } from '../../platform/module.js';
import { BalancesService } from './service.js';

export type { Balance, MoneyState } from './types.js';

export const balances = defineModule({
  name: 'balances',
  Service: BalancesService,
});
