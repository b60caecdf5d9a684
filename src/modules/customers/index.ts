export { CustomersService } from './service.js';
export type * from './types.js';
