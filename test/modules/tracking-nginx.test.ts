import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { fetched, listening, stopServers } from '../support/loopback.js';
import { NAVIGATION, setCookie } from '../support/tracker.js';

// `npm test` leaves this file out where nginx is not installed (jest.config.mjs).
let t: TestApp;
let alice: { readonly id: number };
let nginx: ChildProcess | undefined;

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
});
afterAll(async () => {
  if (nginx) await ended(nginx);
  stopServers();
});

const ROBOT = { ...NAVIGATION, 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' };
const PICTURE = { ...NAVIGATION, Accept: 'image/*', 'Sec-Fetch-Dest': 'image' };

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

/** nginx of our own on a free port in front of the origin. */
async function startNginx(origin: number): Promise<number> {
  const spare = createServer();
  const port = await listening(spare);
  await new Promise<void>((resolve) => {
    spare.close(() => resolve());
  });
  const folder = temporaryFolder();
  for (const name of ['cache', 'temp', 'logs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, { port, origin }));
  const child = spawn(
    process.env['TEST_NGINX'] ?? '',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'logs/error.log')],
    {
      stdio: 'ignore',
    },
  );
  nginx = child;
  for (let attempt = 0; attempt < 300; attempt++) {
    if (
      await fetched(port, '/up', {}).then(
        () => true,
        () => false,
      )
    )
      return port;
    if (child.exitCode !== null) break;
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
