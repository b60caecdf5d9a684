import { isInAttributionWindow } from '../../core/attribution-window.js';
import { linkMark, cleanValue } from '../../core/link-value.js';
import type { IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { isSecure } from '../../platform/http/client-address.js';
import type { Deps } from './deps.js';
import { latestOf, readToken } from './click-token.js';
import { siteCookie } from '../../core/site-cookie.js';
import { toVisitId } from './page-link.js';
import { readJson } from '../../core/json.js';
import type { ClickSign } from '../fraud/types.js';
import type { ImportedCookie } from '../../../adapters/imports.js';
import type { AttributionCookie } from './types.js';

const PURPOSE = 'attribution-cookie';
const SITE_COOKIES = siteCookie('');
const DAY_SECONDS = 86_400;
const MAX_LENGTH = 500;
const MAX_STRUCTURE = 4096;
/** Before the id of an imported visit, which identifies its affiliate. */
export const VISIT = 'visit:';
/**
 * The prefix of an id from the system the affiliate was imported from; both together are the affiliate's
 * `source_key`.
 */
export const IMPORTED = 'affiliate_wp:';

/** The script sets it when a visitor agrees; it is read when `consent` is `required`. */
export const CONSENT_COOKIE = 'f_aff_consent';

/** How many days a click counts: the setting, or the value of the filter `cookie_expiration_days`. */
export async function cookieDays(app: Deps): Promise<number> {
  const { cookie_duration: days } = await app.settings.referralConfig();
  const filtered = app.hooks.isUsed('cookie_expiration_days')
    ? await app.hooks.applyFilters('cookie_expiration_days', days)
    : days;
  return Number.isFinite(filtered) ? Math.max(0, filtered) : days;
}

/**
 * The content of the request's attribution cookie; null when there is none, or when it is forged, changed or
 * too old. The format is `<affiliate id>|<visit id>|<seconds>|<signature>`, and the first two parts are where
 * other trackers expect them (docs/tracking.md §4). Of several cookies with the name, the first valid one
 * counts.
 */
export function readAttributionCookie(
  app: Deps,
  req: IncomingMessage,
  days: number,
): AttributionCookie | null {
  const { name } = app.options.tracking.cookie;
  const header = req.headers.cookie ?? '';
  const texts = header.includes(name) ? valuesOf(header, name) : [];
  for (const text of texts) {
    const cookie = signedCookie(app, text, days);
    if (cookie !== null) return cookie;
  }
  return unprovenCookie(app, req, { texts, days });
}

/** A cookie without our signature: one of a connected site or an imported system, or ours where the host takes it. */
function unprovenCookie(
  app: Deps,
  req: IncomingMessage,
  { texts, days }: { readonly texts: readonly string[]; readonly days: number },
): AttributionCookie | null {
  const { name, acceptUnsigned } = app.options.tracking.cookie;
  const ofSite = siteCookieOf(app, req.headers.cookie ?? '', days);
  if (texts.length > 0 && !isImported(app, name))
    return (acceptUnsigned ? unsignedCookie(texts) : null) ?? ofSite;
  const sent = cookies(req);
  return ofSite ?? importedCookie(app, sent) ?? (texts.length === 0 && acceptUnsigned ? adopted(sent) : null);
}

/**
 * The cookie of a connected site on this host. It proves no more than a click on the link, as that of an
 * imported system does; it has the time at which it was set.
 */
function siteCookieOf(app: Deps, header: string, days: number): AttributionCookie | null {
  const parts = header.includes(SITE_COOKIES) ? header.split(';') : [];
  const names = parts.map((part) => part.split('=')[0]?.trim() ?? '');
  for (const name of names.filter((each) => app.settings.siteMarks.cookies.includes(each)))
    for (const text of valuesOf(header, name)) {
      const [param = '', visit = '', at = '', , click = ''] = text.split('|');
      const isFresh = at === '' || isInAttributionWindow(Number(at) * 1000, app.clock.now(), days);
      if (param !== '' && cleanValue(param) === param && isFresh)
        return { ...unsigned(param, toVisitId(visit)), ...clickIn(app, param, click) };
    }
  return null;
}

/** The latest click of this affiliate on a connected site, which this program sent to the site. */
function clickIn(
  app: Deps,
  param: string,
  text: string,
): Pick<AttributionCookie, 'issuedAt' | 'signs'> | null {
  const click = readToken(app.secrets, text);
  const latest = click && String(click.affiliate_id) === param ? latestOf(click) : null;
  return latest && { issuedAt: latest.at, signs: latest.signs };
}

/** A browser sends one cookie for each path and domain that it was set for. */
function valuesOf(header: string, name: string): string[] {
  const values = header.split(';').map((part) => parseCookie(part)[name] ?? '');
  return values.filter((text) => text !== '' && text.length <= MAX_LENGTH);
}

/** Null when the cookie is forged, changed or too old. */
function signedCookie(app: Deps, text: string, days: number): AttributionCookie | null {
  const parts = text.split('|');
  const [param = '', visit = '', issued = '', proof = ''] = parts;
  if (parts.length !== 4 || param === '' || cleanValue(param) !== param) return null;
  const { about, signature } = readProof(proof);
  const signed = [param, visit, issued, ...about].join('|');
  if (!app.secrets.verify(PURPOSE, signed, signature)) return null;
  const issuedAt = Number(issued) * 1000;
  if (!isInAttributionWindow(issuedAt, app.clock.now(), days)) return null;
  return { param, ...readAbout(about), visitId: toVisitId(visit), issuedAt };
}

/** The last part of the cookie: `<signature>`, or `<link>.<signs>.<signature>` with what is known of the click. */
function readProof(proof: string): { readonly about: readonly string[]; readonly signature: string } {
  const dot = proof.lastIndexOf('.');
  return { about: dot < 0 ? [] : [proof.slice(0, dot)], signature: proof.slice(dot + 1) };
}

function readAbout([about = '']: readonly string[]): Pick<AttributionCookie, 'link' | 'signs'> {
  const [link = '', signs = ''] = about.split('.');
  return { link: link || null, signs: readSigns(signs) };
}

function unsignedCookie(texts: readonly string[]): AttributionCookie | null {
  for (const text of texts) {
    const parts = text.split('|');
    const [param = '', visit = ''] = parts;
    if (parts.length === 2 && param !== '' && cleanValue(param) === param)
      return unsigned(param, toVisitId(visit));
  }
  return null;
}

const unsigned = (param: string, visitId: number | null = null): AttributionCookie => ({
  param,
  visitId,
  issuedAt: null,
  link: null,
  signs: [],
});

const writeSigns = (signs: readonly ClickSign[]): string =>
  signs.length === 0 ? '' : `.${Buffer.from(JSON.stringify(signs)).toString('base64url')}`;

const readSigns = (text: string): readonly ClickSign[] =>
  text === '' ? [] : readJson<readonly ClickSign[]>(Buffer.from(text, 'base64url').toString(), []);

const isImported = (app: Deps, name: string): boolean =>
  app.settings.importedLinks.some(({ cookies: named }) => named.some((cookie) => cookie.name === name));

/**
 * A cookie of an imported system. It names the affiliate in the way of that system; its visit was not
 * imported. Only the browser limits its age, and it proves no more than a click on the link.
 */
function importedCookie(
  app: Deps,
  sent: Readonly<Record<string, string | undefined>>,
): AttributionCookie | null {
  for (const { source, cookies: named } of app.settings.importedLinks) {
    for (const form of named) {
      const value = namedBy(form, sent[form.name] ?? '');
      if (value !== '' && cleanValue(value) === value) return unsigned(`${source}:${value}`);
    }
  }
  return null;
}

/** What names the affiliate in a cookie of an imported system; '' when nothing does. */
function namedBy({ separator, member, isVisit }: ImportedCookie, text: string): string {
  if (text.length > (member === undefined ? MAX_LENGTH : MAX_STRUCTURE)) return '';
  if (member !== undefined) return idIn(text, member);
  if (isVisit === true) return toVisitId(text) === null ? '' : VISIT + text;
  return separator === undefined ? text : (text.split(separator)[0] ?? '');
}

/** The id under this name in JSON or serialized PHP, which is not read otherwise. */
function idIn(text: string, member: string): string {
  const json = readJson<Readonly<Record<string, unknown>>>(text, {})[member];
  if (typeof json === 'string' || typeof json === 'number') return String(json);
  const [, id = ''] = text.split(`s:${member.length}:"${member}";`);
  return /^(?:i:|s:\d{1,2}:")(\d{1,15})[";]/.exec(id)?.[1] ?? '';
}

/**
 * The two cookies of another product (docs/tracking.md §2). They hold ids of that product, so they are
 * useless without an import. Only the affiliate is credited, because the visit was not imported.
 */
function adopted(sent: Readonly<Record<string, string | undefined>>): AttributionCookie | null {
  const [value = '', visit = ''] = [sent['affwp_ref'], sent['affwp_ref_visit_id']];
  if (cleanValue(value) !== value || value === '' || toVisitId(visit) === null) return null;
  return unsigned(/^\d+$/.test(value) ? IMPORTED + value : value);
}

/** A click that the cookie remembers: its affiliate and visit, and the value of its link. */
export interface CookieClick {
  readonly affiliateId: number;
  readonly visitId: number | null;
  readonly days: number;
  readonly param: string;
  readonly signs?: readonly ClickSign[];
}

/**
 * The `Set-Cookie` line for a click that counts from now on. Scripts may read the cookie: the tracker looks
 * for the mark of its link.
 */
export function attributionCookie(app: Deps, req: IncomingMessage, click: CookieClick): string {
  const { name, domain } = app.options.tracking.cookie;
  const { affiliateId, visitId, param, signs = [] } = click;
  const content = `${affiliateId}|${visitId ?? ''}|${Math.floor(app.clock.now() / 1000)}`;
  const link = param === String(affiliateId) ? '' : linkMark(param);
  const about = link + writeSigns(signs);
  const signature = app.secrets.sign(PURPOSE, about === '' ? content : `${content}|${about}`);
  return stringifySetCookie({
    name,
    value: `${content}|${about === '' ? '' : `${about}.`}${signature}`,
    maxAge: Math.floor(click.days * DAY_SECONDS),
    path: '/',
    sameSite: 'lax',
    secure: isSecure(req, app.options.tracking.trustProxy) || app.host.site().url.startsWith('https:'),
    ...(domain ? { domain } : {}),
  });
}

/** May this visitor's click be stored? `sent` is the consent that the caller sends, as the script does. */
export function hasConsent(app: Deps, req: IncomingMessage, sent?: unknown): boolean {
  if (app.options.tracking.consent === 'implied') return true;
  const word = sent ?? cookies(req)[CONSENT_COOKIE];
  return word === true || (typeof word === 'string' && /^(1|yes|true)$/i.test(word));
}

const cookies = (req: IncomingMessage): Record<string, string | undefined> =>
  parseCookie(req.headers.cookie ?? '');
