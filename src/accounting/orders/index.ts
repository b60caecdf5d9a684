import { defineModule } from '../../platform/module.js';
import { orderHooks } from './hooks.js';
import { OrdersService } from './service.js';

export const orders = defineModule({
  name: 'orders',
  Service: OrdersService,
  hooks: orderHooks,
});
