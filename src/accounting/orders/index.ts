export { OrdersService } from './service.js';
