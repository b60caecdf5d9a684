import { defineModule } from '../../platform/module.js';
import { RewardsService } from './service.js';
import { rewardRoutes } from './routes.js';

export const rewards = defineModule({
  name: 'rewards',
  Service: RewardsService,
  routes: [...rewardRoutes],
});
