export { hostRoutes } from './host-routes.js';
export { settingsRoutes } from './routes.js';
export { SettingsService } from './service.js';
export type { Flag, ReferralConfig } from './types.js';
