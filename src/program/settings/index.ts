import { defineModule } from '../../platform/module.js';
import { hostRoutes } from './host-routes.js';
import { settingsRoutes } from './routes.js';
import { SettingsService } from './service.js';

export type { Flag, ReferralConfig } from './types.js';

export const settings = defineModule({
  name: 'settings',
  Service: SettingsService,
  routes: [...settingsRoutes, ...hostRoutes],
});
