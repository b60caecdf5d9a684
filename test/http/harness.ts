import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import express from 'express';
import express4 from 'express4';
import request, { type Test } from 'supertest';
import { createMemoryHost, type MemoryHost } from '../../adapters/memory-host.js';
import { HookRegistry, type Hooks } from '../../hooks/index.js';
import type { App } from '../../src/app/app.js';
import type { LogFields, Logger } from '../../src/core/logger.js';
import { Telemetry } from '../../src/core/telemetry.js';
import type { CallContext } from '../../src/platform/call-context.js';
import { createDatabase } from '../../src/platform/database/index.js';
import { withOpening, withSharedOpening } from '../../src/platform/database/opening.js';
import type { Route } from '../../src/platform/http/define-route.js';
import { createRouter } from '../../src/platform/http/router.js';
import { resolveOptions } from '../../src/options.js';
import { KeyRing } from '../../src/platform/secrets.js';

// The pipeline alone: real router, database, hooks and memory host around a few
// test routes, without any module.

export const BASE = '/wp-json/affiliate-service/v2';

export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

export interface Harness {
  readonly app: TestApp;
  readonly host: MemoryHost;
  readonly clock: { time: number };
  readonly log: LogEntry[];
  readonly server: Server;
  /** Signed in as this user, with nonce; 0 is anonymous. */
  send(userId: number, method: Verb, path: string): Test;
  headers(userId: number): Record<string, string>;
  close(): Promise<void>;
}

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

export interface HarnessOptions {
  readonly express?: 4 | 5;
  readonly parsed?: boolean;
  readonly options?: Parameters<typeof resolveOptions>[0];
  readonly extra?: Readonly<Record<string, unknown>>;
}

export async function startHarness(
  routes: readonly Route<App>[],
  settings: HarnessOptions = {},
): Promise<Harness> {
  const clock = { time: Date.UTC(2026, 0, 15, 15) };
  const log: LogEntry[] = [];
  const logger = recordingLogger(log);
  const host = createMemoryHost({
    site: { url: 'https://shop.test' },
    clock: { now: () => clock.time },
    users: [
      { id: 1, login: 'admin', capabilities: ['manage_options'] },
      { id: 2, login: 'alice' },
      { id: 3, login: 'bob' },
    ],
  });
  const app = await makeApp(host, { clock, logger, settings });
  const { app: site, server } = listen(app, routes, settings);
  const signedIn = new Map<string, Record<string, string>>();
  // Nonces age with the clock: another day, another sign-in.
  const headers = (userId: number): Record<string, string> => {
    if (userId === 0) return {};
    const key = `${userId}:${Math.floor(clock.time / 43_200_000)}`;
    const known = signedIn.get(key) ?? asHeaders(host.signIn(userId));
    signedIn.set(key, known);
    return known;
  };
  return {
    app,
    host,
    clock,
    log,
    server,
    headers,
    send: (userId, method, path) =>
      request(server)
        [method](BASE + path)
        .set(headers(userId)),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await site.close();
    },
  };
}

const asHeaders = ({ cookie, nonce }: { cookie: string; nonce: string }): Record<string, string> => ({
  Cookie: cookie,
  'X-WP-Nonce': nonce,
});

type TestApp = App & { readonly hooks: Hooks; close(): Promise<void> };
interface Parts {
  readonly clock: { time: number };
  readonly logger: Logger;
  readonly settings: HarnessOptions;
}

async function makeApp(host: MemoryHost, { clock, logger, settings }: Parts): Promise<TestApp> {
  const options = resolveOptions({
    secret: 'a secret that is long enough for the tests',
    logger,
    clock: { now: () => clock.time },
    ...settings.options,
  });
  const scope = new AsyncLocalStorage<CallContext>();
  const nobody: CallContext = { user: null, requestId: 'none', source: 'code' };
  const context: App['context'] = {
    current: () => scope.getStore() ?? nobody,
    run: (value, work) => scope.run(value, work),
  };
  const database = createDatabase({
    database: { client: 'better-sqlite3', connection: ':memory:' },
    tablePrefix: 'fa_',
    migrate: true,
    durability: 'warn',
    log: logger,
  });
  await database.prepare();
  const opening = (): CallContext['onTransaction'] => context.current().onTransaction;
  const app = {
    host,
    options,
    clock: { now: () => clock.time },
    log: logger,
    basePath: BASE,
    context,
    db: database.db,
    transaction: withOpening(database.transaction, database.db, opening),
    sharedTransaction: withSharedOpening(database.sharedTransaction, database.db, opening),
    limited: database.limited,
    telemetry: new Telemetry(undefined),
    secrets: new KeyRing(options.secret).bind('harness'),
    hooks: new HookRegistry({
      prefix: 'affiliate_service',
      log: logger,
      inTransaction: () => database.db.inTransaction,
      context: () => ({ ...context.current(), service: app as never }),
    }),
    close: () => database.close(),
    ...settings.extra,
  } as unknown as TestApp;
  return app;
}

function listen(
  app: TestApp,
  routes: readonly Route<App>[],
  settings: HarnessOptions,
): { app: TestApp; server: Server } {
  const framework = settings.express === 4 ? express4 : express;
  const site = framework();
  if (settings.parsed)
    site.use(framework.json(), framework.urlencoded({ extended: true, parameterLimit: 5000 }));
  site.use(BASE, createRouter(app, routes));
  site.use((_req, res) => {
    res.status(418).end('host');
  });
  return { app, server: site.listen(0) };
}

const recordingLogger = (log: LogEntry[]): Logger => {
  const write =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      log.push({ level, message, fields });
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
};
