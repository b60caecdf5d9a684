import { DAY } from '../../core/duration.js';
import { defineModule } from '../../platform/module.js';
import { OutboxService } from './service.js';

export const outbox = defineModule({
  name: 'outbox',
  Service: OutboxService,
  jobs: [{ name: 'purge-outbox', everyMs: DAY, run: (service) => service.purge() }],
});
