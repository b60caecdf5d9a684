import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import express4 from 'express4';
import request from 'supertest';
import { toWeb } from '../../frameworks/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { listening, stopServers } from '../support/loopback.js';

let t: TestApp;
let alice: { readonly id: number };

beforeEach(async () => {
  t = await startApp();
  alice = await t.records.affiliate({ user_id: 2 });
});

afterAll(stopServers);

type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** A host with this middleware before the service. */
async function hostWith(middleware: Middleware, framework: () => Express = express): Promise<Server> {
  const app = framework();
  app.use(middleware as never);
  t.service.mount(app);
  const server = createServer(app);
  await listening(server);
  return server;
}

const deactivate = (server: Server) =>
  request(server)
    .patch(`${t.service.basePath}/affiliates/${alice.id}/status`)
    .set(t.headers(1))
    .send({ status: 'inactive' });
const statusOf = async (): Promise<unknown> =>
  (await t.admin.get(`/affiliates/${alice.id}`)).body.affiliate.status;

/** Reads the body and leaves nothing of it. */
const swallow: Middleware = (req, _res, next) => {
  req.on('data', () => {}).once('end', next);
};

describe('a host that calls setEncoding', () => {
  it.each(['utf8', 'latin1', 'hex'] as const)('is answered as others are: %s', async (encoding) => {
    const server = await hostWith((req, _res, next) => {
      req.setEncoding(encoding);
      next();
    });
    const name = 'Ünïcode ☃';
    const { body } = await request(server)
      .post(`${t.service.basePath}/settings/groups`)
      .set(t.headers(1))
      .send({ meta_key: name, rate: 5, rate_type: 'percentage', status: 'active' });
    expect(JSON.stringify(body)).toContain(name);
    await request(server).post(`${t.service.basePath}/track`).send({ affiliate: 'x' });
    await deactivate(server).expect(200);
    expect(await statusOf()).toBe('inactive');
  });
});

describe('a body that the host has read', () => {
  it.each<[string, Middleware]>([
    ['express.raw', express.raw({ type: '*/*' }) as Middleware],
    ['express.text', express.text({ type: '*/*' }) as Middleware],
    ['express.json', express.json() as Middleware],
    [
      'a reader that keeps the bytes',
      (req, _res, next) => {
        const parts: Buffer[] = [];
        req
          .on('data', (part: Buffer) => parts.push(part))
          .once('end', () => {
            Object.assign(req, { rawBody: Buffer.concat(parts) });
            next();
          });
      },
    ],
  ])('counts when it is there: %s', async (_name, middleware) => {
    const server = await hostWith(middleware);
    await deactivate(server).expect(200);
    expect(await statusOf()).toBe('inactive');
  });

  it.each<[string, Middleware, () => Express]>([
    ['a listener', swallow, express],
    ['a listener before a parser of Express 4', swallow, express4],
    [
      'a listener that is not done yet',
      (req, _res, next) => {
        req.once('data', () => {
          req.pause();
          next();
        });
      },
      express,
    ],
  ])('is missed, and nothing changes: %s', async (_name, middleware, framework) => {
    const server = await hostWith(middleware, framework);
    const { body } = await deactivate(server).expect(400);
    expect(body).toMatchObject({ code: 'body_already_read' });
    await request(server)
      .post(`${t.service.basePath}/referrals/1/status`)
      .set(t.headers(1))
      .type('form')
      .send('status=paid');
    expect(await statusOf()).toBe('active');
  });

  it('is missed in an upload', async () => {
    const server = await hostWith(swallow);
    await request(server)
      .post(`${t.service.basePath}/settings/migrations/files`)
      .set(t.headers(1))
      .attach('affiliates', Buffer.from('id\n1\n'), 'affiliates.csv')
      .expect(400, /body_already_read/);
  });

  it('is missed in a Web request', async () => {
    const handle = toWeb(t.service);
    const web = new Request(`https://shop.test${t.service.basePath}/affiliates/${alice.id}/status`, {
      method: 'PATCH',
      headers: { ...t.headers(1), 'Content-Type': 'application/json' },
      body: '{"status":"inactive"}',
    });
    await web.text();
    const answer = await handle(web);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('body_already_read')]);
  });

  it('may be empty', async () => {
    const server = await hostWith(express.json() as Middleware);
    await request(server)
      .delete(`${t.service.basePath}/affiliates/${alice.id}`)
      .set(t.headers(1))
      .send({})
      .expect(200);
  });
});
