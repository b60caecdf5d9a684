export { WorksService } from './service.js';
export type { LongWork, Progress, Step } from './contributions.js';
export type { Work, WorkKind } from './types.js';
