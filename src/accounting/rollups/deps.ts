import type { Platform } from '../../platform/platform.js';
import type { GroupsService } from '../../program/groups/service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';

export interface Deps extends Platform {
  readonly groups: GroupsService;
  readonly affiliates: AffiliatesService;
}
