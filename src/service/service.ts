import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Router } from 'express';
import type { Outcome, ProviderEvent } from '../../adapters/commerce.js';
import type { HostAdapter } from '../../adapters/host.js';
import type { HookRegistry, Hooks } from '../../hooks/registry.js';
import type { HookTaps, TapFunction } from '../../hooks/tap.js';
import { createPermissions, type Permissions } from '../platform/access/permissions.js';
import { sessionOf } from '../platform/access/read-session.js';
import type { Session } from '../platform/access/session.js';
import type { App } from '../app/app.js';
import { buildApp, type BuiltApp } from './build-app.js';
import { gated, gatedAll } from './call-gate.js';
import { SECOND } from '../core/duration.js';
import { nodeProblem } from '../core/runtime.js';
import type { ExtensionWidget } from '../core/extension-parts.js';
import { randomToken } from '../core/random.js';
import { fail } from '../errors.js';
import { jobsOf } from '../app/jobs.js';
import { warnOfParsers } from '../platform/http/body-parsers.js';
import { known, sendError } from '../platform/http/error-handler.js';
import { openapi } from '../platform/http/openapi.js';
import { createRouter } from '../platform/http/router.js';
import { allRoutes } from '../app/routes.js';
import { JobRunner } from '../platform/jobs/runner.js';
import { eventWebhooks } from '../channels/webhooks/index.js';
import { trackingPaths } from '../attribution/tracking/index.js';
import type { Affiliate } from '../program/affiliates/types.js';
import type { Violation } from '../accounting/ledger/types.js';
import type { UsersService } from '../channels/users/index.js';
import { resolveOptions, type ExtensionOf, type OptionsOf, type ResolvedOptions } from '../options.js';
import { createHealth, healthHandler, healthPaths, type Health } from './health.js';
import { observeMetrics, prometheusText, readMetrics, type Metrics } from './metrics.js';
import { pluginGlobals, type PluginGlobals, type PluginPlaces } from './plugin-globals.js';
import { resealAll } from '../platform/resealing.js';
import { risks, logRisks, type Risk } from '../platform/risks.js';
import type { Services } from '../app/public-api.js';
import { findSecrets } from '../platform/stored-secrets.js';
import { Start } from './start.js';

/** A handler for Express 4 and 5. It uses node's types, so that hosts of both compile. */
export type Handler = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** The part of the host's Express application that `mount` uses. */
export interface MountTarget {
  use(handler: Handler): unknown;
  use(path: string, handler: Handler): unknown;
}

