import { defineModule } from '../../platform/module.js';
import { systemRoutes } from './routes.js';
import { SystemService } from './service.js';

export const system = defineModule({
  name: 'system',
  Service: SystemService,
  routes: [...systemRoutes],
});
