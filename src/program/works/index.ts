export { WorksService } from './service.js';
export type { LongWork, Progress, Step, Work, WorkKind } from './types.js';
