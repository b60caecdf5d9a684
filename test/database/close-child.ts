import { createMemoryHost } from '../../adapters/memory-host.js';
import { createAffiliateService } from '../../src/index.js';

// Starts the service on a file twice and closes it at once; the second start finds nothing to write.
const [file = ''] = process.argv.slice(2);
for (let at = 0; at < 2; at += 1) {
  const service = createAffiliateService(createMemoryHost(), {
    database: { client: 'better-sqlite3', connection: file },
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    logger: { debug() {}, info() {}, warn() {}, error: (message) => process.stderr.write(message) },
  });
  await service.ready();
  await service.close();
}
process.stdout.write('closed\n');
