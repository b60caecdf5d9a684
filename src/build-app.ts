import type { HostAdapter, HostUser } from '../adapters/host.js';
import { storedIds } from '../adapters/host-user-ids.js';
import { strictHost } from '../adapters/strict-host.js';
import { HookRegistry } from '../hooks/registry.js';
import type { App, CallContext } from './app.js';
import { Scope } from './core/scope.js';
import { createDatabase, type Database } from './database/index.js';
import { LongLists } from './database/long-list.js';
import { withOpening } from './database/opening.js';
import { AffiliatesService } from './modules/affiliates/index.js';
import { ApiKeysService } from './modules/api-keys/index.js';
import { AuditService } from './modules/audit/service.js';
import { SitesService } from './modules/connected-sites/index.js';
import { ConversionsService } from './modules/conversions/index.js';
import { CreativesService } from './modules/creatives/index.js';
import { CustomersService } from './modules/customers/index.js';
import { EmailsService } from './modules/emails/index.js';
import { EventsService } from './modules/events/index.js';
import { FraudService } from './modules/fraud/index.js';
import { GroupsService } from './modules/groups/index.js';
import { IntegrationsService } from './modules/integrations/index.js';
import { LedgerService } from './modules/ledger/index.js';
import { LicenseService } from './modules/license/index.js';
import { LinksService } from './modules/links/index.js';
import { ManagersService } from './modules/managers/index.js';
import { MigrationsService } from './modules/migrations/index.js';
import { OrdersService } from './modules/orders/index.js';
import { OutboxService } from './modules/outbox/index.js';
import { PayoutsService } from './modules/payouts/index.js';
import { PortalService } from './modules/portal/index.js';
import { ReferralsService } from './modules/referrals/index.js';
import { RegistrationService } from './modules/registration/index.js';
import { ReportsService, RollupsService } from './modules/reports/index.js';
import { SettingsService } from './modules/settings/index.js';
import { TrackingService } from './modules/tracking/index.js';
import { UsersService } from './modules/users/index.js';
import { SystemService } from './modules/system/index.js';
import { VisitsService } from './modules/visits/index.js';
import type { ResolvedOptions } from './options.js';
import { KeyRing } from './secrets.js';
import type { Services } from './services.js';

export interface Built {
  readonly app: App;
  readonly database: Database;
  readonly hooks: HookRegistry;
  readonly secrets: KeyRing;
  /** Settings of the database that may lose acknowledged writes, known on start. */
  readonly durability: string[];
  /** Tells the host that its service is closed. */
  readonly disconnect: () => void;
}

/** Builds everything once. The services meet through the app object they are given. */
export function buildApp(adapter: HostAdapter, options: ResolvedOptions): Built {
  const host = strictHost(adapter);
  const scope = new Scope<CallContext>();
  const nobody: CallContext = { user: null, requestId: 'code', source: 'code' };
  const context: App['context'] = {
    current: () => scope.get() ?? nobody,
    run: (value, work) => scope.run(value, work),
  };
  const database = createDatabase({
    database: options.database,
    tablePrefix: options.tablePrefix,
    migrate: options.migrate,
    durability: options.durability,
    log: options.logger,
  });
  const hooks: HookRegistry = new HookRegistry({
    prefix: options.hookPrefix,
    log: options.logger,
    strict: options.strictHooks,
    inTransaction: () => database.db.inTransaction,
    context: () => ({ ...context.current(), service: app }),
  });
  const secrets = new KeyRing(options.secret, () => options.clock.now());
  const base: Omit<App, keyof Services | 'accounts'> = {
    host,
    options,
    context,
    hooks,
    secrets,
    db: database.db,
    limited: database.limited,
    withLease: database.withLease,
    longLists: new LongLists(database.db),
    clock: options.clock,
    log: options.logger,
    transaction: withOpening(database.transaction, database.db, () => context.current().onTransaction),
    basePath: `${host.site().restPrefix.replace(/\/$/, '')}/${options.namespace}/v2`,
    users: (ids) => findUsers(host, ids),
  };
  const app = base as App;
  Object.assign(app, buildServices(app), { accounts: new UsersService(app, adapter.connect !== undefined) });
  const disconnect = adapter.connect?.({
    userIds: storedIds(
      () => app.db,
      'host_users',
      () => app.clock.now(),
    ),
    pageIds: storedIds(
      () => app.db,
      'host_pages',
      () => app.clock.now(),
    ),
  });
  return { app, database, durability: [], hooks, secrets, disconnect: () => disconnect?.() };
}

const buildServices = (app: App): Services => ({
  affiliates: new AffiliatesService(app),
  apiKeys: new ApiKeysService(app),
  audit: new AuditService(app),
  conversions: new ConversionsService(app),
  creatives: new CreativesService(app),
  customers: new CustomersService(app),
  emails: new EmailsService(app),
  events: new EventsService(app),
  fraud: new FraudService(app),
  groups: new GroupsService(app),
  integrations: new IntegrationsService(app),
  ledger: new LedgerService(app),
  license: new LicenseService(app),
  links: new LinksService(app),
  managers: new ManagersService(app),
  migrations: new MigrationsService(app),
  orders: new OrdersService(app),
  outbox: new OutboxService(app),
  payouts: new PayoutsService(app),
  portal: new PortalService(app),
  referrals: new ReferralsService(app),
  registration: new RegistrationService(app),
  reports: new ReportsService(app),
  rollups: new RollupsService(app),
  settings: new SettingsService(app),
  sites: new SitesService(app),
  tracking: new TrackingService(app),
  system: new SystemService(app),
  visits: new VisitsService(app),
});

async function findUsers(
  host: HostAdapter,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, HostUser>> {
  const wanted = [...new Set([...ids].filter((id): id is number => id !== null && id > 0))];
  if (wanted.length === 0) return new Map();
  return new Map((await host.users.find(wanted)).map((user) => [user.id, user]));
}
