import { defineModule } from '../../platform/module.js';
import { reportRoutes } from './routes.js';
import { ReportsService } from './service.js';

export const reports = defineModule({
  name: 'reports',
  Service: ReportsService,
  routes: [...reportRoutes],
});
