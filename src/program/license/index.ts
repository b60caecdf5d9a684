import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { licenseHooks } from './hooks.js';
import { licenseRoutes } from './routes.js';
import { LicenseService } from './service.js';

export const license = defineModule({
  name: 'license',
  Service: LicenseService,
  hooks: licenseHooks,
  routes: [...licenseRoutes],
  api: (service) => only(service, ['activate', 'deactivate', 'status']),
});
