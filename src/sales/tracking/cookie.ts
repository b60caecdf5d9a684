import type { IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { isSecure } from '../../platform/http/client-address.js';
import type { Needs } from './needs.js';
import { cleanParam, toVisitId } from './page-link.js';
import type { AttributionCookie } from './types.js';

const PURPOSE = 'attribution-cookie';
const DAY_SECONDS = 86_400;
const CLOCK_SKEW = 300_000;
const MAX_LENGTH = 500;
/**
 * The prefix of an id from the system the affiliate was imported from; both together are the affiliate's
 * `source_key`.
 */
export const IMPORTED = 'affiliate_wp:';

/** The script sets it when a visitor agrees; it is read when `consent` is `required`. */
export const CONSENT_COOKIE = 'f_aff_consent';

/** How many days a click counts: the setting, or the answer of the filter `cookie_expiration_days`. */
export async function cookieDays(app: Needs): Promise<number> {
  const { cookie_duration: days } = await app.settings.referralConfig();
  const filtered = app.hooks.isUsed('cookie_expiration_days')
    ? await app.hooks.applyFilters('cookie_expiration_days', days)
    : days;
  return Number.isFinite(filtered) ? Math.max(0, filtered) : days;
}

/**
 * The content of the request's attribution cookie; null when there is none, or when it is forged, changed or
 * too old. The format is `<value>|<visit id>|<seconds>|<signature>`, and the first two parts are where other
 * trackers expect them (docs/tracking.md §4).
 */
export function readAttributionCookie(
  app: Needs,
  req: IncomingMessage,
  days: number,
): AttributionCookie | null {
  const sent = cookies(req);
  const { name, acceptUnsigned } = app.options.tracking.cookie;
  const text = sent[name];
  if (text === undefined) return importedCookie(app, sent) ?? (acceptUnsigned ? adopted(sent) : null);
  if (text.length > MAX_LENGTH) return null;
  const parts = text.split('|');
  const [param = '', visit = ''] = parts;
  if (param === '' || cleanParam(param) !== param) return null;
  if (parts.length !== 2) return signedCookie(app, parts, days);
  if (isImported(app, name)) return importedCookie(app, sent);
  return acceptUnsigned ? { param, visitId: toVisitId(visit), issuedAt: null } : null;
}

/** Null when the cookie is forged, changed or too old. */
function signedCookie(app: Needs, parts: readonly string[], days: number): AttributionCookie | null {
  const [param = '', visit = '', issued = '', signature = ''] = parts;
  if (parts.length !== 4 || !app.secrets.verify(PURPOSE, `${param}|${visit}|${issued}`, signature))
    return null;
  const issuedAt = Number(issued) * 1000;
  const age = app.clock.now() - issuedAt;
  return age <= days * DAY_SECONDS * 1000 && age >= -CLOCK_SKEW
    ? { param, visitId: toVisitId(visit), issuedAt }
    : null;
}

const isImported = (app: Needs, name: string): boolean =>
  app.settings.importedLinks.some(({ cookies: named }) => named.some((cookie) => cookie.name === name));

/**
 * A cookie of an imported system. It names the affiliate in the way of that system; its visit was not
 * imported. Only the browser limits its age, and it proves no more than a click on the link.
 */
function importedCookie(
  app: Needs,
  sent: Readonly<Record<string, string | undefined>>,
): AttributionCookie | null {
  for (const { source, cookies: named } of app.settings.importedLinks) {
    for (const { name, separator } of named) {
      const text = sent[name] ?? '';
      const value = separator === undefined ? text : (text.split(separator)[0] ?? '');
      if (value !== '' && cleanParam(value) === value && text.length <= MAX_LENGTH)
        return { param: `${source}:${value}`, visitId: null, issuedAt: null };
    }
  }
  return null;
}

/**
 * The two cookies of another product (docs/tracking.md §2). They hold ids of that product, so they are
 * useless without an import. Only the affiliate is credited, because the visit was not imported.
 */
function adopted(sent: Readonly<Record<string, string | undefined>>): AttributionCookie | null {
  const [value = '', visit = ''] = [sent['affwp_ref'], sent['affwp_ref_visit_id']];
  if (cleanParam(value) !== value || value === '' || toVisitId(visit) === null) return null;
  return { param: /^\d+$/.test(value) ? IMPORTED + value : value, visitId: null, issuedAt: null };
}

/**
 * The `Set-Cookie` line for a click that counts from now on. Scripts may read the cookie: the tracker
 * compares its first part.
 */
export function attributionCookie(
  app: Needs,
  req: IncomingMessage,
  click: { param: string; visitId: number | null; days: number },
): string {
  const { name, domain } = app.options.tracking.cookie;
  const signed = `${click.param}|${click.visitId ?? ''}|${Math.floor(app.clock.now() / 1000)}`;
  return stringifySetCookie({
    name,
    value: `${signed}|${app.secrets.sign(PURPOSE, signed)}`,
    maxAge: Math.floor(click.days * DAY_SECONDS),
    path: '/',
    sameSite: 'lax',
    secure: isSecure(req, app.options.tracking.trustProxy) || app.host.site().url.startsWith('https:'),
    ...(domain ? { domain } : {}),
  });
}

/** May this visitor's click be stored? `said` is the consent that the caller sends, as the script does. */
export function hasConsent(app: Needs, req: IncomingMessage, said?: unknown): boolean {
  if (app.options.tracking.consent === 'implied') return true;
  const word = said ?? cookies(req)[CONSENT_COOKIE];
  return word === true || (typeof word === 'string' && /^(1|yes|true)$/i.test(word));
}

const cookies = (req: IncomingMessage): Record<string, string | undefined> =>
  parseCookie(req.headers.cookie ?? '');
