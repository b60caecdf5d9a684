import { MINUTE } from '../../core/duration.js';
import { byId, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { creativeHooks } from './hooks.js';
import { creativeRoutes } from './routes.js';
import { CreativesService } from './service.js';

export const creatives = defineModule({
  name: 'creatives',
  Service: CreativesService,
  hooks: creativeHooks,
  routes: [...creativeRoutes],
  jobs: [{ name: 'creative-schedule', everyMs: MINUTE, run: (service) => service.sweep() }],
  api: (service) => ({
    ...byId(service, ['embedCode', 'find', 'get', 'remove', 'update']),
    ...only(service, ['create']),
    ...lists(service, ['list']),
  }),
});
