import { DAY } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { auditRoutes } from './routes.js';
import { AuditService } from './service.js';

export const audit = defineModule({
  name: 'audit',
  Service: AuditService,
  routes: [...auditRoutes],
  jobs: [{ name: 'purge-audit', everyMs: DAY, run: (service) => service.purge() }],
});
