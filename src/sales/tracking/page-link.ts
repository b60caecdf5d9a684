import { cleanText, cut } from '../../core/text.js';
import type { Needs } from './needs.js';
import type { PageLink, Utm } from './types.js';

const URL_LENGTH = 1000;
const UTM_LENGTH = 100;
const PARAM_LENGTH = 191;
export const UTM_KEYS = ['utm_source', 'utm_medium', 'utm_campaign'] as const;
/** Parameters that the tracker removes from a page's address, in addition to the referral parameter. */
export const OTHER_PARAMS = [...UTM_KEYS, 'visit_id'] as const;

/** The program's link variable and its earlier ones. */
export const ownVariables = (app: Needs, own: string): readonly string[] => [
  own,
  ...app.settings.formerVariables,
];

/** The link variables that are read: our own, earlier ones, then those of imported systems, each once. */
export function linkVariables(app: Needs, own: string): readonly string[] {
  const imported = app.settings.importedLinks;
  return imported.length === 0 && app.settings.formerVariables.length === 0
    ? [own]
    : [...new Set([...ownVariables(app, own), ...imported.flatMap(({ variables }) => variables)])];
}

/**
 * The value of a link in the form it is looked up by. When the variable belongs to an imported system, the
 * value names that system: `slicewp:anna`.
 */
export function linkParam(app: Needs, variable: string, value: string, own: string): string {
  if (value === '' || ownVariables(app, own).includes(variable)) return value;
  const source = app.settings.importedLinks.find(({ variables }) => variables.includes(variable))?.source;
  return source === undefined ? value : `${source}:${value}`;
}

/** The first variable with a value in the address; null when there is none. */
export function findLink(
  app: Needs,
  address: string,
  own: string,
): { readonly link: PageLink; readonly variable: string } | null {
  for (const variable of linkVariables(app, own)) {
    const link = findPageLink(address, variable, app.host.site().url);
    if (link) return { link: { ...link, param: linkParam(app, variable, link.param, own) }, variable };
  }
  return null;
}

/**
 * The referral in a page's address: `?ref=x` anywhere, or `/ref/x` at the end of the path; otherwise null.
 */
export function findPageLink(address: string, variable: string, origin: string): PageLink | null {
  if (!mayHold(address, variable) || variable === '') return null;
  const url = pageUrl(address, origin);
  if (!url) return null;
  const fields = linkFields(url, [variable, ...OTHER_PARAMS]);
  const query = fields[variable] ?? '';
  const segment = query ? null : pathReferral(url.pathname, variable);
  const param = cleanParam(query || (segment?.value ?? ''));
  if (param === '') return null;
  const visitId = toVisitId(fields['visit_id']);
  const utm = readUtm(fields);
  if (segment) url.pathname = segment.rest;
  return { param, url: storedUrl(withoutTracking(url, variable)), pathForm: segment !== null, utm, visitId };
}

/** Can the address hold this link variable, however it is spelled? */
export const mayHold = (address: string, variable: string): boolean =>
  address.includes(variable) || address.toLowerCase().includes(variable.toLowerCase());

/** The name of a query parameter in a link that was copied from the source of a page or typed by hand. */
export const plainName = (name: string): string => name.replace(/^(?:amp;)+/i, '').toLowerCase();

/**
 * The first value of each of these parameters. Its name may be in capitals or follow `&amp;`; a parameter
 * with exactly the name comes first (docs/tracking.md §1).
 */
export function linkFields(url: URL, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  const given = [...url.searchParams].filter(([, value]) => value !== '');
  for (const name of names) {
    const value =
      url.searchParams.get(name) || given.find(([key]) => plainName(key) === name.toLowerCase())?.[1];
    if (value) found[name] = value;
  }
  return found;
}

/** The request address without `/ref/x` at the end, with its query; null when it does not end in one. */
export function stripPathReferral(address: string, variable: string): string | null {
  const [path = '', ...query] = address.split('?');
  const found = pathReferral(path, variable);
  return found && [found.rest, ...query].join('?');
}

/** Splits `/shop/ref/jo` into the value and the path that the host knows. */
function pathReferral(path: string, variable: string): { value: string; rest: string } | null {
  // Browsers read a backslash as a slash, so a redirect to `/\host` would lead to another site.
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  const value = parts.at(-1);
  if (value === undefined || parts.at(-2) !== variable) return null;
  const rest = parts.slice(0, -2).join('/');
  return { value: decoded(value), rest: rest === '' ? '/' : `/${rest}${path.endsWith('/') ? '/' : ''}` };
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** Characters that are not seen: zero-width, soft hyphens, and marks of the writing direction. */
const UNSEEN = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;

/** The value without what follows a link in a text: `1.`, `jo/` or `jo)`. */
export const withoutSentenceEnd = (value: string): string => {
  let end = value.length;
  while (end > 0 && /[\s/\\.,;:!?)\]}>"'’”»*]/u.test(value.charAt(end - 1))) end -= 1;
  return value.slice(0, end);
};

/**
 * The value of a link as plain text, without unseen characters; '' when it is too long or has the
 * character that separates the parts of the cookie.
 */
export function cleanParam(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const param = cleanText(String(value).replaceAll(UNSEEN, ''));
  return param.length > PARAM_LENGTH || param.includes('|') ? '' : param;
}

export function readUtm(fields: Readonly<Record<string, unknown>>): Utm {
  const read = (key: string): string | null => {
    const value = fields[key];
    return (typeof value === 'string' ? cut(cleanText(value), UTM_LENGTH) : '') || null;
  };
  return {
    utm_campaign: read('utm_campaign'),
    utm_medium: read('utm_medium'),
    utm_source: read('utm_source'),
  };
}

export function toVisitId(value: unknown): number | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/**
 * A landing page in the form it is stored: http(s), without login, fragment and tracking parameters; null for
 * any other address.
 */
export function landingUrl(address: unknown, variable: string): URL | null {
  const url = typeof address === 'string' ? pageUrl(address) : null;
  return url && withoutTracking(url, variable);
}

/** The page the visitor came from. Only http(s) is stored, because it is shown as a link later. */
export function referrerUrl(address: unknown): string | null {
  const url = typeof address === 'string' && address !== '' ? pageUrl(address) : null;
  return url && cut(url.href, URL_LENGTH);
}

export const storedUrl = (url: URL): string => cut(url.href, URL_LENGTH);

function withoutTracking(url: URL, variable: string): URL {
  const ours = [variable, ...OTHER_PARAMS].map((name) => name.toLowerCase());
  // Deleting a missing parameter would still change the encoding of the others.
  for (const name of new Set(url.searchParams.keys()))
    if (ours.includes(plainName(name))) url.searchParams.delete(name);
  return url;
}

function pageUrl(address: string, base?: string): URL | null {
  // In a request line `//host/path` is a path, but the URL parser would read a host.
  const text = base === undefined ? address : address.replace(/^[/\\]{2,}/, '/');
  const url = URL.parse(text, base);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}
