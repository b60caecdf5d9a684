import { defineModule } from '../../platform/module.js';
import { BalancesService } from './service.js';

export const balances = defineModule({
  name: 'balances',
  Service: BalancesService,
});
