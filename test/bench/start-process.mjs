// One start of a host, alone in its process: `bare` or with the `service`.
import { once } from 'node:events';
import express from 'express';

const [kind, database] = process.argv.slice(2);
const app = express();
let service;
if (kind === 'service') {
  const { createMemoryHost } = await import('../../dist/adapters/index.js');
  const { createAffiliateService } = await import('../../dist/src/index.js');
  service = createAffiliateService(createMemoryHost(), {
    database: JSON.parse(database),
    secret: 'a secret that is long enough for the bench',
    jobs: false,
  });
  service.mount(app);
}
const server = app.listen(0, '127.0.0.1');
await Promise.all([once(server, 'listening'), service?.ready()]);
const { user, system } = process.cpuUsage();
process.send({
  milliseconds: performance.now(),
  processor: (user + system) / 1000,
  megabytes: process.memoryUsage().rss / 2 ** 20,
});
server.close();
await service?.close();
process.disconnect();
