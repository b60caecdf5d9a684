import { defineModule } from '../../platform/module.js';
import { OperationsService } from './service.js';

export const operations = defineModule({
  name: 'operations',
  Service: OperationsService,
  jobs: [
    {
      name: 'long-work',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.hasWork(),
      run: (service) => service.resume(),
    },
  ],
});
