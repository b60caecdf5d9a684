import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { settingsHooks } from './hooks.js';
import { hostRoutes } from './host-routes.js';
import { settingsRoutes } from './routes.js';
import { SettingsService } from './service.js';

export type { ReferralConfig } from './types.js';

export const settings = defineModule({
  name: 'settings',
  Service: SettingsService,
  hooks: settingsHooks,
  routes: [...settingsRoutes, ...hostRoutes],
  api: (service) =>
    only(service, ['features', 'portalUrl', 'referralConfig', 'rules', 'saveReferralConfig', 'saveRules']),
});
