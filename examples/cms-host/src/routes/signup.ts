import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { AffiliateError, type SignupOutcome, type SignupRequest } from 'affiliate-service';
import { show, type Site } from '../site.js';
import * as views from '../views/signup.js';
import { formOf } from './shop.js';

const TITLE = { title: 'Earn with us', current: '/signup' };
const BAIT = 'hp_website';

/** The sign-up for affiliates, on the service's own methods; a page of scripts would use its REST interface. */
export function signupRoutes(site: Site): Router {
  const router = Router();
  const { registration } = site.service;

  router.get('/signup', (req, res) => showForm(site, req, res));

  router.post('/signup', async (req, res) => {
    const values = formOf(req);
    try {
      await goOn(site, req, res, await registration.register(values, requestOf(site, req, res)));
    } catch (error) {
      await showForm(site, req, res, { values, failure: refusal(error, res) });
    }
  });

  router.post('/signup/code', async (req, res) => {
    const { reference, code } = formOf(req);
    const [sent, typed] = [reference, code].map((value) => (typeof value === 'string' ? value : ''));
    try {
      await goOn(
        site,
        req,
        res,
        await registration.confirm(sent ?? '', typed ?? '', requestOf(site, req, res)),
      );
    } catch (error) {
      await show(site, req, res, {
        ...TITLE,
        body: views.codeForm({ reference: sent ?? '', error: refusal(error, res).message }),
      });
    }
  });

  return router;
}

const requestOf = (site: Site, req: Request, res: Response): SignupRequest => ({
  user: site.users.userOf(req),
  ip: req.ip ?? null,
  id: randomUUID(),
  url: req.originalUrl,
  raw: req,
  response: res,
});

async function goOn(site: Site, req: Request, res: Response, outcome: SignupOutcome): Promise<void> {
  if (outcome.kind === 'code_sent') await show(site, req, res, { ...TITLE, body: views.codeForm(outcome) });
  else res.redirect(303, '/signup');
}

/** The service's refusals are for the person at the form; everything else is a fault. */
function refusal(error: unknown, res: Response): AffiliateError {
  if (!(error instanceof AffiliateError) || error.status >= 500) throw error;
  res.status(error.status);
  return error;
}

async function showForm(
  site: Site,
  req: Request,
  res: Response,
  failed?: { readonly values: Readonly<Record<string, unknown>>; readonly failure: AffiliateError },
): Promise<void> {
  const { affiliate, fields, settings } = await site.service.registration.form(site.users.userOf(req));
  if (affiliate) await show(site, req, res, { ...TITLE, body: views.standing(affiliate.status) });
  else if (settings.enabled === 'no') await show(site, req, res, { ...TITLE, body: views.closed() });
  else {
    const errors = failed?.failure.fields ?? {};
    const error =
      failed &&
      (Object.keys(errors).length > 0 ? 'Please look at the fields below.' : failed.failure.message);
    await show(site, req, res, {
      ...TITLE,
      body: views.signupForm({
        fields,
        bait: BAIT,
        values: failed?.values ?? {},
        errors,
        ...(error ? { error } : {}),
      }),
    });
  }
}
