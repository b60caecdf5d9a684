export { RewardsService } from './service.js';
export { rewardRoutes } from './routes.js';
