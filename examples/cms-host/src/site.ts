import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AffiliateService } from 'affiliate-service';
import type { HostAdapter, HostUser } from 'affiliate-service/adapters';
import { countOf, readCart } from './cart.js';
import type { Checkout } from './checkout.js';
import type { Mails } from './store/mails.js';
import type { Orders } from './store/orders.js';
import type { StandInPayer } from './store/payer.js';
import type { Pages } from './store/pages.js';
import type { Products } from './store/products.js';
import type { Users } from './store/users.js';
import { layout, message, type PageParts } from './views/layout.js';

/** What the routes are made of. */
export interface Site {
  readonly url: string;
  readonly host: HostAdapter;
  readonly service: AffiliateService;
  readonly users: Users;
  readonly pages: Pages;
  readonly payer: StandInPayer;
  readonly mails: Mails;
  readonly products: Products;
  readonly orders: Orders;
  readonly checkout: Checkout;
}

/** Sends a page in the frame that fits the visitor. */
export async function show(site: Site, req: Request, res: Response, page: PageParts): Promise<void> {
  const viewer = site.users.userOf(req);
  const isAdmin = viewer !== null && site.users.can(viewer.id, 'manage_options');
  // Every page shows who is signed in and what is in the cart.
  res
    .set('Cache-Control', 'private, no-store')
    .send(layout({ viewer, isAdmin, cartCount: countOf(readCart(req)) }, page));
}

/** A status with a page for people and a small JSON body for programs. */
export async function refuse(
  site: Site,
  req: Request,
  res: Response,
  problem: { status: number; code: string; text: string },
): Promise<void> {
  res.status(problem.status);
  if (wantsJson(req)) res.json({ code: problem.code, message: problem.text });
  else await show(site, req, res, { title: 'Sorry', body: message('Sorry', problem.text) });
}

/** Programs send JSON or ask for it; browsers ask for HTML. */
export const wantsJson = (req: Request): boolean =>
  Boolean(req.is('json')) || req.accepts(['html', 'json']) === 'json';

export type Action = (req: Request, res: Response, viewer: HostUser) => Promise<void> | void;

/** For signed-in users. */
export const signedIn =
  (site: Site, action: Action): RequestHandler =>
  async (req: Request, res: Response): Promise<void> => {
    const viewer = site.users.userOf(req);
    if (viewer) await action(req, res, viewer);
    else if (req.method === 'GET' && !wantsJson(req))
      res.redirect(303, `/login?next=${encodeURIComponent(req.originalUrl)}`);
    else await refuse(site, req, res, { status: 401, code: 'sign_in', text: 'Please sign in.' });
  };

/** For the CMS's administrators. */
export const adminOnly = (site: Site, action: Action): RequestHandler =>
  signedIn(site, async (req, res, viewer) => {
    if (site.users.can(viewer.id, 'manage_options')) await action(req, res, viewer);
    else
      await refuse(site, req, res, {
        status: 403,
        code: 'forbidden',
        text: 'This page is for administrators.',
      });
  });

/** A form on another site must not act for our visitor; programs send none of these headers. */
export function sameOrigin(req: Request, res: Response, next: NextFunction): void {
  const { origin, host } = req.headers;
  const foreign = origin !== undefined && origin !== `${req.protocol}://${host}`;
  if (
    req.method === 'GET' ||
    req.method === 'HEAD' ||
    (!foreign && req.headers['sec-fetch-site'] !== 'cross-site')
  )
    next();
  else res.status(403).json({ code: 'foreign_origin', message: 'This form belongs to another site.' });
}

export const pageOf = (req: Request): number => {
  const page = Number(req.query['page']);
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
};
