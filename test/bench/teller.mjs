// Delivers the events of the program under measurement to an endpoint of its own, which takes them all.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';

let taken = 0;
const endpoint = createServer((req, res) => {
  req.resume();
  taken += 1;
  res.end('ok');
}).listen(0, '127.0.0.1');
const [{ database }] = await once(process, 'message');
const service = createAffiliateService(createMemoryHost(), {
  database,
  secret: 'a secret that is long enough for the bench',
  events: { allowPrivateNetworks: true },
});
await service.ready();
const { endpoint: made } = await service.webhooks.createEndpoint({
  url: `http://127.0.0.1:${endpoint.address().port}/`,
  events: ['*'],
});
process.send('ready');

process.on('message', async (message) => {
  if (message !== 'end') {
    await service.webhooks.updateEndpoint(made.id, { status: message });
    process.send('done');
    return;
  }
  await service.close();
  process.send(taken, () => process.exit(0));
});
