import { defineModule } from '../../platform/module.js';
import { LedgerService } from './service.js';

export type * from './types.js';

export const ledger = defineModule({
  name: 'ledger',
  Service: LedgerService,
});
