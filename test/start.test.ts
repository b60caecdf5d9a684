import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { createMemoryHost } from '../adapters/memory-host.js';
import type { DatabaseConfig } from '../adapters/database/open.js';
import { consoleApp, portalApp } from '../console/server/index.js';
import { createAffiliateService, type AffiliateService } from '../src/service/service.js';
import { testLog, type TestLog } from './database/support.js';
import { testDatabase, testEngine } from './support/databases.js';
import { temporaryFolder } from './support/folders.js';
import { NAVIGATION } from './support/tracker.js';

interface Away {
  readonly database: DatabaseConfig;
  back(): void;
}

/** A database that cannot be reached until the test brings it back. */
async function awayDatabase(): Promise<Away> {
  const config = await testDatabase({ purpose: 'away' });
  if (testEngine() === 'sqlite') {
    const folder = join(temporaryFolder(), 'later');
    return {
      database: { client: 'better-sqlite3', connection: join(folder, 'affiliates.sqlite') },
      back: () => mkdirSync(folder),
    };
  }
  const nobody = new URL(config.connection);
  nobody.port = '1';
  let address = nobody.href;
  return {
    database: { ...config, connection: () => address },
    back: () => {
      address = config.connection;
    },
  };
}

interface Site {
  readonly service: AffiliateService;
  readonly server: Server;
  readonly log: TestLog;
  readonly errors: unknown[];
  readonly away: Away;
}

async function siteWithoutDatabase(): Promise<Site> {
  const log = testLog();
  const away = await awayDatabase();
  const service = createAffiliateService(createMemoryHost({ users: [] }), {
    database: away.database,
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    logger: log,
  });
  const errors: unknown[] = [];
  const site = express();
  service.mount(site);
  site.use('/affiliate-admin', consoleApp(service));
  site.use('/partners', portalApp(service));
  site.get(/.*/, (_req, res) => {
    res.type('html').send('page');
  });
  site.use(((error, _req, res, _next) => {
    errors.push(error);
    res.status(500).end();
  }) as express.ErrorRequestHandler);
  return { service, server: createServer(site), log, errors, away };
}

const linesAbout = ({ log }: Site, words: string): unknown[] =>
  log.lines.filter(({ message }) => message.includes(words));

it('starts by itself when a database that was away at first is back', async () => {
  const site = await siteWithoutDatabase();
  const { service, server, errors, away } = site;
  const open = (path: string) => request(server).get(path).set(NAVIGATION);
  try {
    await expect(service.ready()).rejects.toThrow();
    for (const path of ['/?ref=2', '/?ref=2', '/?ref=2']) await open(path).expect(200, 'page');
    expect(linesAbout(site, 'Clicks are lost')).toHaveLength(1);

    const answer = await request(server).get(`${service.basePath}/affiliates`).expect(503);
    expect(answer.body).toMatchObject({ code: 'not_started', data: { status: 503 } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    for (const path of ['/affiliate-admin/', '/partners/']) {
      const page = await open(path).set('Accept-Language', 'de').expect(503);
      expect(page.text).toContain('<html lang="de" dir="ltr">');
      expect(page.headers['retry-after']).toBeDefined();
      await open(`${path}boot.json`).expect(503, /not_started/);
    }
    expect(errors).toEqual([]);

    away.back();
    await open('/?ref=2'); // too early for another attempt, or the attempt itself
    for (let tries = 0; tries < 40; tries += 1) {
      const { status } = await request(server).get(`${service.basePath}/affiliates`);
      if (status === 401) break;
      expect(status).toBe(503);
      await sleep(250);
    }
    await request(server).get(`${service.basePath}/affiliates`).expect(401);
    await open('/partners/boot.json').expect(200);
    await service.ready();
    expect(await service.verify()).toEqual([]);
  } finally {
    await service.close();
    server.close();
  }
});

it('tries again at once when asked to be ready', async () => {
  const { service, away } = await siteWithoutDatabase();
  await expect(service.ready()).rejects.toThrow();
  away.back();
  await service.ready();
  await service.ready();
  expect(await service.verify()).toEqual([]);
  await service.close();
});

it('closes while the database is away', async () => {
  const { service, server } = await siteWithoutDatabase();
  await service.close();
  await expect(service.ready()).rejects.toMatchObject({ code: 'service_closed' });
  await request(server)
    .get(`${service.basePath}/affiliates`)
    .expect(503, /service_closed/);
  server.close();
});

it('processes that run jobs start without a request', async () => {
  const away = await awayDatabase();
  const service = createAffiliateService(createMemoryHost({ users: [] }), {
    database: away.database,
    secret: 'a secret that is long enough for the tests',
    logger: testLog(),
  });
  const loaded: string[] = [];
  service.hooks.addAction('loaded', () => {
    loaded.push('loaded');
  });
  await expect(service.ready()).rejects.toThrow();
  away.back();
  for (let tries = 0; tries < 40 && loaded.length === 0; tries += 1) await sleep(100);
  expect(loaded).toEqual(['loaded']);
  await service.close();
});
