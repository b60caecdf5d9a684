import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { consoleLogger, createAffiliateService } from 'affiliate-service';
import { createApp } from './app.js';
import { Checkout } from './checkout.js';
import type { Environment } from './environment.js';
import { createCmsHost } from './host.js';
import { seedCms, seedProgram } from './seed.js';
import type { Site } from './site.js';
import { openStore, secretOf, type Sqlite } from './store/open.js';
import { Orders } from './store/orders.js';
import { Pages } from './store/pages.js';
import { Products } from './store/products.js';
import { Users } from './store/users.js';

const RETRY_MS = 15_000;

export interface RunningHost {
  readonly url: string;
  readonly site: Site;
  close(): Promise<void>;
}

/** Starts the CMS and resolves when it is seeded, has caught up with its orders and answers. */
export async function startHost({
  port,
  hostname,
  dataDir,
  database,
  smtp,
}: Environment): Promise<RunningHost> {
  const db = openStore(dataDir);
  const server = createServer();
  // The site's own address is part of links, so it is known before anything is built.
  const url = `http://localhost:${await reserve(server, port, hostname)}`;
  const users = new Users(db, url);
  const pages = new Pages(db, url);
  const products = new Products(db);
  const orders = new Orders(db);
  const host = createCmsHost({ db, users, pages, siteUrl: url });
  // A host to try things with: curl and headless browsers count as visitors here.
  const service = createAffiliateService(host, {
    database,
    secret: secretOf(db, 'affiliate-service'),
    brandName: 'Fernway',
    tracking: { countTools: true },
    ...(smtp && { smtp }),
  });
  service.hooks.addFilter('terms_policy_url', () => `${url}/pages/terms`);
  service.hooks.addFilter('portal_page_url', () => `${url}/affiliate`);
  const checkout = new Checkout({ orders, products, service });
  const site: Site = { host, service, users, pages, products, orders, checkout };
  const { log, catchUp } = keepSettling(checkout);
  const app = createApp(site, (error) => {
    log.error('a request failed', { error });
  });
  const ready = prepare(site, db).then(catchUp);
  // Whoever comes early waits; a failed start ends the process, and the connection with it.
  server.on('request', (req, res) => {
    ready.then(
      () => {
        app(req, res);
      },
      () => {
        req.destroy();
      },
    );
  });
  await ready;
  const timer = setInterval(() => {
    void catchUp();
  }, RETRY_MS);
  return {
    url,
    site,
    close: async () => {
      clearInterval(timer);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      await service.close();
      db.close();
    },
  };
}

async function prepare({ service, users }: Site, db: Sqlite): Promise<void> {
  await service.ready();
  await seedCms(db, users);
  await seedProgram(service, users);
}

/** Listens and returns the port, also when it was left to the system. */
const reserve = (server: Server, port: number, hostname: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

function keepSettling(checkout: Checkout): { log: typeof consoleLogger; catchUp: () => Promise<void> } {
  const log = consoleLogger;
  const catchUp = async (): Promise<void> => {
    for (const { order, error } of await checkout.settleAll())
      log.error(`order ${order.id} has no commission yet`, { error });
  };
  return { log, catchUp };
}
