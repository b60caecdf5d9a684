import { cleanValue, linkFields, mayHold, plainName } from '../../core/link-value.js';
import { readSubIds, SUB_IDS } from '../../core/sub-ids.js';
import { cut, plainLine } from '../../core/text.js';
import type { Deps } from './deps.js';
import type { PageLink, Utm } from './types.js';

const URL_LENGTH = 1000;
const UTM_LENGTH = 100;
export const UTM_KEYS = ['utm_source', 'utm_medium', 'utm_campaign'] as const;
/** Parameters that the tracker removes from a page's address, in addition to the referral parameter. */
export const OTHER_PARAMS = [...UTM_KEYS, ...SUB_IDS, 'visit_id'] as const;

/** The program's link variable and its earlier ones. */
export const ownVariables = (app: Deps, own: string): readonly string[] => [
  own,
  ...app.settings.formerVariables,
];

/**
 * The link variables that are read: our own, earlier ones, those of imported systems, then those of connected
 * sites, whose pages lead here; each once.
 */
export function linkVariables(app: Deps, own: string): readonly string[] {
  const { importedLinks: imported, formerVariables: former, siteMarks: sites } = app.settings;
  return imported.length === 0 && former.length === 0 && sites.variables.length === 0
    ? [own]
    : [
        ...new Set([
          ...ownVariables(app, own),
          ...imported.flatMap(({ variables }) => variables),
          ...sites.variables,
        ]),
      ];
}

/**
 * The value of a link in the form it is looked up by. When the variable belongs to an imported system, the
 * value names that system: `slicewp:anna`.
 */
export function linkParam(app: Deps, variable: string, value: string, own: string): string {
  const source = value === '' ? '' : sourceOf(app, variable, own);
  return source === '' ? value : `${source}:${value}`;
}

/** The imported system that a link variable belongs to; '' for one of this program. */
export const sourceOf = (app: Deps, variable: string, own: string): string =>
  ownVariables(app, own).includes(variable)
    ? ''
    : (app.settings.importedLinks.find(({ variables }) => variables.includes(variable))?.source ?? '');

/** The first variable with a value in the address; null when there is none. */
export function findLink(
  app: Deps,
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
  const fields = linkFields(url.searchParams, [variable, ...OTHER_PARAMS]);
  const query = fields[variable] ?? '';
  const segment = query ? null : pathReferral(url.pathname, variable);
  const param = cleanValue(query || (segment?.value ?? ''));
  if (param === '') return null;
  const visitId = toVisitId(fields['visit_id']);
  const utm = readUtm(fields);
  if (segment) url.pathname = segment.rest;
  return { param, url: storedUrl(withoutTracking(url, variable)), pathForm: segment !== null, utm, visitId };
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

export function readUtm(fields: Readonly<Record<string, unknown>>): Utm {
  const read = (key: string): string | null => {
    const value = fields[key];
    return (typeof value === 'string' ? cut(plainLine(value), UTM_LENGTH) : '') || null;
  };
  return {
    utm_campaign: read('utm_campaign'),
    utm_medium: read('utm_medium'),
    utm_source: read('utm_source'),
    ...readSubIds(fields),
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
