import { HOUR } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { guideRoutes } from './routes.js';
import { GuideService } from './service.js';

export const guide = defineModule({
  name: 'guide',
  Service: GuideService,
  routes: [...guideRoutes],
  jobs: [{ name: 'remove-test-orders', everyMs: HOUR, run: (service) => service.removeAbandonedTests() }],
});
