export { BalancesService } from './service.js';
export type { Balance, MoneyState } from './types.js';
