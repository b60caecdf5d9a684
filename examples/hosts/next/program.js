// One service for the whole process: `next dev` loads files again, and each bundle has files of its own.
import { join } from 'node:path';
import { createAffiliateService } from 'affiliate-service';
import { defineHost } from 'affiliate-service/adapters';
import { toWeb } from 'affiliate-service/bridges';
import { consoleApp, portalApp } from 'affiliate-service/console';
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
    tracking: { trustProxy: false }, // `addressOf` reads it instead
  });
  const handle = toWeb(service, {
    '/affiliate-admin': consoleApp(service, { loginUrl: '/login' }),
    '/partners': portalApp(service, { path: '/partners', loginUrl: '/login' }),
  });
  return { service, handle };
}

/** Made at the first request: `next build` loads this file too, and needs no database. */
export const program = () => (globalThis.affiliateProgram ??= start());
/** Next writes down who called: the last hop is the visitor, or what your one proxy says. */
const addressOf = (request) => ({ ip: request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() });

/** For route handlers that the service answers. */
export const answer = (request) => program().handle(request, undefined, addressOf(request));
/** For the proxy: counts the click, then goes on to the page. */
export const track = (request, page) => program().handle(request, page, addressOf(request));
