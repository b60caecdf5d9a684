import type { App } from './app.js';
import { DAY, HOUR } from '../core/duration.js';
import { MODULES } from './modules.js';
import type { Job } from '../platform/jobs/runner.js';
import type { ModuleJob } from '../platform/module.js';
import { isResealDue, resealAll } from '../platform/resealing.js';

/** All recurring work (docs/tracking.md §11): that of the modules, and what concerns several of them. */
export const jobsOf = (app: App): readonly Job[] => [
  ...MODULES.flatMap(({ name, jobs }) => bound(app[name], jobs)),
  { name: 'purge-expired', everyMs: HOUR, run: () => purgeExpired(app) },
  {
    name: 'reseal-secrets',
    everyMs: HOUR,
    aside: true,
    isDue: () => isResealDue(app),
    run: () => resealAll(app),
  },
  { name: 'look-for-deleted-users', everyMs: DAY, run: () => app.accounts.lookForDeleted() },
  { name: 'audit-books', everyMs: DAY, run: () => auditBooks(app) },
];

const bound = <Service>(service: Service, jobs: readonly ModuleJob<Service>[]): Job[] =>
  jobs.map((job) => ({
    ...job,
    isDue: async () => (await job.isDue?.(service)) ?? true,
    run: async () => job.run(service),
  }));

async function auditBooks(app: App): Promise<void> {
  const violations = await app.ledger.verify();
  if (violations.length === 0) return;
  app.log.error('the books do not balance', {
    violations: violations.slice(0, 20),
    count: violations.length,
  });
}

// Rows that only matter for a while; each table has an index on the time they end.
async function purgeExpired(app: App): Promise<void> {
  const now = app.clock.now();
  for (const table of [
    'idempotency_keys',
    'site_nonces',
    'early_reports',
    'rate_limits',
    'signup_challenges',
  ] as const) {
    await app.db(table).where('expires_at', '<', now).delete();
  }
}
