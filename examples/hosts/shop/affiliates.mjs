import { randomUUID } from 'node:crypto';
import { createAffiliateService } from 'affiliate-service';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { host } from './host.mjs';

export const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: process.env.DATABASE ?? 'affiliates.sqlite' },
  secret: process.env.SECRET_OF_COOKIES ?? 'at least 32 characters, only while trying it out',
});
await service.ready();

/** The pages that come with the package, by the addresses you choose. */
export const pages = {
  '/affiliate-admin': consoleApp(service, { loginUrl: '/login' }),
  '/partners': portalApp(service, { loginUrl: '/login', path: '/partners' }),
};

/** An order of your shop; `req` is where the cookie of the link is read. */
export const record = (req, email) =>
  service.conversions.record(req, {
    provider: 'shop',
    reference: randomUUID(),
    status: 'unpaid',
    order: { subtotal: '100.00', currency: 'USD' },
    customer: { email },
  });
