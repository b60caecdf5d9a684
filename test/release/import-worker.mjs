// A process of its own that moves an old system in.
// It can end by its own hand (SIGKILL) when it is about to send a given statement.
import { createMemoryHost } from '../../dist/adapters/index.js';
import { csvMigrator, openSource, wordpressMigrators } from '../../dist/src/index.js';
import { openService } from '../../dist/src/service.js';
import { takeOrders } from '../support/orders.mjs';

const QUIET = {
  debug() {},
  info() {},
  warn() {},
  error: (message, fields) => {
    console.error(message, fields);
  },
};
const USERS = [
  { id: 2, login: 'alice', email: 'alice@shop.test' },
  { id: 3, login: 'bob', email: 'bob@shop.test' },
  { id: 4, login: 'carol', email: 'carol@shop.test', capabilities: ['manage_options'] },
];

async function opened({ source, database, at = Date.UTC(2026, 0, 15) }) {
  const knex = source.files ? null : openSource(source);
  const { service, app } = openService(createMemoryHost({ site: { timeZone: 'UTC' }, users: USERS }), {
    database,
    jobs: false,
    logger: QUIET,
    secret: 'a secret that is long enough for the tests',
    clock: { now: () => at }, // the same instant in every life
    migrators: knex ? wordpressMigrators({ knex }) : [csvMigrator({ ...source.files, timeZone: 'UTC' })],
  });
  await service.ready();
  await app.db('job_leases').update({ owner: null, expires_at: 0 }); // its owner is dead
  return {
    service,
    app,
    close: async () => {
      await service.close();
      await knex?.destroy();
    },
  };
}

const ORDERS = {
  /** Goes on with the import until it is complete, or dies before statement `dieAt`. */
  async live({ slug, dieAt, ...more }) {
    const { service, app, close } = await opened(more);
    let statements = 0;
    app.db.knex.on('query', () => {
      if (++statements === dieAt) process.kill(process.pid, 'SIGKILL');
    });
    await service.imports.start(slug, false, settingsOf(more.source));
    await service.imports.run(slug);
    const report = await service.imports.report(slug);
    const violations = await service.verify();
    await close();
    return { statements, violations, report, memory: process.resourceUsage().maxRSS / 1024 };
  },

  /** A whole import with what it cost; `reset` looks at every row again. */
  async import({ slug, reset = false, ...more }) {
    const { service, close } = await opened(more);
    const memory = [];
    const timer = setInterval(() => {
      memory.push(process.memoryUsage.rss());
    }, 50);
    const cpu = process.cpuUsage();
    const began = performance.now();
    await service.imports.start(slug, reset, settingsOf(more.source));
    let [stage, before] = ['', began];
    const seconds = {};
    await service.imports.run(slug, {
      onProgress: (run) => {
        seconds[stage || run.stage] =
          (seconds[stage || run.stage] ?? 0) + (performance.now() - before) / 1000;
        [stage, before] = [run.stage, performance.now()];
      },
    });
    const took = (performance.now() - began) / 1000;
    const used = process.cpuUsage(cpu);
    clearInterval(timer);
    const report = await service.imports.report(slug);
    const violations = await service.verify();
    await close();
    const quarter = (at) =>
      Math.max(
        ...memory.slice(Math.floor((memory.length * at) / 4), Math.ceil((memory.length * (at + 1)) / 4)),
        0,
      ) /
      2 ** 20;
    return {
      report,
      violations,
      took,
      cpu: (used.user + used.system) / 1e6,
      seconds,
      memory: [0, 1, 2, 3].map(quarter),
    };
  },
};

/** Files do not tell the currency of the old program. */
const settingsOf = ({ files }) => (files ? { currency: 'USD' } : {});

takeOrders(ORDERS);
