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
 * Stands before the id an affiliate had in the system it was imported from;
 * together they are its `source_key`.
 */
export const IMPORTED = 'affiliate_wp:';

/** Written by the script when a visitor agrees; read where `consent` is `required`. */
export const CONSENT_COOKIE = 'f_aff_consent';

/** How many days a click counts: the setting, or what the filter `cookie_expiration_days` makes of it. */
export async function cookieDays(app: Needs): Promise<number> {
  const { cookie_duration: days } = await app.settings.referralConfig();
  const filtered = app.hooks.isUsed('cookie_expiration_days')
    ? await app.hooks.applyFilters('cookie_expiration_days', days)
    : days;
  return Number.isFinite(filtered) ? Math.max(0, filtered) : days;
}

/**
 * The request's attribution, or null when there is none, it is forged, changed or too old.
 * `<value>|<visit id>|<seconds>|<signature>`: the first two parts stand where other trackers
 * look for them (docs/tracking.md §4).
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

/** Null when it is forged, changed or too old. */
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
 * A cookie of a system that was moved in from: it names the affiliate as that system
 * did, and its visit stays behind.
 * It is as old as its browser lets it become, and says no more than a click on the link does.
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
 * The pair of cookies another product left (docs/tracking.md §2):
 * its ids are those of the import, and mean nothing without one.
 * The visit stays behind: only the affiliate is credited.
 */
function adopted(sent: Readonly<Record<string, string | undefined>>): AttributionCookie | null {
  const [value = '', visit = ''] = [sent['affwp_ref'], sent['affwp_ref_visit_id']];
  if (cleanParam(value) !== value || value === '' || toVisitId(visit) === null) return null;
  return { param: /^\d+$/.test(value) ? IMPORTED + value : value, visitId: null, issuedAt: null };
}

/**
 * The `Set-Cookie` line for a click that counts from now on.
 * Scripts may read it: the tracker compares its first part.
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

/** May this visitor's click be stored? `said`: the caller's own word for it, as the script sends it. */
export function hasConsent(app: Needs, req: IncomingMessage, said?: unknown): boolean {
  if (app.options.tracking.consent === 'implied') return true;
  const word = said ?? cookies(req)[CONSENT_COOKIE];
  return word === true || (typeof word === 'string' && /^(1|yes|true)$/i.test(word));
}

const cookies = (req: IncomingMessage): Record<string, string | undefined> =>
  parseCookie(req.headers.cookie ?? '');
