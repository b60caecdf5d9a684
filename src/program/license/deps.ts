import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { licenseHooks } from './hooks.js';
import type { SettingsService } from '../settings/service.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof licenseHooks>;
  readonly settings: SettingsService;
}
