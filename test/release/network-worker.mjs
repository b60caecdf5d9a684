// A service in a network namespace of its own. The proof asks it by messages, since packets to it are dropped.
import { once } from 'node:events';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';

const SECRET = 'a secret that is long enough for this proof';
const { database } = JSON.parse(process.argv[2]);
const host = createMemoryHost({
  site: { url: 'http://127.0.0.1', name: 'Shop' },
  users: [
    { id: 1, login: 'admin', capabilities: ['manage_options'] },
    { id: 2, login: 'alice', email: 'alice@shop.test' },
  ],
});
const service = createAffiliateService(host, { database, secret: SECRET, jobs: true, logger: quiet() });
await service.ready();
await service.affiliates.create({
  user_id: 2,
  status: 'active',
  payment_email: 'alice@shop.test',
  custom_param: 'ally',
});
const app = express();
service.mount(app);
app.get('/', (_req, res) => res.send('the shop'));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { cookie, nonce } = host.signIn(1);
const address = `http://127.0.0.1:${server.address().port}`;

function quiet() {
  const none = () => {};
  return { debug: none, info: none, warn: none, error: none };
}

async function ask({ method = 'GET', path, body }) {
  const began = performance.now();
  const isPage = !path.startsWith('/affiliates') && path !== '/health';
  const response = await fetch(address + (isPage ? path : service.basePath + path), {
    method,
    headers: {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ...(!isPage && { Cookie: cookie, 'X-WP-Nonce': nonce, 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(90_000),
  }).catch((error) => ({ status: String(error.cause ?? error), text: async () => '' }));
  await response.text();
  return { status: response.status, ms: performance.now() - began };
}

process.on('message', async ({ id, close, ...request }) => {
  const began = performance.now();
  if (close) await service.close();
  process.send({ id, ...(close ? { status: 'closed', ms: performance.now() - began } : await ask(request)) });
  if (close) process.exit(0);
});
process.send({ id: 0 });
