import { DAY, HOUR } from '../../core/duration.js';
import { byId, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { fraudHooks } from './hooks.js';
import { fraudRoutes } from './routes.js';
import { FraudService } from './service.js';

export { FRAUD_RULES } from './types.js';
export type { FraudAction, FraudEvent, FraudHit, FraudRule } from './types.js';

export const fraud = defineModule({
  name: 'fraud',
  Service: FraudService,
  hooks: fraudHooks,
  routes: [...fraudRoutes],
  jobs: [
    { name: 'mark-payout-destinations', everyMs: HOUR, run: (service) => service.catchUp() },
    { name: 'purge-fraud', everyMs: DAY, run: (service) => service.purge() },
  ],
  api: (service) => ({
    ...byId(service, ['paysWith', 'sawAt']),
    ...only(service, ['actions']),
    ...lists(service, ['list']),
  }),
});
