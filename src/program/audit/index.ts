export { auditRoutes } from './routes.js';
export { AuditService } from './service.js';
