import { defineModule } from '../../platform/module.js';
import { messageRoutes } from './routes.js';
import { MessagesService } from './service.js';

export const messages = defineModule({
  name: 'messages',
  Service: MessagesService,
  routes: [...messageRoutes],
  jobs: [
    {
      name: 'queue-messages',
      everyMs: 0,
      isDue: (service) => service.isDue(),
      run: (service) => service.queueStep(),
    },
  ],
});
