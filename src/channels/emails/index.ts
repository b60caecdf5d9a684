import { HOUR } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { emailRoutes } from './routes.js';
import { EmailsService } from './service.js';

export { EMAIL_KEYS } from './types.js';
export type { EmailConfig, EmailKey, EmailSettings, MailSubject, MailWriter, ModuleMail } from './types.js';

export const emails = defineModule({
  name: 'emails',
  Service: EmailsService,
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
});
