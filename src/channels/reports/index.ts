import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { reportHooks } from './hooks.js';
import { reportRoutes } from './routes.js';
import { ReportsService } from './service.js';

export const reports = defineModule({
  name: 'reports',
  Service: ReportsService,
  hooks: reportHooks,
  routes: [...reportRoutes],
  api: (service) => only(service, ['balances', 'chart', 'dashboard', 'provider', 'providers']),
});