export interface AffiliateService extends Services {
  /** The REST interface; mountable at any path, `basePath` is the usual one. */
  readonly router: Handler;
  readonly basePath: string;
  /**
   * For the host's public pages: sees referral parameters, records the visit, sets the cookie;
   * serves the script and its endpoint.
   */
  readonly tracker: Handler;
  /**
   * The tracker for hosts that call it themselves before they send a page: resolves when the click is stored
   * and its cookie is set on `res`.
   */
  trackVisit(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** The usual mounting: the tracker for every page, the router at `basePath`. */
  mount(target: MountTarget): void;
  readonly hooks: Hooks;
  readonly permissions: Permissions;
  /** The host's accounts: the ids of users, and what happens when one is deleted. */
  readonly users: UsersService;
  /**
   * The nonce of a request's sign-in, for pages that call the interface (header `X-WP-Nonce`);
   * null for a visitor.
   */
  nonce(req: IncomingMessage): Promise<string | null>;
  readonly jobs: Pick<JobRunner, 'runDue'>;
  /**
   * Who sent this request, what they may do, and the facts a page of the program starts from;
   * with a nonce for the REST interface.
   */
  session(req: IncomingMessage): Promise<Session>;
  /**
   * A signed text that names the affiliate of this visitor, for the reference field of an order; null when
   * the visitor has none.
   */
  checkoutToken(req: IncomingMessage): Promise<string | null>;
  /** `{ fa_ref }` for an order's metadata, or nothing. */
  checkoutMetadata(req: IncomingMessage): Promise<{ fa_ref?: string }>;
  /** An order event of the host's own shop, in the form commerce providers use. */
  recordConversion(event: ProviderEvent): Promise<Outcome>;
  /** The rows that break a rule of the books; there should be none. */
  verify(): Promise<Violation[]>;
  /** What is risky in this installation: settings, proxies, secrets, jobs, mails, silent providers. */
  risks(): Promise<Risk[]>;
  /**
   * Whether this process serves requests. Also at `<basePath>/health`, which returns 503 while it does not.
   * `<basePath>/health/live` returns 200 as long as the process runs.
   */
  health(): Promise<Health>;
  /** Figures for monitoring: clicks, commissions, what was skipped and why, queues, jobs, risks. */
  metrics(): Promise<Metrics>;
  /** The same as text, in the format of Prometheus. */
  metrics(format: 'prometheus'): Promise<string>;
  /** With the option `compat`: what pages of the plugin's own apps need. */
  readonly compat: {
    /**
     * Returns the values for `window.fluentAffiliateAdmin`, which the plugin's admin app starts with. Throws
     * `rest_forbidden` without a signed-in user.
     */
    appGlobals(req: IncomingMessage, places: PluginPlaces): Promise<PluginGlobals>;
  };
  /** The option `extensions`; console and portal read their pages and fields from it. */
  readonly extensions: readonly Extension[];
  /** The OpenAPI 3.1 document of the mounted routes. */
  openapi(): Readonly<Record<string, unknown>>;
  /**
   * Resolves when the schema is up to date; requests that come earlier wait for it. After a failed start, it
   * starts again and rejects with the error of this attempt. Requests start it again, too, at most once a
   * second and at least every 30 seconds; until then the response is 503 `not_started`.
   */
  ready(): Promise<void>;
  /**
   * Stops jobs, stores queued clicks, closes what we opened. Later requests get 503 `service_closed`; pages
   * pass without the tracker.
   */
  close(): Promise<void>;
  /** The same, for `await using service = createAffiliateService(host)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the option `extensions` lists (docs/extensions.md). */
export interface Extension extends ExtensionOf<AffiliateService, HookTaps> {
  /** Cards of an affiliate's page in the console. Each function returns a card, or null for none. */
  readonly widgets?: readonly ((
    affiliate: Affiliate,
  ) => ExtensionWidget | null | Promise<ExtensionWidget | null>)[];
}
export type AffiliateServiceOptions = OptionsOf<Extension>;

/** A service, and the parts hosts do not reach. */
export interface ServiceParts {
  readonly service: AffiliateService;
  readonly app: App;
}

/**
 * A complete affiliate program inside a host. Synchronous, so that a host can mount it while it boots.
 * Wrong options throw at once and name the key.
 */
export function createAffiliateService(
  host: HostAdapter,
  options: AffiliateServiceOptions = {},
): AffiliateService {
  return openService(host, options).service;
}

/** Like `createAffiliateService`, with the parts hosts do not reach: for the service's own tests. */
export function openService(host: HostAdapter, options: AffiliateServiceOptions): ServiceParts {
  checkNode();
  const resolved = resolveOptions(options);
  checkPaths(resolved.tracking);
  const built = buildApp(host, resolved);
  const service = assemble(built, {
    extensions: options.extensions,
    secretsOf: readSecrets,
    logsRisks: true,
  });
  return { service, app: built.app };
}

async function readSecrets({ app, secrets }: BuiltApp): Promise<void> {
  await findSecrets(app, secrets);
  await app.connectedSites.warnAboutSecret();
  await resealAll(app);
}

/**
 * The same for a command that works on the data of a service. It checks no signatures, so its secret is made
 * at random and not stored: who reads the database could use a stored one.
 */
export function openPassingService(host: HostAdapter, options: AffiliateServiceOptions): ServiceParts {
  const built = buildApp(host, resolveOptions(options));
  const service = assemble(built, {
    extensions: options.extensions,
    secretsOf: async ({ secrets }) => {
      secrets.bind(randomToken(24), randomToken(48));
    },
    logsRisks: false,
  });
  return { service, app: built.app };
}

/**
 * The tracker's own paths are on the same level as the routes of the interface, and must not hide one of
 * them.
 */
function checkPaths({ path, redirectPath }: ResolvedOptions['tracking']): void {
  const first = (text: string): string => text.split('/')[1]?.toLowerCase() ?? '';
  const taken = new Set(['health', ...allRoutes().flatMap(({ paths }) => paths.map(first))]);
  for (const [name, value] of Object.entries({ path, redirectPath }))
    if (taken.has(first(value)))
      throw new TypeError(
        `Option "tracking.${name}" must be a path that no route of the interface begins with.`,
      );
  if (first(path) === first(redirectPath))
    throw new TypeError('Options "tracking.path" and "tracking.redirectPath" must begin differently.');
}

function checkNode(): void {
  const problem = nodeProblem(process.version);
  if (problem !== null) throw new Error(problem);
}

interface AssemblyOptions {
  readonly extensions: readonly Extension[] | undefined;
  readonly secretsOf: (built: BuiltApp) => Promise<void>;
  /** Log and store the risks on start? Not for a command, which has options of its own. */
  readonly logsRisks: boolean;
}

function assemble(
  built: BuiltApp,
  { extensions = [], secretsOf, logsRisks }: AssemblyOptions,
): AffiliateService {
  const { app, hooks } = built;
  const runner = new JobRunner(app, jobsOf(app));
  const start = new Start({
    open: () => openDatabase(built, secretsOf),
    finish: async () => {
      await app.commerce.start();
      await Promise.all(settingUp);
      if (app.options.jobs) runner.start();
      if (logsRisks) await logRisks(app, built.found);
      await hooks.doAction('loaded', service);
    },
    log: app.log,
    repeats: app.options.jobs,
  });
  let closed: Promise<void> | undefined;
  const isOpen = async (): Promise<void> => {
    if (closed) fail('service_closed');
    await start.forRequest();
  };
  const tracker = whileOpen(app.tracking.middleware(), {
    start,
    basePath: app.basePath,
    isClosed: () => closed !== undefined,
  });
  const health = createHealth({ built, start, isClosed: () => closed !== undefined });
  const readFigures = async (): Promise<Metrics> => {
    await start.forCall();
    const codes = (await risks(app, built.found)).map(({ code }) => code);
    return readMetrics(app, codes);
  };
  observeMetrics(app.telemetry, readFigures);
  const service: AffiliateService = {
    ...gatedAll(built.services, start),
    router: mountable(app, isOpen, health),
    basePath: app.basePath,
    tracker,
    trackVisit: async (req, res) => {
      if (closed === undefined && (start.isDone || (await start.forPage())))
        await app.tracking.trackVisit(req, res);
    },
    mount: (target) => {
      warnOfParsers(target, app.log);
      start.begin(); // jobs run before the first request
      target.use(service.tracker);
      target.use(app.basePath, service.router);
    },
    hooks,
    permissions: gated(createPermissions(app), 'permissions', start),
    users: gated(app.accounts, 'users', start),
    nonce: (req) => isOpen().then(() => app.accounts.nonce(req)),
    jobs: gated(runner, 'jobs', start),
    session: async (req) => {
      await isOpen();
      return sessionOf(app, req).catch((error: unknown) => {
        const failure = known(app, error);
        if (failure.status !== 503) throw error;
        app.log.error('the address of a client could not be read', { error });
        throw failure;
      });
    },
    checkoutToken: (req) => start.forCall().then(() => app.commerce.checkoutToken(req)),
    checkoutMetadata: (req) => start.forCall().then(() => app.commerce.checkoutMetadata(req)),
    recordConversion: async (event) => {
      await start.forCall();
      return app.commerce.recordConversion(event);
    },
    verify: async () => {
      await start.forCall();
      return app.ledger.verify();
    },
    risks: async () => {
      await start.forCall();
      return risks(app, built.found);
    },
    health,
    metrics: metricsOf(readFigures),
    compat: {
      appGlobals: async (req, places) => {
        await isOpen();
        return pluginGlobals(app, req, places);
      },
    },
    extensions,
    openapi: () =>
      openapi(allRoutes(), {
        title: app.options.brandName,
        version: '2.0.0',
        contact: { name: app.host.site().name, url: app.host.site().url },
        serverUrl: app.host.site().url + app.basePath,
        morePaths: { ...trackingPaths(app.options.tracking, app.host.site().url), ...healthPaths },
        webhooks: eventWebhooks(),
      }),
    ready: () => start.ready(),
    close: () => (closed ??= close(built, runner, { start, extensions })),
    [Symbol.asyncDispose]: () => service.close(),
  };
  const settingUp = extensions.map((extension) => setUp(extension, service, hooks));
  return service;
}

/** Names an extension that fails. If one fails later, the service does not start. */
function setUp(extension: Extension, service: AffiliateService, hooks: HookRegistry): Promise<void> {
  const { name, setup } = extension;
  const failed = (cause: unknown): Error =>
    new Error(
      `The extension "${name}" could not be set up: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  try {
    addHooks(extension, hooks);
    const done = Promise.resolve(setup?.(service)).catch((cause: unknown) => {
      throw failed(cause);
    });
    done.catch(() => {}); // the start awaits it and fails with it
    return done;
  } catch (cause) {
    throw failed(cause);
  }
}

/** What an extension names beside its `setup`: its hooks, and its cards of an affiliate's page. */
function addHooks({ name, hooks: taps = {}, widgets = [] }: Extension, hooks: HookRegistry): void {
  for (const [hook, tap] of Object.entries(taps)) hooks.add(hook, tap as TapFunction, { name });
  for (const widget of widgets)
    hooks.addFilter(
      'affiliate_widgets',
      async (cards, affiliate) => {
        const card = await widget(affiliate);
        return card === null ? cards : [...Object.values(cards), card];
      },
      { name },
    );
}

interface StartContext {
  readonly start: Start;
  readonly basePath: string;
  readonly isClosed: () => boolean;
}

/**
 * Pages wait for the start. When it fails or takes long, or the service was closed, they are served without
 * the tracker. Otherwise the tracker is called at once, without waiting for a turn of the event loop.
 */
function whileOpen(tracker: Handler, { start, basePath, isClosed }: StartContext): Handler {
  return (req, res, next) => {
    if (isClosed()) next();
    else if (start.isDone) tracker(req, res, next);
    else if (req.url?.startsWith(basePath)) next();
    else
      void start.forPage().then((isStarted) => {
        if (isStarted) tracker(req, res, next);
        else next();
      });
  };
}

/** `metrics()` and `metrics('prometheus')`. */
const metricsOf = (read: () => Promise<Metrics>): AffiliateService['metrics'] =>
  (async (format?: 'prometheus') =>
    format === 'prometheus' ? prometheusText(await read()) : read()) as AffiliateService['metrics'];

function mountable(
  app: App,
  isOpen: () => Promise<void>,
  health: () => Promise<Health>,
): Handler & RequestListener {
  const router = Router();
  router.use('/health', healthHandler(health));
  const { path, redirectPath } = app.options.tracking;
  for (const [at, handler] of [
    [path, app.tracking.endpoint()],
    [redirectPath, app.tracking.redirects()],
  ] as const) {
    router.use(at, (req, res, next) => {
      isOpen().then(
        () => handler(req, res, next),
        (error: unknown) => {
          sendError(app, res, error);
        },
      );
    });
  }
  router.use(createRouter(app, allRoutes(), { ready: isOpen }));
  return router as unknown as Handler & RequestListener; // Express' own types name its requests
}

async function openDatabase(built: BuiltApp, secretsOf: AssemblyOptions['secretsOf']): Promise<void> {
  const { app, database, found } = built;
  found.durability = await database.prepare();
  const newer = await database.newerSteps();
  if (newer.length > 0)
    app.log.warn('The schema is newer than this version: update this process too.', { steps: newer });
  // A process must start also during a wipe, because it may have to end the wipe.
  await app.context.run({ ...app.context.current(), whileClosed: true }, () => secretsOf(built));
}

/**
 * How long `close()` waits for what still runs; a database that no longer responds would make it wait for
 * minutes.
 */
const CLOSE_MS = 50 * SECOND;

interface CloseContext {
  readonly start: Start;
  readonly extensions: readonly Extension[];
}

async function close(built: BuiltApp, runner: JobRunner, parts: CloseContext): Promise<void> {
  const { log } = built.app;
  const ended = closeParts(built, runner, parts).then(() => true);
  const timer = new AbortController();
  const late = sleep(CLOSE_MS, false, { ref: false, signal: timer.signal });
  const inTime = await Promise.race([ended, late]).finally(() => timer.abort());
  if (inTime) return;
  ended.catch((error: unknown) => log.error('the service could not be closed', { error }));
  log.warn('The service closed before all work finished. Another process continues it.');
}

async function closeParts(
  { app, database, disconnect }: BuiltApp,
  runner: JobRunner,
  { start, extensions }: CloseContext,
): Promise<void> {
  await start.close();
  for (const { name, close: end } of extensions)
    await Promise.resolve()
      .then(() => end?.())
      .catch((error: unknown) =>
        app.log.error('an extension could not be closed', { extension: name, error }),
      );
  await Promise.all([app.outbox.close(), app.operations.close(), runner.close()]);
  await app.imports.close();
  if (start.isDone) await app.commerce.close();
  if (start.isDone) await app.tracking.close();
  await database.close();
  disconnect();
}
