import { byId, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { apiKeyRoutes } from './routes.js';
import { ApiKeysService } from './service.js';

export const apiKeys = defineModule({
  name: 'apiKeys',
  Service: ApiKeysService,
  routes: [...apiKeyRoutes],
  api: (service) => ({
    ...byId(service, ['get', 'remove', 'update']),
    ...only(service, ['create', 'list']),
  }),
});
