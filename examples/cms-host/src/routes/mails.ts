import { Router } from 'express';
import { refuse, show, type Site } from '../site.js';
import { mailList, mailPage } from '../views/mails.js';

const SHOWN = 100;
/** A mail brings its own styles, and pictures of this site. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";

/** Links of a mail open in a window of their own, as in a mail program. */
const LINKS = '<base target="_blank">';

/** What would have been sent; anybody may read it, since this is an example. */
export function mailRoutes(site: Site): Router {
  const router = Router();

  router.get('/mails', (req, res) =>
    show(site, req, res, { title: 'Mails', current: '/mails', body: mailList(site.mails.newest(SHOWN)) }),
  );

  router.get('/mails/:id', async (req, res) => {
    const mail = site.mails.find(Number(req.params.id));
    if (mail) await show(site, req, res, { title: mail.subject, current: '/mails', body: mailPage(mail) });
    else await refuse(site, req, res, { status: 404, code: 'not_found', text: 'There is no such mail.' });
  });

  router.get('/mails/:id/html', async (req, res) => {
    const mail = site.mails.find(Number(req.params.id));
    if (mail) res.set('Content-Security-Policy', MAIL_POLICY).type('html').send(`${LINKS}${mail.html}`);
    else await refuse(site, req, res, { status: 404, code: 'not_found', text: 'There is no such mail.' });
  });

  return router;
}
