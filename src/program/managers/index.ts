import { defineModule } from '../../platform/module.js';
import { managerRoutes } from './routes.js';
import { ManagersService } from './service.js';

export type { Manager, ManagerInput } from './types.js';

export const managers = defineModule({
  name: 'managers',
  Service: ManagersService,
  routes: [...managerRoutes],
});
