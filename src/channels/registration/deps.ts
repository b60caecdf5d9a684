import type { Platform } from '../../platform/platform.js';
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { registrationHooks } from './hooks.js';
import type { settingsHooks } from '../../program/settings/hooks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { FraudService } from '../../attribution/fraud/service.js';
import type { EmailsService } from '../emails/service.js';
import type { InvitationsService } from '../invitations/service.js';
import type { CaptchaService } from '../captcha/service.js';

/** The platform, and the modules this one calls. */
export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof registrationHooks & typeof settingsHooks>;
  readonly audit: AuditService;
  readonly settings: SettingsService;
  readonly affiliates: AffiliatesService;
  readonly fraud: FraudService;
  readonly emails: EmailsService;
  readonly invitations: InvitationsService;
  readonly captcha: CaptchaService;
}
