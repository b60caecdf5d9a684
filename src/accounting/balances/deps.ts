import type { Platform } from '../../platform/platform.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';

export interface Deps extends Platform {
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
}
