import { defineModule } from '../../platform/module.js';
import { WorksService } from './service.js';

export type { LongWork, Progress, Step } from './contributions.js';
export type { Work, WorkKind } from './types.js';

export const works = defineModule({
  name: 'works',
  Service: WorksService,
  jobs: [
    {
      name: 'long-work',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.isWaiting(),
      run: (service) => service.resume(),
    },
  ],
});
