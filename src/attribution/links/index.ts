import { byId, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { linkRoutes } from './routes.js';
import { LinksService } from './service.js';

export const links = defineModule({
  name: 'links',
  Service: LinksService,
  routes: [...linkRoutes],
  api: (service) => ({
    ...byId(service, ['get', 'remove', 'update']),
    ...only(service, ['create', 'target']),
    ...lists(service, ['list']),
  }),
});
