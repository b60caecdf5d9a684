export { ConversionsService } from './service.js';
export { SKIP_REASONS, UNCHANGED_REASONS } from './types.js';
export type * from './types.js';
