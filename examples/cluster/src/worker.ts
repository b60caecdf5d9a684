import type { Server } from 'node:http';
import express, { type Express } from 'express';
import { createAffiliateService, type AffiliateService } from 'affiliate-service';
import type { Environment } from './environment.js';
import { createClusterHost, type ClusterHost } from './host.js';

/** One of several processes with the same code, the same secret and the same database. */
export async function startWorker({ database, port, secret }: Environment): Promise<void> {
  const host = createClusterHost(`http://localhost:${port}`, secret);
  // every worker runs the timer; a lease in the database gives each due job to one of them
  const service = createAffiliateService(host, {
    database,
    secret,
    tracking: { countTools: true, trustProxy: ['127.0.0.1', '::1'] },
  });
  await service.ready(); // the first one changes the schema, the others wait for it
  await enrol(service);
  const server = createApp(service, host).listen(port, '127.0.0.1', () => {
    process.send?.('listening');
  });
  server.keepAliveTimeout = 65_000; // docs/hosts.md §3
  process.on('message', (message) => {
    if (message === 'stop') void stop(server, service);
  });
  process.once('SIGTERM', () => {
    void stop(server, service);
  });
  process.on('SIGINT', () => {}); // a terminal sends it to everybody; the primary says what to do
}

/**
 * Takes nothing new, answers what came in, stores queued clicks, lets a running job
 * end and gives its lease back.
 */
async function stop(server: Server, service: AffiliateService): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  await service.close();
  process.exit(0);
}

async function enrol(service: AffiliateService): Promise<void> {
  if (await service.affiliates.findByUser(2)) return;
  // several workers may come to this line at once: the key in the database lets one of them in
  await service.affiliates
    .create({ user_id: 2, status: 'active', rate_type: 'percentage', rate: 10 })
    .catch(async (error: unknown) => {
      if (!(await service.affiliates.findByUser(2))) throw error;
    });
}

function createApp(service: AffiliateService, host: ClusterHost): Express {
  const app = express();
  app.use((_req, res, next) => {
    res.setHeader('X-Worker', String(process.pid));
    // so that open connections end while we stop
    if (server(res)?.listening === false) res.setHeader('Connection', 'close');
    next();
  });
  service.mount(app);
  app.get('/', (_req, res) => {
    res.send('<form method="post" action="/buy"><button>Buy for 100.00</button></form>');
  });
  app.post('/buy', express.json(), async (req, res) => {
    const { reference = crypto.randomUUID() } = (req.body ?? {}) as { reference?: string };
    const { referral } = await service.conversions.record(req, {
      provider: 'shop',
      reference,
      status: 'unpaid',
      order: { subtotal: '100.00' },
      customer: { email: 'jo@example.test' },
    });
    res.json({ reference, referral });
  });
  app.get('/sign-in/:login', async (req, res) => {
    res.json(await host.signIn(req.params.login));
  }); // an example: it asks for no password
  app.get('/books', async (_req, res) => {
    res.json({ violations: await service.verify() });
  });
  return app;
}

const server = (res: { readonly socket: unknown }): Server | undefined =>
  (res.socket as { server?: Server } | null)?.server;
