import type { Platform } from '../../platform/platform.js';
import type { AuditService } from '../../program/audit/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { RewardsService } from '../rewards/service.js';
import type { TrackingService } from '../tracking/service.js';
import type { CreativesService } from '../creatives/service.js';

export interface Deps extends Platform {
  readonly audit: AuditService;
  readonly affiliates: AffiliatesService;
  readonly tracking: TrackingService;
  readonly rewards: RewardsService;
  readonly creatives: CreativesService;
}
