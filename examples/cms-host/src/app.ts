import { fileURLToPath } from 'node:url';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { accountRoutes } from './routes/account.js';
import { docsRoutes } from './routes/docs.js';
import { mailRoutes } from './routes/mails.js';
import { orderRoutes } from './routes/orders.js';
import { payerRoutes } from './routes/payer.js';
import { shopRoutes } from './routes/shop.js';
import { refuse, sameOrigin, type Site } from './site.js';

const PUBLIC = fileURLToPath(new URL('../public', import.meta.url));
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The whole web site. The affiliate service comes first: it reads request bodies itself. */
export function createApp(site: Site, onError: (error: unknown) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
    });
    next();
  });
  app.use('/assets', express.static(PUBLIC, { index: false, maxAge: '1h' }));
  app.get('/favicon.ico', (_req, res) => {
    res.sendFile(`${PUBLIC}/favicon.svg`);
  });
  site.service.mount(app);
  const signIn = (returnTo: string): string => `/login?next=${encodeURIComponent(returnTo)}`;
  const look = {
    title: 'Fernway',
    theme: { primary: '#29845a' },
    loginUrl: signIn,
    logoutUrl: '/logout',
  } as const;
  app.use('/affiliate-admin', consoleApp(site.service, { ...look, path: '/affiliate-admin' }));
  app.use('/partners', portalApp(site.service, { ...look, path: '/partners' }));
  app.use(
    express.json({ limit: '100kb' }),
    express.urlencoded({ extended: false, limit: '100kb' }),
    sameOrigin,
  );
  app.use(shopRoutes(site), accountRoutes(site), orderRoutes(site), mailRoutes(site), docsRoutes(site));
  app.use(payerRoutes(site));
  app.use((req, res) =>
    refuse(site, req, res, { status: 404, code: 'not_found', text: 'There is no such page.' }),
  );
  app.use(async (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const status = statusOf(error);
    if (status >= 500) onError(error);
    if (res.headersSent) next(error);
    else if (status >= 500)
      await refuse(site, req, res, {
        status,
        code: 'internal_error',
        text: 'Something went wrong. Please try again.',
      });
    else
      await refuse(site, req, res, { status, code: 'bad_request', text: 'The request could not be read.' });
  });
  return app;
}

/** Express and its body parsers put the status of a client's mistake on the error. */
function statusOf(error: unknown): number {
  const { status } = (typeof error === 'object' && error !== null ? error : {}) as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
