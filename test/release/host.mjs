// A host with the service on one database, in a process of its own, so that its memory is its own.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';
import { takeOrders } from '../support/orders.mjs';

const FIRST_ADMIN = 100_000;
const ADMINS = 40; // the interface takes 1,200 requests per user and minute
let peak = 0;
const RESOLUTION_MS = 2; // of the delay: what is measured beyond it is what others wait for
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let since = { at: performance.now(), used: process.threadCpuUsage() };
let host;
let service;

/** Highest resident size since the last call, in MiB; sampled while the export runs. */
function memory() {
  const seen = Math.max(peak, process.memoryUsage.rss());
  peak = 0;
  return seen / 2 ** 20;
}

/**
 * How long the event loop kept others waiting since the last call: the 99th percentile and the worst, in ms; and
 * the share of that time in which its thread had a core. With a small share it mostly waited for a core.
 */
function delay() {
  const seen = [loop.percentile(99), loop.max].map((ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS));
  loop.reset();
  loop.enable();
  const { user, system } = process.threadCpuUsage(since.used);
  const busy = (user + system) / 1000 / (performance.now() - since.at);
  since = { at: performance.now(), used: process.threadCpuUsage() };
  return { p99: seen[0], worst: seen[1], busy };
}

function signIn({ user }) {
  const { cookie, nonce } = host.signIn(user);
  return { Cookie: cookie, 'X-WP-Nonce': nonce };
}

const ORDERS = {
  /** `pages` mounts console and portal too; `options` are further options of the service, whose jobs are off. */
  async serve({ database, users, pages = false, options = {} }) {
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
      jobs: false,
      ...options,
      database,
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
    if (pages) {
      const { consoleApp, portalApp } = await import('../../dist/console/server/index.js');
      site.use('/affiliate-admin', consoleApp(service));
      site.use('/partners', portalApp(service));
    }
    site.post('/checkout/:affiliate', async (req, res) => {
      const { created } = await service.conversions.record(null, {
        provider: 'bench',
        reference: randomUUID(),
        type: 'sale',
        status: 'unpaid',
        affiliate: Number(req.params.affiliate),
        order: { subtotal: '100.00' },
        customer: { email: `${randomUUID()}@example.test` },
      });
      res.status(created ? 200 : 500).end();
    });
    const server = site.listen(0, '127.0.0.1');
    server.keepAliveTimeout = 0; // seeding takes longer than connections are kept
    await once(server, 'listening');
    setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20).unref();
    return {
      site: `http://127.0.0.1:${server.address().port}`,
      url: `http://127.0.0.1:${server.address().port}${service.basePath}`,
      headers: signIn({ user: FIRST_ADMIN }),
    };
  },
  signIn,
  verify: () => service.verify(),
  reconcile: () => service.ledger.reconcile(),
  jobs: () => service.jobs.runDue(),
  memory,
  delay,
};

takeOrders(ORDERS);
