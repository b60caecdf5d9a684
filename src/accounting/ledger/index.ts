import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { ledgerHooks } from './hooks.js';
import { LedgerService } from './service.js';

export const ledger = defineModule({
  name: 'ledger',
  Service: LedgerService,
  hooks: ledgerHooks,
  api: (service) => only(service, ['reconcile', 'verify']),
});
