export { WorksService } from './service.js';
export type { Work, WorkKind } from './types.js';
