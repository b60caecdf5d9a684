import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { settingsHooks } from '../../program/settings/hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof settingsHooks>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
}
