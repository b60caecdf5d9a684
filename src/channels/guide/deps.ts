import type { Platform } from '../../platform/platform.js';
import type { Risk } from '../../platform/risks.js';
import type { AuditService } from '../../program/audit/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { SettingsService } from '../../program/settings/service.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';
import type { TrackingService } from '../../attribution/tracking/service.js';
import type { ConversionsService } from '../../attribution/conversions/service.js';
import type { EmailsService } from '../emails/service.js';
import type { InvitationsService } from '../invitations/service.js';
import type { RegistrationService } from '../registration/service.js';

export interface Deps extends Platform {
  /** What is risky about this installation now. */
  risks(): Promise<readonly Risk[]>;
  readonly audit: AuditService;
  readonly affiliates: AffiliatesService;
  readonly settings: SettingsService;
  readonly referrals: ReferralsService;
  readonly tracking: TrackingService;
  readonly conversions: ConversionsService;
  readonly emails: EmailsService;
  readonly invitations: InvitationsService;
  readonly registration: RegistrationService;
}
