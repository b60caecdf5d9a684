import { MINUTE } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { creativeRoutes } from './routes.js';
import { CreativesService } from './service.js';

export type { Creative, CreativeForm } from './types.js';

export const creatives = defineModule({
  name: 'creatives',
  Service: CreativesService,
  routes: [...creativeRoutes],
  jobs: [{ name: 'creative-schedule', everyMs: MINUTE, run: (service) => service.sweep() }],
});
