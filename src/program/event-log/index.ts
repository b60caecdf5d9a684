import { defineModule } from '../../platform/module.js';
import { EventLog } from './service.js';

export const eventLog = defineModule({
  name: 'eventLog',
  Service: EventLog,
});
