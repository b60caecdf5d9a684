import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Express } from 'express';
import { consoleLogger, createAffiliateService, type AffiliateServiceOptions } from 'affiliate-service';
import { paypalPayer, type HostMail } from 'affiliate-service/adapters';
import { createApp } from './app.js';
import { Checkout } from './checkout.js';
import { Demo } from './demo/seed-demo.js';
import type { Environment } from './environment.js';
import { createCmsHost } from './host.js';
import { seedCms, seedProgram } from './seed.js';
import type { Site } from './site.js';
import { openStore, secretOf } from './store/open.js';
import { Mails } from './store/mails.js';
import { Orders } from './store/orders.js';
import { StandInPayer } from './store/payer.js';
import { Pages } from './store/pages.js';
import { Products } from './store/products.js';
import { Users } from './store/users.js';

const RETRY_MS = 15_000;

export interface RunningHost {
  readonly url: string;
  readonly site: Site;
  close(): Promise<void>;
}

interface Opened {
  readonly app: Express;
  readonly site: Site;
  readonly catchUp: () => Promise<void>;
}

/** Starts the CMS and resolves when it is seeded, has caught up with its orders and answers. */
export async function startHost({
  port,
  hostname,
  dataDir,
  database,
  demo,
  smtp,
}: Environment): Promise<RunningHost> {
  const db = openStore(dataDir);
  // Longer than any client keeps an idle connection (docs/hosts.md §3).
  const server = createServer({ keepAliveTimeout: 65_000 });
  // The site's own address is part of links, so it is known before anything is built.
  const url = `http://localhost:${await reserve(server, port, hostname)}`;
  const users = new Users(db, url);
  const pages = new Pages(db, url);
  const products = new Products(db);
  const orders = new Orders(db);
  const mails = new Mails(db);
  const payer = new StandInPayer(db);
  const host = createCmsHost({ db, users, pages, mails, siteUrl: url });
  // A host to try things with: curl and headless browsers count as visitors here.
  const options: AffiliateServiceOptions = {
    database,
    secret: secretOf(db, 'affiliate-service'),
    brandName: 'Fernway',
    uploads: join(dataDir, 'uploads'),
    tracking: { countTools: true },
    payouts: {
      methods: [
        paypalPayer({ clientId: 'demo', clientSecret: 'demo', webhookId: 'DEMO', fetch: payer.fetch }),
      ],
    },
  };
  // Whoever comes early waits; a failed start ends the process, and the connection with it.
  const opened = open();
  server.on('request', (req, res) => {
    opened.then(
      ({ app }) => {
        app(req, res);
      },
      () => {
        req.destroy();
      },
    );
  });
  const { site, catchUp } = await opened;

  async function open(): Promise<Opened> {
    await seedCms(db, users);
    if (demo && orders.list(1, 1).total === 0) {
      const keepMail = (mail: HostMail, at: number): void => {
        mails.keep(mail, new Date(at));
      };
      db.pragma('synchronous = OFF'); // invented orders may be lost
      await new Demo({ host, users, orders, products, siteUrl: url, options, keepMail }).run();
      db.pragma('synchronous = FULL');
    }
    const service = createAffiliateService(host, { ...options, ...(smtp && { smtp }) });
    // An empty program sets the page with its terms in the console.
    if (demo) service.hooks.addFilter('terms_policy_url', () => `${url}/pages/terms`);
    const checkout = new Checkout({ orders, products, service });
    const opening: Site = { url, host, service, users, pages, payer, mails, products, orders, checkout };
    const { log, catchUp: settleRest } = keepSettling(checkout);
    await service.ready();
    await seedProgram(service, users);
    await settleRest();
    const app = createApp(opening, (error) => {
      log.error('a request failed', { error });
    });
    return { app, site: opening, catchUp: settleRest };
  }

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
      await site.service.close();
      db.close();
    },
  };
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
