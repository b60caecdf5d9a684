import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createPrimary, disconnect } from './primary.js';
import { createStore } from './store.js';

const port = Number(process.env['PORT'] ?? 3000);

// Two names of one machine: browsers keep cookies by host name, not by port.
const [primaryServer, primaryUrl] = await listen(port, 'localhost');
const [storeServer, storeUrl] = await listen(port === 0 ? 0 : port + 1, '127.0.0.1');
const primary = await createPrimary(primaryUrl);
// Two buttons of the primary's administrator, without one to sign in: an example, not for the open net.
primary.app.post('/demo/disconnect', async (_req, res) => {
  await disconnect(primary);
  res.json({ disconnected: true });
});
primary.app.post('/demo/connect', async (_req, res) => {
  res.type('text').send(await connect(primary, storeUrl));
});
primaryServer.on('request', primary.app);
storeServer.on('request', await createStore(await connect(primary, storeUrl)));
process.stdout.write(
  `Primary: ${primaryUrl}\nStore:   ${storeUrl}\nOpen ${storeUrl}/?ref=1, buy there or follow the link and buy on the primary site\n`,
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const server of [primaryServer, storeServer]) server.close().closeAllConnections();
    void primary.service.close();
  });
}

function listen(at: number, name: string): Promise<[Server, string]> {
  const server = createServer({ keepAliveTimeout: 65_000 });
  return new Promise((resolve) => {
    server.listen(at, '127.0.0.1', () => {
      resolve([server, `http://${name}:${(server.address() as AddressInfo).port}`]);
    });
  });
}
