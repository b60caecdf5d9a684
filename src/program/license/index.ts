import { defineModule } from '../../platform/module.js';
import { licenseRoutes } from './routes.js';
import { LicenseService } from './service.js';

export type { LicenseReport, LicenseStatus } from './types.js';

export const license = defineModule({
  name: 'license',
  Service: LicenseService,
  routes: [...licenseRoutes],
});
