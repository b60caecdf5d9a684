// A host with the service on one database, in a process of its own, so that its memory is its own.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';
import { takeOrders } from '../support/orders.mjs';

const FIRST_ADMIN = 100_000;
const ADMINS = 40; // the interface takes 1,200 requests per user and minute
let peak = 0;
const RESOLUTION_MS = 2; // of the delay: what is measured beyond it is what others wait for
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let since = { at: performance.now(), used: process.threadCpuUsage() };
/** How long its thread computed between two turns of the event loop, in ms: waits for a core are not in it. */
let held = { longest: 0, long: 0 };
const LONG_MS = 20;
let host;
let service;
/** Transactions that are open: since when, and whether they belong to an operation that is done in steps. */
const open = new Map();
let steps = [];

/** A step stores the progress of its operation in the same transaction. */
const PROGRESS = /fa_works|fa_import_runs/;

function watchTransactions(knex) {
  knex.on('query', ({ sql, __knexTxId: id }) => {
    if (id === undefined) return;
    if (sql.startsWith('BEGIN')) open.set(id, { at: performance.now(), isStep: false });
    else if (/^(COMMIT|ROLLBACK)/.test(sql)) close(id);
    else if (PROGRESS.test(sql) && open.has(id)) open.get(id).isStep = true;
  });
}

function close(id) {
  const { at, isStep } = open.get(id) ?? {};
  open.delete(id);
  if (isStep) steps.push(performance.now() - at);
}

/** How long the steps since the last call were between BEGIN and COMMIT, in ms. */
function stepTimes() {
  const seen = steps;
  steps = [];
  return seen;
}

/** Highest resident size since the last call, in MiB; sampled while the export runs. */
function memory() {
  const seen = Math.max(peak, process.memoryUsage.rss());
  peak = 0;
  return seen / 2 ** 20;
}

const computedMs = (before) => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

function watchThread() {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const ms = computedMs(before);
    held = { longest: Math.max(held.longest, ms), long: held.long + Number(ms > LONG_MS) };
    before = process.threadCpuUsage();
  }, RESOLUTION_MS).unref();
}

/**
 * How long the event loop kept others waiting since the last call: the 99th percentile and the worst, in ms; and
 * the share of that time in which its thread had a core. With a small share it mostly waited for a core. `held` is
 * the longest turn, and how many took more than 20 ms.
 */
function delay() {
  const seen = [loop.percentile(99), loop.max].map((ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS));
  loop.reset();
  loop.enable();
  const busy = computedMs(since.used) / (performance.now() - since.at);
  since = { at: performance.now(), used: process.threadCpuUsage() };
  const answer = { p99: seen[0], worst: seen[1], busy, held };
  held = { longest: 0, long: 0 };
  return answer;
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
    const opened = openService(host, {
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
    ({ service } = opened);
    await service.ready();
    watchTransactions(opened.app.db.knex);
    watchThread();
    const site = express();
    service.mount(site);
    if (pages) {
      const { consoleApp, portalApp } = await import('../../dist/console/server/index.js');
      site.use('/affiliate-admin', consoleApp(service));
      site.use('/partners', portalApp(service));
    }
    site.post('/checkout/:affiliate', async (req, res) => {
      try {
        const { created } = await service.conversions.record(null, {
          provider: 'bench',
          reference: randomUUID(),
          type: 'sale',
          status: 'unpaid',
          affiliate: Number(req.params.affiliate),
          order: { subtotal: '100.00' },
          customer: { email: `${randomUUID()}@example.test` },
        });
        res.status(created ? 200 : 404).end(); // there is no such affiliate after a wipe
      } catch (error) {
        if (error.status === undefined) console.error(error);
        if (error.retryAfter !== undefined) res.set('Retry-After', String(error.retryAfter));
        res.status(error.status ?? 500).end();
      }
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
  stepTimes,
};

takeOrders(ORDERS);
