// A host with the service and a small shop, one of several processes on a database or a cluster of them.
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';
import { takeOrders } from '../support/orders.mjs';

// Simulated time: each request says when it happens.
const times = new AsyncLocalStorage();
let latest = Date.now();
const atTime = (req, _res, next) => {
  const time = Number(req.headers['x-time'] ?? latest);
  latest = Math.max(latest, time);
  times.run(time, next);
};

/** Times each transaction was tried again, by the driver's code; mails that went out; errors of the log. */
const seen = { retries: {}, mails: [], errors: [] };
const PHRASE =
  /Deadlock|Lock wait timeout|WSREP[^,.]*|Unknown command|during COMMIT|E[A-Z]{5,}|PROTOCOL_\w+|deadlock detected|could not serialize|lock timeout|terminating connection|payable set changed|stored already|Connection lost/;
const count = (error) => {
  const phrase = PHRASE.exec(error)?.[0] ?? error.slice(-80);
  seen.retries[phrase] = (seen.retries[phrase] ?? 0) + 1;
};
const logger = {
  debug(message, fields) {
    if (/again/.test(message)) count(String(fields?.error));
  },
  info() {},
  warn() {},
  error(message, fields) {
    const cause = fields?.error?.cause ?? fields?.error;
    seen.errors.push(`${message}: ${cause?.code ?? ''} ${cause?.message ?? cause ?? ''}`.slice(0, 300));
    if (process.env.RELEASE_VERBOSE) console.error(message, fields);
  },
};

/** The first of the servers that can be reached: what a host does that has no proxy before its cluster. */
async function firstUp(urls) {
  for (const url of urls) {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    const up = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (up) return url;
  }
  return urls[0];
}

let service;

const ORDERS = {
  async serve({ database, nodes, users, options = {}, simulated = false }) {
    const clock = { now: () => times.getStore() ?? latest };
    const host = createMemoryHost({
      site: { url: 'https://shop.test', name: 'Shop' },
      ...(simulated && { clock }),
      users: [
        { id: 1000, login: 'admin', email: 'admin@shop.test', capabilities: ['manage_options'] },
        ...users,
      ],
    });
    service = createAffiliateService(host, {
      database: nodes ? { ...database, connection: () => firstUp(nodes) } : database,
      jobs: false,
      secret: 'a secret that is long enough for the tests',
      logger,
      mailer: {
        send: async ({ to, subject }) => {
          seen.mails.push(`${to} ${subject}`);
        },
      },
      ...(simulated && { clock }),
      ...options,
    });
    await service.ready();
    const site = express();
    if (simulated) site.use(atTime);
    service.mount(site);
    site.post('/order', express.json(), (req, res) => {
      service.conversions.record(req, req.body).then(
        (recorded) => {
          res.json(recorded);
        },
        (error) => {
          res.status(error.status ?? 500).json({ code: error.code ?? String(error) });
        },
      );
    });
    site.post('/refund', express.json(), (req, res) => {
      const { reference, refunded_total } = req.body;
      service.conversions.refund('shop', reference, { refunded_total }).then(
        (changed) => {
          res.json(changed);
        },
        (error) => {
          res.status(error.status ?? 500).json({ code: error.code ?? String(error) });
        },
      );
    });
    site.get('/', (_req, res) => {
      res.type('html').send('<p>Shop</p>');
    });
    const server = site.listen(0, '127.0.0.1');
    server.keepAliveTimeout = 120_000; // a busy machine is slower than the usual five seconds
    await once(server, 'listening');
    const { cookie, nonce } = host.signIn(1000);
    const origin = `http://127.0.0.1:${server.address().port}`;
    return { origin, url: `${origin}${service.basePath}`, headers: { Cookie: cookie, 'X-WP-Nonce': nonce } };
  },
  seen: () => seen,
  verify: () => service.verify(),
  runDue: () => service.jobs.runDue(),
  close: () => service.close(),
};

process.on('disconnect', () => {
  process.exit();
}); // nobody is left to end it
takeOrders(ORDERS);
