import { Router, type Request, type Response } from 'express';
import { cookieLine } from '../cookies.js';
import { sessionCookie } from '../host.js';
import { show, wantsJson, type Site } from '../site.js';
import { SESSION_COOKIE } from '../store/users.js';
import { signIn } from '../views/account.js';
import { formOf } from './shop.js';

/** Sign-in and sign-out. */
export function accountRoutes(site: Site): Router {
  const router = Router();

  router.get('/login', (req, res) =>
    show(site, req, res, {
      title: 'Sign in',
      current: '/login',
      body: signIn({ next: localPath(req.query['next']), login: '', failed: false }),
    }),
  );

  router.post('/login', (req, res) => login(site, req, res));

  router.post('/logout', (req, res) => {
    signOut(site, req, res);
  });
  // The pages of the affiliate program lead here; a link on another site signs nobody out.
  router.get('/logout', (req, res) => {
    if (req.get('sec-fetch-site') === 'same-origin') signOut(site, req, res);
    else res.redirect(303, '/');
  });

  router.get('/nonce', async (req, res) => {
    const viewer = site.users.userOf(req);
    res.set('Cache-Control', 'private, no-store');
    if (viewer) res.json({ nonce: await site.host.nonces.create(viewer, req) });
    else res.status(401).json({ code: 'sign_in', message: 'Please sign in.' });
  });

  return router;
}

function signOut(site: Site, req: Request, res: Response): void {
  site.users.signOut(req);
  res.append('Set-Cookie', cookieLine(SESSION_COOKIE, '', 0));
  if (wantsJson(req)) res.json({ message: 'Signed out.' });
  else res.redirect(303, '/');
}

async function login(site: Site, req: Request, res: Response): Promise<void> {
  const { login: name, password, next } = formOf(req);
  const user =
    typeof name === 'string' && typeof password === 'string' ? await site.users.check(name, password) : null;
  if (user) {
    res.append('Set-Cookie', sessionCookie(site.users.signIn(user.id)));
    if (wantsJson(req))
      res.json({ user: { id: user.id, login: user.login, display_name: user.display_name } });
    else
      res.redirect(
        303,
        localPath(next) || (site.users.can(user.id, 'manage_options') ? '/affiliate-admin' : '/partners'),
      );
    return;
  }
  res.status(401);
  if (wantsJson(req)) res.json({ code: 'login_failed', message: 'Login and password do not fit.' });
  else
    await show(site, req, res, {
      title: 'Sign in',
      body: signIn({ next: localPath(next), login: typeof name === 'string' ? name : '', failed: true }),
    });
}

/** Only addresses of this site; anything else would send people away with our name. */
function localPath(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return '';
  const url = new URL(value, 'http://local.invalid');
  return url.host === 'local.invalid' ? url.pathname + url.search : '';
}
