import type { AffiliatesService } from './modules/affiliates/service.js';
import type { AuditService } from './modules/audit/service.js';
import type { SitesService } from './modules/connected-sites/service.js';
import type { ConversionsService } from './modules/conversions/service.js';
import type { CreativesService } from './modules/creatives/service.js';
import type { CustomersService } from './modules/customers/service.js';
import type { EmailsService } from './modules/emails/service.js';
import type { GroupsService } from './modules/groups/service.js';
import type { IntegrationsService } from './modules/integrations/service.js';
import type { LedgerService } from './modules/ledger/service.js';
import type { LicenseService } from './modules/license/service.js';
import type { ManagersService } from './modules/managers/service.js';
import type { MigrationsService } from './modules/migrations/service.js';
import type { PayoutsService } from './modules/payouts/service.js';
import type { PortalService } from './modules/portal/service.js';
import type { ReferralsService } from './modules/referrals/service.js';
import type { RegistrationService } from './modules/registration/service.js';
import type { RollupsService } from './modules/reports/rollups.js';
import type { ReportsService } from './modules/reports/service.js';
import type { SettingsService } from './modules/settings/service.js';
import type { TrackingService } from './modules/tracking/service.js';
import type { VisitsService } from './modules/visits/service.js';

/** The services behind the routes: same rules, no HTTP. */
export interface Services {
  readonly affiliates: AffiliatesService;
  readonly audit: AuditService;
  readonly conversions: ConversionsService;
  readonly creatives: CreativesService;
  readonly customers: CustomersService;
  readonly emails: EmailsService;
  readonly groups: GroupsService;
  readonly integrations: IntegrationsService;
  readonly ledger: LedgerService;
  readonly license: LicenseService;
  readonly managers: ManagersService;
  readonly migrations: MigrationsService;
  readonly payouts: PayoutsService;
  readonly portal: PortalService;
  readonly referrals: ReferralsService;
  readonly registration: RegistrationService;
  readonly reports: ReportsService;
  readonly rollups: RollupsService;
  readonly settings: SettingsService;
  readonly sites: SitesService;
  readonly tracking: TrackingService;
  readonly visits: VisitsService;
}
