// One service for the whole process: `next dev` loads files again, and each bundle has files of its own.
import { join } from 'node:path';
import { createAffiliateService } from 'affiliate-service';
import { defineHost } from 'affiliate-service/adapters';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { toNextHandlers, track as trackOf } from 'affiliate-service/next';
import { byEmail, byIds, create, search, sessionOf } from './people.js';

function start() {
  const secret = process.env.SECRET ?? 'only while trying it out, 32 letters';
  const url = process.env.BASE_URL ?? 'http://localhost:3000';
  const host = defineHost({
    site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
    ids: 'text',
    secret,
    session: sessionOf,
    user: ({ id, email, name }) => ({ id, email, name }),
    rights: ({ isAdmin }) => (isAdmin ? 'administrator' : []),
    users: { byIds, search, byEmail, create },
    mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`),
  });
  const connection = join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite');
  const service = createAffiliateService(host, {
    secret,
    database: { client: 'better-sqlite3', connection },
  });
  const mounts = {
    '/affiliate-admin': consoleApp(service, { loginUrl: '/login' }),
    '/partners': portalApp(service, { path: '/partners', loginUrl: '/login' }),
  };
  // how many proxies stand before Next: only what they write into X-Forwarded-For is believed
  return { service, mounts, proxies: Number(process.env.PROXIES ?? 1) };
}

/** Made at the first request: `next build` loads this file too, and needs no database. */
export const program = () => (globalThis.affiliateProgram ??= start());
/** For route handlers that the service answers. */
export const handlers = toNextHandlers(program);
/** For the proxy: counts the click, then goes on to the page. */
export const track = trackOf(program);
