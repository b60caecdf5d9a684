import { Agent, type Server } from 'node:http';
import { expect } from '@jest/globals';
import express from 'express';
import request, { type Test } from 'supertest';
import { createMemoryHost, type MemoryHost } from '../../adapters/memory-host.js';
import type { App } from '../../src/app/app.js';
import type { LogFields, Logger } from '../../src/core/logger.js';
import { allRoutes } from '../../src/app/routes.js';
import type { AffiliateService, AffiliateServiceOptions } from '../../src/index.js';
import { openService } from '../../src/service/service.js';
import { records, type Records } from './records.js';
import { afterEachTest } from './afterwards.js';
import { AnswerCheck } from './answers.js';
import { emptyDatabase, hasGivenIds, isCopyInMemory, preparedDatabase } from './databases.js';

export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}
export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';
export type Client = Readonly<Record<Verb, (path: string) => Test>>;

export interface TestClock {
  time: number;
  now(): number;
  advance(ms: number): void;
}

export interface TestApp {
  readonly service: AffiliateService;
  readonly app: App;
  readonly host: MemoryHost;
  /** Starts at 2026-01-15T15:00:00Z and moves when a test moves it. */
  readonly clock: TestClock;
  readonly log: LogEntry[];
  readonly server: Server;
  /** User 1, `manage_options`. */
  readonly admin: Client;
  /** Signed in, with nonce. Users: 2 alice, 3 bob, 4 carol, 5 dave; 0 is anonymous. */
  as(userId: number): Client;
  readonly anonymous: Client;
  /** Cookie and nonce of this user. */
  headers(userId: number): Record<string, string>;
  readonly records: Records;
  /** False when nothing with an id was ever stored, so there are no books to check. */
  mayHoldBooks(): Promise<boolean>;
  close(): Promise<void>;
}

export interface TestOptions extends AffiliateServiceOptions {
  readonly timeZone?: string;
  /** Rate of the program in percent; 20 unless given. */
  readonly rate?: number;
  /** Keep the rows of an earlier service on the same database. */
  readonly keep?: boolean;
  /** For several tests of a file, which closes it itself. */
  readonly shared?: boolean;
}

const START = Date.UTC(2026, 0, 15, 15);
/** Longer than settings are taken as they were read. */
const SETTINGS_KEPT_MS = 2000;
const open = new Set<TestApp>();
const answers = new AnswerCheck(allRoutes());

// Whatever a test did: the books balance afterwards, and nothing stays open.
afterEachTest(async () => {
  const apps = [...open];
  open.clear();
  try {
    for (const t of apps) if (await t.mayHoldBooks()) expect(await t.service.verify()).toEqual([]);
  } finally {
    await Promise.all(apps.map((t) => t.close()));
  }
});

/**
 * A complete service on an empty database of the engine in TEST_DATABASE,
 * mounted in an Express 5 app (4 with TEST_EXPRESS=4).
 */
export async function startApp(settings: TestOptions = {}): Promise<TestApp> {
  const { timeZone = 'UTC', rate, keep = false, shared = false, ...options } = settings;
  const clock: TestClock = {
    time: START - SETTINGS_KEPT_MS,
    now: () => clock.time,
    advance: (ms) => {
      clock.time += ms;
    },
  };
  const log: LogEntry[] = [];
  const host = createMemoryHost({
    site: { url: 'https://shop.test', name: 'Shop', timeZone, restPrefix: '/wp-json' },
    clock,
    users: USERS,
  });
  const database = options.database ?? (await preparedDatabase());
  const isCopy = isCopyInMemory(database);
  const { service, app } = openService(host, {
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    logger: recordingLogger(log),
    clock,
    ...options,
    database,
  });
  await service.ready();
  if (!keep && !isCopy) await emptyDatabase(app.db.knex, app.options.tablePrefix);
  clock.time = START; // what the start read of the rows of an earlier test is looked at again
  const framework = process.env['TEST_EXPRESS'] === '4' ? (await import('express4')).default : express;
  const mayHoldBooks = async (): Promise<boolean> => !isCopy || hasGivenIds(app.db.knex);
  const t = connect({ service, app, host, clock, log, mayHoldBooks }, framework);
  if (rate !== undefined) await app.settings.saveReferralConfig({ rate });
  if (!shared) open.add(t);
  return t;
}

const USERS = [
  {
    id: 1,
    login: 'admin',
    email: 'admin@shop.test',
    display_name: 'Admin',
    capabilities: ['manage_options'],
  },
  {
    id: 2,
    login: 'alice',
    email: 'alice@shop.test',
    display_name: 'Alice Doe',
    first_name: 'Alice',
    last_name: 'Doe',
  },
  { id: 3, login: 'bob', email: 'bob@shop.test', display_name: 'Bob', first_name: 'Bob', last_name: 'Ray' },
  { id: 4, login: 'carol', email: 'carol@shop.test', display_name: 'Carol' },
  { id: 5, login: 'dave', email: 'dave@shop.test', display_name: 'Dave' },
];

type Started = Pick<TestApp, 'service' | 'app' | 'host' | 'clock' | 'log' | 'mayHoldBooks'>;

function connect(started: Started, framework: typeof express): TestApp {
  const site = framework();
  site.use(started.service.tracker);
  site.use(started.service.basePath, started.service.router);
  site.use((_req, res) => {
    res.type('html').send('<p>page</p>');
  });
  const server = site.listen(0);
  const connections = new Agent({ keepAlive: true });
  const signedIn = new Map<string, Record<string, string>>();
  const headers = (userId: number): Record<string, string> => {
    if (userId === 0) return {};
    const key = `${userId}:${Math.floor(started.clock.time / 43_200_000)}`; // nonces age with the clock
    const known = signedIn.get(key) ?? asHeaders(started.host.signIn(userId));
    signedIn.set(key, known);
    return known;
  };
  const as = (userId: number): Client =>
    client((verb, path) =>
      request(server)
        [verb](started.service.basePath + path)
        .agent(connections)
        .set(headers(userId))
        .expect((answer) => answers.checkResponse(verb, path, answer)),
    );
  return {
    ...started,
    server,
    headers,
    as,
    admin: as(1),
    anonymous: as(0),
    records: records(started.app, as(1)),
    close: async () => {
      connections.destroy();
      server.closeAllConnections();
      server.close();
      await started.service.close();
    },
  };
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
const client = (send: (verb: Verb, path: string) => Test): Client =>
  Object.fromEntries(VERBS.map((verb) => [verb, (path: string) => send(verb, path)])) as unknown as Client;
const asHeaders = ({ cookie, nonce }: { cookie: string; nonce: string }): Record<string, string> => ({
  Cookie: cookie,
  'X-WP-Nonce': nonce,
});

const recordingLogger = (log: LogEntry[]): Logger => {
  const write =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      log.push({ level, message, fields });
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
};
