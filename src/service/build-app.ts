import type { HostAdapter, HostUser } from '../../adapters/host.js';
import { storedIds } from '../../adapters/host-user-ids.js';
import { strictHost } from '../../adapters/strict-host.js';
import { PAYER_KINDS } from '../../adapters/payers/index.js';
import { HookRegistry } from '../../hooks/registry.js';
import type { App } from '../app/app.js';
import type { CallContext } from '../platform/call-context.js';
import { NO_REQUEST } from '../platform/http/request-context.js';
import type { Platform } from '../platform/platform.js';
import { Telemetry } from '../core/telemetry.js';
import { Scope } from '../core/scope.js';
import { createDatabase, type Database } from '../platform/database/index.js';
import {
  behindGate,
  behindSharedGate,
  withOpening,
  withSharedOpening,
} from '../platform/database/opening.js';
import { InternalEvents } from '../platform/internal-events.js';
import { UsersService } from '../channels/users/index.js';
import { fail } from '../errors.js';
import type { ResolvedOptions } from '../options.js';
import { risks, type StartReport } from '../platform/risks.js';
import { KeyRing } from '../platform/secrets.js';
import { systemClock } from '../core/clock.js';
import { contextLogger } from '../platform/context-logger.js';
import { publicApi, type Services } from '../app/public-api.js';
import { MODULES } from '../app/modules.js';

export interface BuiltApp {
  readonly app: App;
  /** What hosts may call of the services. */
  readonly services: Services;
  readonly database: Database;
  readonly hooks: HookRegistry;
  readonly secrets: KeyRing;
  /** What the start found out; known after it. */
  readonly found: { -readonly [Key in keyof StartReport]: StartReport[Key] };
  /** Notifies the host that its service is closed. */
  readonly disconnect: () => void;
}

/** Builds all services once. They reach each other through the app object they are given. */
export function buildApp(adapter: HostAdapter, options: ResolvedOptions): BuiltApp {
  const host = strictHost(adapter);
  const scope = new Scope<CallContext>();
  const log = contextLogger({ logger: options.logger, clock: systemClock, current: () => scope.get() });
  const telemetry = new Telemetry(options.openTelemetry);
  const fromCode: CallContext = { user: null, requestId: NO_REQUEST, source: 'code' };
  const context: App['context'] = {
    current: () => scope.get() ?? fromCode,
    run: (value, work) => scope.run(value, work),
  };
  const database = createDatabase({
    database: options.database,
    tablePrefix: options.tablePrefix,
    migrate: options.migrate,
    durability: options.durability,
    log,
    telemetry,
  });
  const opening = (): CallContext['onTransaction'] => context.current().onTransaction;
  const door = (): Promise<void> => checkPublicApi(app);
  const hooks: HookRegistry = new HookRegistry({
    prefix: options.hookPrefix,
    log,
    strict: options.strictHooks,
    inTransaction: () => database.db.inTransaction,
    context: () => ({ ...context.current(), service: services }),
  });
  const secrets = new KeyRing(options.secret, () => options.clock.now());
  const found: BuiltApp['found'] = { durability: [], newerSteps: () => database.newerSteps() };
  const base: Platform = {
    host,
    options,
    context,
    hooks: hooks as unknown as Platform['hooks'], // the registry's own types are those for hosts, by name of any hook
    secrets,
    db: database.db,
    limited: database.limited,
    snapshot: database.snapshot,
    withLease: database.withLease,
    underway: () => database.underway(),
    internal: new InternalEvents(),
    clock: options.clock,
    log,
    telemetry,
    transaction: behindGate(withOpening(database.transaction, database.db, opening), database.db, door),
    sharedTransaction: behindSharedGate(
      withSharedOpening(database.sharedTransaction, database.db, opening),
      database.db,
      door,
    ),
    basePath: `${host.site().restPrefix.replace(/\/$/, '')}/${options.namespace}/v2`,
    users: (ids) => findUsers(host, ids),
  };
  const app = base as App;
  for (const { name, Service } of MODULES) Object.assign(app, { [name]: new Service(app) });
  app.payers.methods.offer(PAYER_KINDS);
  const userIds = storedIds(
    () => app.db,
    'host_users',
    () => app.clock.now(),
  );
  Object.assign(app, {
    accounts: new UsersService(app, adapter.connect !== undefined, (hostId) => userIds.idOf(hostId)),
    risks: () => risks(app, found),
  });
  const services = publicApi(app);
  const disconnect = adapter.connect?.({
    userIds,
    pageIds: storedIds(
      () => app.db,
      'host_pages',
      () => app.clock.now(),
    ),
  });
  return { app, services, database, found, hooks, secrets, disconnect: () => disconnect?.() };
}

/** While the data is being wiped, all other writes fail at once. */
async function checkPublicApi({ context, settings }: App): Promise<void> {
  if (context.current().whileClosed !== true && (await settings.isClosed()))
    fail('closed_for_wipe', { retryAfter: 5 });
}

async function findUsers(
  host: HostAdapter,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, HostUser>> {
  const wanted = [...new Set([...ids].filter((id): id is number => id !== null && id > 0))];
  if (wanted.length === 0) return new Map();
  return new Map((await host.users.find(wanted)).map((user) => [user.id, user]));
}
