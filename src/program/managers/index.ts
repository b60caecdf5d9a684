import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { managerRoutes } from './routes.js';
import { ManagersService } from './service.js';

export const managers = defineModule({
  name: 'managers',
  Service: ManagersService,
  routes: [...managerRoutes],
  api: (service) => only(service, ['list', 'remove', 'save']),
});
