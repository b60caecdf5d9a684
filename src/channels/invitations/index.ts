import { DAY } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { invitationRoutes } from './routes.js';
import { InvitationsService } from './service.js';

export const invitations = defineModule({
  name: 'invitations',
  Service: InvitationsService,
  routes: [...invitationRoutes],
  jobs: [{ name: 'purge-invitations', everyMs: DAY, run: (service) => service.purge() }],
});
