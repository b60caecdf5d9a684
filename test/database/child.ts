// A second process for the tests of schema steps and leases:
// opens the database named in its arguments and reports on stdout.
import { createDatabase } from '../../src/platform/database/index.js';
import type { DatabaseConfig } from '../../adapters/database/open.js';

interface Orders {
  readonly database: DatabaseConfig;
  readonly killAfter?: number;
  readonly count?: number;
  readonly hold?: boolean;
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const ignore = (): void => {};
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const database = createDatabase({
  database: orders.database,
  tablePrefix: 'fa_',
  migrate: true,
  durability: 'warn',
  log,
});

let creations = 0;
database.knex.on('query', ({ sql }: { sql: string }) => {
  if (!sql.startsWith('create')) return;
  creations += 1;
  if (creations === orders.killAfter) process.kill(process.pid, 'SIGKILL');
});

await database.prepare();
if (orders.hold) {
  await database.withLease('job', async () => {
    process.stdout.write('held\n');
    await new Promise((resolve) => {
      setTimeout(resolve, 60_000);
    });
  });
}
for (let at = 0; at < (orders.count ?? 0); at += 1) {
  await database.transaction(async (trx) => {
    const row = (await trx('meta')
      .where({ name_key: 'counter' })
      .modify((query) => {
        void trx.dialect.forUpdate(query);
      })
      .first('object_id')) as { object_id: string };
    await trx('meta')
      .where({ name_key: 'counter' })
      .update({ object_id: Number(row.object_id) + 1 });
  });
}
process.stdout.write('done\n');
await database.close();
