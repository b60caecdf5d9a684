import { createMemoryHost } from '../../adapters/memory-host.js';
import {
  openSource,
  silentLogger,
  wordpressMigrators,
  type DatabaseOption,
  type SourceConnection,
} from '../../src/index.js';
import { openService } from '../../src/service/service.js';

// A process of its own that imports, and is killed at a given statement.
// Answers how many statements it needed when it lives.

interface Orders {
  readonly source: SourceConnection;
  readonly slug: string;
  readonly database: DatabaseOption;
  readonly dieAt: number | null;
}

const { source, slug, database, dieAt } = JSON.parse(process.argv[2] ?? '{}') as Orders;
const host = createMemoryHost({
  site: { timeZone: 'UTC' },
  users: [
    { id: 2, login: 'alice', email: 'alice@shop.test' },
    { id: 3, login: 'bob', email: 'bob@shop.test' },
  ],
});
const { service, app } = openService(host, {
  database,
  jobs: false,
  logger: silentLogger,
  secret: 'a secret that is long enough for the tests',
  clock: { now: () => Date.UTC(2026, 0, 15) }, // the same instant in every life
  migrators: wordpressMigrators({ knex: openSource(source) }),
});
await service.ready();
const { db } = app;
await db('job_leases').update({ owner: null, expires_at: 0 }); // its owner is dead

let statements = 0;
db.knex.on('query', () => {
  if (++statements === dieAt) process.kill(process.pid, 'SIGKILL');
});
await service.imports.start(slug);
await service.imports.run(slug);
process.send?.({ statements, violations: await service.verify() });
process.disconnect?.();
await service.close();
process.exit(0);
