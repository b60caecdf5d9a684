import { HOUR, MINUTE } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { GoalsService } from './service.js';
import { goalRoutes } from './routes.js';

export const goals = defineModule({
  name: 'goals',
  Service: GoalsService,
  routes: [...goalRoutes],
  jobs: [
    { name: 'reward-goals', everyMs: MINUTE, run: (service) => service.settleGoals() },
    { name: 'reward-levels', everyMs: HOUR, run: (service) => service.moveLevels() },
  ],
});
