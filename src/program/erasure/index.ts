export { ErasureService } from './service.js';
