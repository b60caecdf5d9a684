import type { Platform } from '../../platform/platform.js';
import type { SettingsService } from '../settings/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly settings: SettingsService;
}
