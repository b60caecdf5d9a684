import { DAY } from '../../core/duration.js';
import { lists } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { auditHooks } from './hooks.js';
import { auditRoutes } from './routes.js';
import { AuditService } from './service.js';

export const audit = defineModule({
  name: 'audit',
  Service: AuditService,
  hooks: auditHooks,
  routes: [...auditRoutes],
  jobs: [{ name: 'purge-audit', everyMs: DAY, run: (service) => service.purge() }],
  api: (service) => lists(service, ['list']),
});
