import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { cookieOf, NAVIGATION, setCookie, trackedSite, type Headers } from '../support/tracker.js';

let t: TestApp;
let alice: { readonly id: number };

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
});

const stops: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

const ROBOT = { ...NAVIGATION, 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' };
const PICTURE = { ...NAVIGATION, Accept: 'image/*', 'Sec-Fetch-Dest': 'image' };

describe('a page whose address names an affiliate', () => {
  const answers = async (path: string, headers: Headers = {}) =>
    (await trackedSite(t.app).open(path, headers)).headers;

  it.each<[string, () => string, Headers]>([
    ['a robot', () => `/?ref=${alice.id}`, ROBOT],
    ['an image request', () => `/?ref=${alice.id}`, PICTURE],
    ['a prefetch', () => `/?ref=${alice.id}`, { 'Sec-Purpose': 'prefetch' }],
    ['a visitor without consent by signal', () => `/?ref=${alice.id}`, { 'Sec-GPC': '1' }],
    ['a person', () => `/?ref=${alice.id}`, {}],
    ['a name nobody has', () => '/?ref=nobody', {}],
    ['the path form and a robot', () => `/shop/ref/${alice.id}`, ROBOT],
    ['the path form and a person', () => `/shop/ref/${alice.id}`, {}],
    ['the path form written in capitals of the login', () => '/shop/ref/ALICE', PICTURE],
  ])('asked for by %s is kept by no cache', async (_name, path, headers) => {
    expect((await answers(path(), headers))['cache-control']).toBe('no-store, private');
  });

  it('is kept by no cache for the affiliate himself, an inactive one, or a visitor who has the cookie', async () => {
    const site = trackedSite(t.app);
    const cookie = cookieOf(await site.open(`/?ref=${alice.id}`));
    expect((await answers(`/?ref=${alice.id}`, { Cookie: cookie }))['cache-control']).toBe(
      'no-store, private',
    );
    expect((await answers(`/?ref=${alice.id}`, { Cookie: t.host.signIn(2).cookie }))['cache-control']).toBe(
      'no-store, private',
    );
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);
    expect((await answers(`/?ref=${alice.id}`))['cache-control']).toBe('no-store, private');
  });

  it('leaves every other page to its host', async () => {
    for (const path of ['/', '/?utm_source=x', '/shop/ref/nobody', '/reference?page=2'])
      expect((await answers(path))['cache-control']).toBe('public, max-age=600');
  });
});

/** A host that says everything caches listen to, in the way it likes. */
async function headersOf(write: RequestListener): Promise<IncomingMessage['headers']> {
  const track = t.app.tracking.middleware();
  const server = createServer((req, res) => track(req, res, () => write(req, res)));
  const port = await listening(server);
  const answer = await fetched(port, `/?ref=${alice.id}`, ROBOT);
  return answer.headers;
}

describe('headers of content networks', () => {
  const SAID = {
    'Cache-Control': 'public, s-maxage=600',
    'CDN-Cache-Control': 'max-age=600',
    'Cloudflare-CDN-Cache-Control': 'max-age=600',
    'Netlify-CDN-Cache-Control': 'max-age=600',
    'Vercel-CDN-Cache-Control': 'max-age=600',
    'Surrogate-Control': 'max-age=600',
    'Edge-Control': 'max-age=10m',
    'X-Accel-Expires': '600',
    Expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
  };
  const names = Object.keys(SAID);

  it.each<[string, RequestListener]>([
    [
      'one by one',
      (_req, res) => {
        for (const [name, value] of Object.entries(SAID)) res.setHeader(name, value);
        res.end('page');
      },
    ],
    ['with the status', (_req, res) => res.writeHead(200, SAID).end('page')],
    ['with status and reason', (_req, res) => res.writeHead(200, 'Fine', SAID).end('page')],
    ['as a flat list', (_req, res) => res.writeHead(200, Object.entries(SAID).flat()).end('page')],
    [
      'in small letters after the body began to be written',
      (_req, res) => {
        for (const [name, value] of Object.entries(SAID)) res.setHeader(name.toLowerCase(), value);
        res.write('pa');
        res.end('ge');
      },
    ],
  ])('said %s do not count for a click', async (_name, write) => {
    const headers = await headersOf(write);
    expect(headers['cache-control']).toBe('no-store, private');
    expect(names.filter((name) => /600|10m|2099|public/.test(String(headers[name.toLowerCase()])))).toEqual(
      [],
    );
    expect(headers['surrogate-control']).toBe('no-store');
    expect(headers['cdn-cache-control']).toBe('no-store');
  });

  it('keep what else the host sends', async () => {
    const headers = await headersOf((_req, res) =>
      res.writeHead(201, ['X-Own', 'a', 'Set-Cookie', 'b=1']).end(),
    );
    expect([headers['x-own'], headers['set-cookie']]).toEqual(['a', ['b=1']]);
  });
});

