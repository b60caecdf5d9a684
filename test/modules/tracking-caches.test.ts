import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { fetched, listening, stopServers } from '../support/loopback.js';
import { cookieOf, NAVIGATION, trackedSite, type Headers } from '../support/tracker.js';

let t: TestApp;
let alice: { readonly id: number };

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
});

afterAll(stopServers);

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
  ])('headers set %s do not count for a click', async (_name, write) => {
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
