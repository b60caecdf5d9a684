export { EventLog } from './service.js';
