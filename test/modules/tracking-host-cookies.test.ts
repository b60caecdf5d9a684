import {
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import fastify from 'fastify';
import Koa from 'koa';
import { toFastify, toKoa } from '../../frameworks/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { fetched, listening, stopServers } from '../support/loopback.js';
import { NAVIGATION } from '../support/tracker.js';

let t: TestApp;
let alice: { readonly id: number };

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
});

afterAll(stopServers);

const names = (answer: IncomingMessage): string[] =>
  (answer.headers['set-cookie'] ?? []).map((line) => line.split('=')[0] ?? '').toSorted();

async function cookiesOf(write: RequestListener): Promise<string[]> {
  const server = createServer((req, res) => t.service.tracker(req, res, () => write(req, res)));
  return names(await fetched(await listening(server), `/?ref=${alice.id}`, NAVIGATION));
}

const HOSTS = 'cart=1; Path=/';

/** What proxies do: they copy each header of the answer they got. */
async function proxied(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  const upstream = createServer((_asked, answer) => {
    answer.setHeader('Set-Cookie', [HOSTS, 'lang=de']);
    answer.end('page');
  });
  const port = await listening(upstream);
  get({ port, host: '127.0.0.1', agent: false }, (answer) => {
    for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value!);
    answer.pipe(res);
  });
}

it.each<[string, RequestListener, string[]]>([
  ['setHeader', (_req, res) => res.setHeader('Set-Cookie', HOSTS).end('page'), ['cart']],
  ['setHeader with a list', (_req, res) => res.setHeader('set-cookie', [HOSTS]).end('page'), ['cart']],
  ['setHeaders', (_req, res) => res.setHeaders(new Headers({ 'Set-Cookie': HOSTS })).end('page'), ['cart']],
  ['writeHead', (_req, res) => res.writeHead(200, { 'Set-Cookie': HOSTS }).end('page'), ['cart']],
  [
    'writeHead with a reason and a list of cookies',
    (_req, res) => res.writeHead(200, 'Fine', { 'set-cookie': [HOSTS, 'lang=de'] }).end('page'),
    ['cart', 'lang'],
  ],
  [
    'writeHead with a flat list',
    (_req, res) => res.writeHead(200, ['Set-Cookie', HOSTS, 'X-Own', 'a']).end('page'),
    ['cart'],
  ],
  [
    'a write without a head',
    (_req, res) => {
      res.setHeader('Set-Cookie', HOSTS);
      res.write('pa');
      res.end('ge');
    },
    ['cart'],
  ],
  ['a proxy', (req, res) => void proxied(req, res), ['cart', 'lang']],
  ['nothing', (_req, res) => res.end('page'), []],
  ['appendHeader', (_req, res) => res.appendHeader('Set-Cookie', HOSTS).end('page'), ['cart']],
])("keeps the affiliate's cookie beside the host's: %s", async (_name, write, hosts) => {
  expect(await cookiesOf(write)).toEqual([...hosts, 'f_aff'].toSorted());
});

it('keeps the cookie in Koa, whose `set` replaces cookies', async () => {
  const app = new Koa();
  app.use(toKoa(t.service));
  app.use((context: { set(name: string, value: string): void; body: unknown }) => {
    context.set('Set-Cookie', HOSTS);
    context.body = 'page';
  });
  const port = await listening(createServer((req, res) => void app.callback()(req, res)));
  expect(names(await fetched(port, `/?ref=${alice.id}`, NAVIGATION))).toEqual(['cart', 'f_aff']);
});

it('sends the cookie once in Fastify', async () => {
  const app = fastify();
  await app.register(toFastify(t.service));
  app.get('/', (_request, reply) => reply.header('Set-Cookie', HOSTS).type('text/html').send('page'));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  expect(names(await fetched(port, `/?ref=${alice.id}`, NAVIGATION))).toEqual(['cart', 'f_aff']);
  await app.close();
});
