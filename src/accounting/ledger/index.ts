export { LedgerService } from './service.js';
export type * from './types.js';
