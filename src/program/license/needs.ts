import type { Platform } from '../../platform/platform.js';
import type { SettingsService } from '../settings/service.js';

/** What stands below every module, and the modules this one calls. */
export interface Needs extends Platform {
  readonly settings: SettingsService;
}
