import { HOUR } from '../../core/duration.js';
import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { emailHooks } from './hooks.js';
import { emailRoutes } from './routes.js';
import { EmailsService } from './service.js';

export const emails = defineModule({
  name: 'emails',
  Service: EmailsService,
  hooks: emailHooks,
  routes: [...emailRoutes],
  jobs: [
    { name: 'queue-digest', everyMs: HOUR, run: (service) => service.queueDigest() },
    {
      name: 'deliver-mails',
      everyMs: 0,
      aside: true,
      isDue: (service) => service.isDue(),
      run: (service) => service.deliverDue(),
    },
  ],
  api: (service) =>
    only(service, [
      'allow',
      'bounced',
      'config',
      'deliverDue',
      'notifications',
      'saveConfig',
      'send',
      'sendTest',
      'smartCodes',
    ]),
});
