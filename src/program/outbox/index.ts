export { OutboxService } from './service.js';
