import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import Koa from 'koa';
import { plainRequest, toFastify, toKoa, toNode, toWeb } from '../../frameworks/index.js';
import { PAGE, type Shop as WholeShop, type Site } from '../support/journey.js';

type Shop = Pick<WholeShop, 'service' | 'buy'>;

const listen = async (listener: RequestListener | Server): Promise<Site> => {
  const server = typeof listener === 'function' ? createServer(listener) : listener;
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    send: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const pathOf = (url: string | undefined): string => (url ?? '/').split('?')[0] ?? '/';

const onExpress = (app: Express, json: express.Handler, shop: Shop): Promise<Site> => {
  shop.service.mount(app);
  app.post('/buy', json, async (req, res) => {
    res.json(await shop.buy(req, req.body));
  });
  app.use((req, res) => {
    res.append('Set-Cookie', PAGE.cookie).type('html').send(PAGE.text(req.path));
  });
  return listen(app);
};

async function readJson(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return JSON.parse(text);
}

async function answerPage(req: IncomingMessage, res: ServerResponse, shop: Shop): Promise<void> {
  if (req.url === '/buy') {
    const body = JSON.stringify(await shop.buy(req, await readJson(req)));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
    return;
  }
  res.appendHeader('Set-Cookie', PAGE.cookie);
  res.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE.text(pathOf(req.url)));
}

/** The same small shop on every framework the package is made for. */
export const SITES: Readonly<Record<string, (shop: Shop) => Promise<Site>>> = {
  'Express 5': (shop) => onExpress(express(), express.json(), shop),
  'Express 4': (shop) => onExpress(express4(), express4.json(), shop),
  'node:http': (shop) => listen(toNode(shop.service, (req, res) => answerPage(req, res, shop))),
  'Koa 3': (shop) => {
    const app = new Koa();
    app.use(toKoa(shop.service));
    app.use(async (context) => {
      if (context.path === '/buy') context.body = await shop.buy(context.req, await readJson(context.req));
      else {
        context.cookies.set('theme', 'dark', { httpOnly: false, path: '/', overwrite: false });
        context.type = 'html';
        context.body = PAGE.text(context.path);
      }
    });
    const answer = app.callback();
    return listen((req, res) => void answer(req, res));
  },
  'Fastify 5': async (shop) => {
    const app = fastify();
    await app.register(toFastify(shop.service));
    app.post('/buy', (request) => shop.buy(request.raw, request.body));
    app.setNotFoundHandler((request, reply) =>
      reply
        .code(200)
        .header('Set-Cookie', PAGE.cookie)
        .type('text/html')
        .send(PAGE.text(pathOf(request.url))),
    );
    await app.ready();
    return { ...(await listen(app.server)), close: () => app.close() };
  },
  'Web Request and Response': async (shop) => {
    const handle = toWeb(shop.service);
    const page = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      if (pathname === '/buy') {
        const body: unknown = await request.json();
        return Response.json(await shop.buy(plainRequest(request), body));
      }
      return new Response(PAGE.text(pathname), {
        headers: { 'Set-Cookie': PAGE.cookie, 'Content-Type': 'text/html' },
      });
    };
    return {
      send: (path, init) =>
        handle(new Request(`https://shop.test${path}`, init), page, { ip: '203.0.113.7' }),
      close: () => {},
    };
  },
};
