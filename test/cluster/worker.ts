import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { HostMail } from '../../adapters/host.js';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { createNonces } from '../../adapters/nonces.js';
import { createAffiliateService, type AffiliateServiceOptions } from '../../src/index.js';

// One of several processes on a database: a host whose sessions and nonces are signed with
// the secret all of them share.

export const SECRET = 'a secret that is long enough for the tests';

export interface Start {
  readonly database: NonNullable<AffiliateServiceOptions['database']>;
  readonly time: number;
}
export type Order =
  | { readonly id: number; readonly do: 'time'; readonly time: number }
  | { readonly id: number; readonly do: 'jobs' | 'mails' | 'verify' | 'close' };
export interface Outcome {
  readonly id: number;
  readonly value: unknown;
}

/** The session cookie of a user, good in every process. */
export const sessionOf = (userId: number): string =>
  `session=${userId}.${createHmac('sha256', SECRET).update(`session ${userId}`).digest('hex')}`;

if (process.argv[1]?.endsWith('worker.ts')) await serve(JSON.parse(process.argv[2] ?? '{}') as Start);

async function serve(start: Start): Promise<void> {
  let { time } = start;
  const clock = { now: () => time };
  const mails: string[] = [];
  const people = createMemoryHost({
    site: { url: 'https://shop.test' },
    clock,
    users: [
      { id: 1, login: 'admin', email: 'admin@shop.test', capabilities: ['manage_options'] },
      { id: 2, login: 'alice', email: 'alice@shop.test' },
      { id: 3, login: 'bob', email: 'bob@shop.test' },
    ],
  });
  const nonces = createNonces(SECRET, clock);
  const host = Object.assign(people, {
    currentUser: async (req: IncomingMessage) => {
      const [user] = await people.users.find([
        Number(/session=(\d+)\./.exec(req.headers.cookie ?? '')?.[1] ?? 0),
      ]);
      return user && req.headers.cookie?.includes(sessionOf(user.id)) ? user : null;
    },
    nonces: {
      create: async (user: { id: number }) => nonces.create({ userId: user.id, signIn: sessionOf(user.id) }),
      verify: async (nonce: string, user: { id: number }) =>
        nonces.verify(nonce, { userId: user.id, signIn: sessionOf(user.id) }),
    },
  });
  const service = createAffiliateService(host, {
    database: start.database,
    secret: SECRET,
    clock,
    jobs: false,
    logger: {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (message, fields) => {
        process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
      },
    },
    mailer: {
      send: async ({ to, subject }: HostMail) => {
        mails.push(`${to}: ${subject}`);
      },
    },
    tracking: { trustProxy: ['127.0.0.1'] },
  });
  await service.ready();
  const site = express();
  service.mount(site);
  site.get('/nonce', async (req, res) => {
    const user = await host.currentUser(req);
    res.json({ nonce: user ? await host.nonces.create(user) : null });
  });
  const server = site.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const obey = async (order: Order): Promise<unknown> => {
    if (order.do === 'time') time = order.time;
    if (order.do === 'jobs') return service.jobs.runDue();
    if (order.do === 'mails') return mails;
    if (order.do === 'verify') return service.verify();
    if (order.do === 'close') await service.close();
    return null;
  };
  process.on('message', (order: Order) => {
    void obey(order).then((value) => process.send?.({ id: order.id, value } satisfies Outcome));
  });
  process.on('disconnect', () => {
    process.exit();
  });
  process.send?.({
    id: 0,
    value: `http://127.0.0.1:${(server.address() as AddressInfo).port}${service.basePath}`,
  } satisfies Outcome);
}
