import { defineModule } from '../../platform/module.js';
import { rollupRoutes } from './routes.js';
import { RollupsService } from './service.js';

export const rollups = defineModule({
  name: 'rollups',
  Service: RollupsService,
  routes: [...rollupRoutes],
});
