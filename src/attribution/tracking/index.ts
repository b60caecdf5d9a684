export { CONSENT_COOKIE } from './cookie.js';
export { trackingPaths } from './openapi.js';
export { TrackingService } from './service.js';
export { SKIP_REASONS } from './types.js';
export type {
  Attribution,
  ClickInput,
  ClickResult,
  ClickSite,
  RequestHandler,
  SkipReason,
  TrackMessage,
  Visitor,
} from './types.js';
