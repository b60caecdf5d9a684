// A host with the service on one database, in a process of its own, so that its memory is its own.
import { once } from 'node:events';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';
import { takeOrders } from '../support/orders.mjs';

const FIRST_ADMIN = 100_000;
const ADMINS = 40; // the interface takes 1,200 requests per user and minute
let peak = 0;
let host;
let service;

/** Highest resident size since the last call, in MiB; sampled while the export runs. */
function memory() {
  const seen = Math.max(peak, process.memoryUsage.rss());
  peak = 0;
  return seen / 2 ** 20;
}

function signIn({ user }) {
  const { cookie, nonce } = host.signIn(user);
  return { Cookie: cookie, 'X-WP-Nonce': nonce };
}

const ORDERS = {
  async serve({ database, users }) {
    host = createMemoryHost({
      users: [
        ...Array.from({ length: ADMINS }, (_, at) => ({
          id: FIRST_ADMIN + at,
          login: `admin${at}`,
          email: `admin${at}@shop.test`,
          capabilities: ['manage_options'],
        })),
        ...users,
      ],
    });
    service = createAffiliateService(host, {
      database,
      jobs: false,
      secret: 'a secret that is long enough for the tests',
      logger: {
        debug() {},
        info() {},
        warn() {},
        error: (message, fields) => {
          console.error(message, fields);
        },
      },
    });
    await service.ready();
    const site = express();
    service.mount(site);
    const server = site.listen(0, '127.0.0.1');
    await once(server, 'listening');
    setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20).unref();
    return {
      url: `http://127.0.0.1:${server.address().port}${service.basePath}`,
      headers: signIn({ user: FIRST_ADMIN }),
    };
  },
  signIn,
  verify: () => service.verify(),
  memory,
};

takeOrders(ORDERS);
