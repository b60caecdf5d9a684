import type { HostAdapter, HostUser } from '../adapters/host.js';
import { storedIds } from '../adapters/host-user-ids.js';
import { strictHost } from '../adapters/strict-host.js';
import { HookRegistry } from '../hooks/registry.js';
import type { App, CallContext, Platform } from './app.js';
import { Scope } from './core/scope.js';
import { createDatabase, type Database } from './database/index.js';
import { withOpening, withSharedOpening } from './database/opening.js';
import { InternalEvents } from './internal-events.js';
import { AffiliatesService } from './modules/affiliates/index.js';
import { ApiKeysService } from './modules/api-keys/index.js';
import { AuditService } from './modules/audit/service.js';
import { SitesService } from './modules/connected-sites/index.js';
import { CaptchaService } from './modules/captcha/index.js';
import { ConversionsService } from './modules/conversions/index.js';
import { CreativesService } from './modules/creatives/index.js';
import { CustomersService } from './modules/customers/index.js';
import { EmailsService } from './modules/emails/index.js';
import { EventLog } from './modules/event-log/index.js';
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
import { ReportsService } from './modules/reports/index.js';
import { RollupsService } from './modules/rollups/index.js';
import { SettingsService } from './modules/settings/index.js';
import { TrackingService } from './modules/tracking/index.js';
import { UsersService } from './modules/users/index.js';
import { SystemService } from './modules/system/index.js';
import { VisitsService } from './modules/visits/index.js';
import type { ResolvedOptions } from './options.js';
import { risks } from './risks.js';
import { KeyRing } from './secrets.js';
import { frontDoor, type Services } from './front-door.js';
import type { Modules } from './modules.js';

export interface Built {
  readonly app: App;
  /** What hosts may call. */
  readonly services: Services;
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
  const opening = (): CallContext['onTransaction'] => context.current().onTransaction;
  const hooks: HookRegistry = new HookRegistry({
    prefix: options.hookPrefix,
    log: options.logger,
    strict: options.strictHooks,
    inTransaction: () => database.db.inTransaction,
    context: () => ({ ...context.current(), service: services }),
  });
  const secrets = new KeyRing(options.secret, () => options.clock.now());
  const durability: string[] = [];
  const base: Omit<Platform, 'eventLog'> = {
    host,
    options,
    context,
    hooks,
    secrets,
    db: database.db,
    limited: database.limited,
    withLease: database.withLease,
    internal: new InternalEvents(),
    clock: options.clock,
    log: options.logger,
    transaction: withOpening(database.transaction, database.db, opening),
    sharedTransaction: withSharedOpening(database.sharedTransaction, database.db, opening),
    basePath: `${host.site().restPrefix.replace(/\/$/, '')}/${options.namespace}/v2`,
    users: (ids) => findUsers(host, ids),
  };
  const app = base as App;
  Object.assign(app, { eventLog: new EventLog(app) });
  for (const [name, Service] of MODULES) Object.assign(app, { [name]: new Service(app) });
  Object.assign(app, {
    accounts: new UsersService(app, adapter.connect !== undefined),
    risks: () => risks(app, durability),
  });
  const services = frontDoor(app);
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
  return { app, services, database, durability, hooks, secrets, disconnect: () => disconnect?.() };
}

/**
 * Floor by floor: a module finds those above it in this list;
 * listeners of internal events are called in this order.
 */
const MODULES: readonly (readonly [name: keyof Modules, Service: new (app: App) => object])[] = [
  ['outbox', OutboxService],
  ['audit', AuditService],
  ['settings', SettingsService],
  ['groups', GroupsService],
  ['affiliates', AffiliatesService],
  ['managers', ManagersService],
  ['apiKeys', ApiKeysService],
  ['license', LicenseService],
  ['ledger', LedgerService],
  ['rollups', RollupsService],
  ['visits', VisitsService],
  ['referrals', ReferralsService],
  ['customers', CustomersService],
  ['orders', OrdersService],
  ['payouts', PayoutsService],
  ['fraud', FraudService],
  ['tracking', TrackingService],
  ['conversions', ConversionsService],
  ['creatives', CreativesService],
  ['links', LinksService],
  ['integrations', IntegrationsService],
  ['sites', SitesService],
  ['events', EventsService],
  ['emails', EmailsService],
  ['captcha', CaptchaService],
  ['registration', RegistrationService],
  ['portal', PortalService],
  ['reports', ReportsService],
  ['migrations', MigrationsService],
  ['system', SystemService],
];

async function findUsers(
  host: HostAdapter,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, HostUser>> {
  const wanted = [...new Set([...ids].filter((id): id is number => id !== null && id > 0))];
  if (wanted.length === 0) return new Map();
  return new Map((await host.users.find(wanted)).map((user) => [user.id, user]));
}
