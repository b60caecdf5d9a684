import { cleanText, cut } from '../../core/text.js';
import type { Needs } from './needs.js';
import type { PageLink, Utm } from './types.js';

const URL_LENGTH = 1000;
const UTM_LENGTH = 100;
const PARAM_LENGTH = 191;
export const UTM_KEYS = ['utm_source', 'utm_medium', 'utm_campaign'] as const;
/** Parameters the tracker takes out of a page's address, beside the referral parameter. */
export const OTHER_PARAMS = [...UTM_KEYS, 'visit_id'] as const;

/** Link variables that are read: ours, then those of systems moved in from, each once. */
export function linkVariables(app: Needs, own: string): readonly string[] {
  const imported = app.settings.importedLinks;
  return imported.length === 0
    ? [own]
    : [...new Set([own, ...imported.flatMap(({ variables }) => variables)])];
}

/**
 * The value of a link as it is looked up: one that came with another system's
 * variable says so, `slicewp:anna`.
 */
export function linkParam(app: Needs, variable: string, value: string, own: string): string {
  if (variable === own || value === '') return value;
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
 * The referral in a page's address: `?ref=x` anywhere, or `/ref/x` as the end of the path.
 * Null when there is none.
 */
export function findPageLink(address: string, variable: string, origin: string): PageLink | null {
  if (!address.includes(variable) || variable === '') return null;
  const url = pageUrl(address, origin);
  if (!url) return null;
  const query = url.searchParams.get(variable);
  const segment = query ? null : pathReferral(url.pathname, variable);
  const param = cleanParam(query ?? segment?.value ?? '');
  if (param === '') return null;
  const visitId = toVisitId(url.searchParams.get('visit_id'));
  const utm = readUtm(Object.fromEntries(url.searchParams));
  if (segment) url.pathname = segment.rest;
  return { param, url: storedUrl(withoutTracking(url, variable)), pathForm: segment !== null, utm, visitId };
}

/** The request address without a trailing `/ref/x`, query kept; null when it does not end so. */
export function stripPathReferral(address: string, variable: string): string | null {
  const [path = '', ...query] = address.split('?');
  const found = pathReferral(path, variable);
  return found && [found.rest, ...query].join('?');
}

/** `/shop/ref/jo` → the value, and the path the host knows. */
function pathReferral(path: string, variable: string): { value: string; rest: string } | null {
  // A backslash is a slash to browsers: `/\host` as the rest would be another site where it is redirected to.
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

/** The value of a link: plain text without the cookie's separator. */
export function cleanParam(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const param = cleanText(String(value));
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
 * A landing page as it is stored: http(s), no login, no fragment, no tracking parameters.
 * Null when it is no such address.
 */
export function landingUrl(address: unknown, variable: string): URL | null {
  const url = typeof address === 'string' ? pageUrl(address) : null;
  return url && withoutTracking(url, variable);
}

/** Where the visitor came from; only http(s) is stored, since it is shown as a link later. */
export function referrerUrl(address: unknown): string | null {
  const url = typeof address === 'string' && address !== '' ? pageUrl(address) : null;
  return url && cut(url.href, URL_LENGTH);
}

export const storedUrl = (url: URL): string => cut(url.href, URL_LENGTH);

function withoutTracking(url: URL, variable: string): URL {
  // Deleting an absent parameter would still rewrite the encoding of the others.
  for (const name of [variable, ...OTHER_PARAMS])
    if (url.searchParams.has(name)) url.searchParams.delete(name);
  return url;
}

function pageUrl(address: string, base?: string): URL | null {
  // `//host/path` is a path when it comes from a request line, but would be read as another host.
  const text = base === undefined ? address : address.replace(/^[/\\]{2,}/, '/');
  const url = URL.parse(text, base);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}
