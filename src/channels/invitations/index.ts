export { invitationRoutes } from './routes.js';
export { InvitationsService } from './service.js';
