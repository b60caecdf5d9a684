import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { importHooks } from './hooks.js';
import { importRoutes } from './routes.js';
import { ImportsService } from './service.js';

export type * from './types.js';

export const imports = defineModule({
  name: 'imports',
  Service: ImportsService,
  hooks: importHooks,
  routes: [...importRoutes],
  jobs: [
    {
      name: 'imports',
      everyMs: 0,
      isDue: (service) => service.isDue(),
      run: async (service) => service.resume(),
    },
  ],
  api: (service) =>
    only(service, [
      'cancel',
      'check',
      'compareAffiliates',
      'dataCounts',
      'exportProgram',
      'importProgram',
      'list',
      'remarks',
      'report',
      'resume',
      'run',
      'start',
      'statistics',
      'status',
      'wipe',
    ]),
  immediate: ['resume'],
  rows: ['exportProgram'],
});