describe('behind nginx with proxy_cache', () => {
  it('a robot, a picture or another visitor first takes no cookie from those who come later', async () => {
    const track = t.app.tracking.middleware();
    let made = 0;
    const origin = createServer((req, res) => {
      track(req, res, () => {
        made += 1;
        res.setHeader('Cache-Control', 'public, max-age=600');
        res.setHeader('Content-Type', 'text/html');
        res.end(`page ${made}`);
      });
    });
    const port = await startNginx(await listening(origin));

    // The cache works at all.
    const plain = [await fetched(port, '/mugs', NAVIGATION), await fetched(port, '/mugs', NAVIGATION)];
    expect(plain.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'HIT']);

    for (const path of [`/?ref=${alice.id}`, `/mugs?ref=${alice.id}&utm_source=x`, `/mugs/ref/${alice.id}`]) {
      for (const first of [ROBOT, PICTURE, { ...NAVIGATION, 'Sec-Purpose': 'prefetch' }])
        expect(setCookie(await fetched(port, path, first))).toBeNull();
      const cookies: (string | null)[] = [];
      for (let visitor = 0; visitor < 5; visitor++) {
        const answer = await fetched(port, path, {
          ...NAVIGATION,
          'User-Agent': `${NAVIGATION['User-Agent']} v${visitor}`,
        });
        expect(answer.headers['x-cache']).not.toBe('HIT');
        cookies.push(setCookie(answer));
      }
      expect(cookies.filter((cookie) => cookie === null)).toEqual([]);
    }
    await t.app.tracking.flush();
    expect((await t.admin.get('/visits').expect(200)).body.visits.total).toBeGreaterThanOrEqual(5);
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const fetched = (port: number, path: string, headers: Headers): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get({ port, path, headers, host: '127.0.0.1', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer));
    }).on('error', reject);
  });

/** nginx of our own on a free port in front of the origin; the error says how to get one. */
async function startNginx(origin: number): Promise<number> {
  const binary = [
    '/usr/sbin/nginx',
    '/usr/local/sbin/nginx',
    '/usr/local/bin/nginx',
    '/opt/homebrew/bin/nginx',
  ].find((path) => existsSync(path));
  if (binary === undefined)
    throw new Error('nginx is missing. This test needs a real caching proxy: apt-get install nginx-light');
  const spare = createServer();
  const port = await listening(spare);
  await new Promise<void>((resolve) => {
    spare.close(() => resolve());
  });
  const folder = temporaryFolder();
  for (const name of ['cache', 'temp', 'logs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, { port, origin }));
  const nginx = spawn(
    binary,
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'logs/error.log')],
    {
      stdio: 'ignore',
    },
  );
  stops.push(() => ended(nginx));
  for (let attempt = 0; attempt < 300; attempt++) {
    if (
      await fetched(port, '/up', {}).then(
        () => true,
        () => false,
      )
    )
      return port;
    if (nginx.exitCode !== null) break;
    await pause(100);
  }
  throw new Error(`nginx does not answer: ${readFileSync(join(folder, 'logs/error.log'), 'utf8')}`);
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGQUIT');
  });

const configuration = (folder: string, { port, origin }: { port: number; origin: number }): string => `
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${folder}/temp/a;
  proxy_temp_path ${folder}/temp/b;
  fastcgi_temp_path ${folder}/temp/c;
  uwsgi_temp_path ${folder}/temp/d;
  scgi_temp_path ${folder}/temp/e;
  proxy_cache_path ${folder}/cache keys_zone=pages:1m;
  server {
    listen 127.0.0.1:${port};
    location = /up { return 204; }
    location / {
      proxy_pass http://127.0.0.1:${origin};
      proxy_set_header Host shop.test;
      proxy_cache pages;
      proxy_cache_valid 200 10m;
      add_header X-Cache $upstream_cache_status;
    }
  }
}
`;
