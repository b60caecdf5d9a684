import { fail } from '../../errors.js';

const MAX_LENGTH = 255;
const ABSOLUTE = /^https?:\/\/[^/]/i;
const LOCAL = /^(?:localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/;

export interface SiteUrl {
  /** The normalized address, without a slash at the end. */
  readonly url: string;
  /** Host, port and path. */
  readonly key: string;
}

/** Reads a site's address into its one form (docs/connected-sites.md §5); throws `invalid_site_url`. */
export function readSiteUrl(input: unknown, options: { readonly allowHttp: boolean }): SiteUrl {
  const parsed = parse(input);
  if (!parsed || !schemeAllowed(parsed, options.allowHttp)) return fail('invalid_site_url');
  const path = homePath(parsed.pathname);
  const url = `${parsed.protocol}//${host(parsed)}${path}`;
  return url.length <= MAX_LENGTH ? { url, key: host(parsed) + path } : fail('invalid_site_url');
}

/** The key of the primary's own address, which was not typed in. */
export function keyOfHome(address: string): string {
  const url = new URL(address);
  return host(url) + homePath(url.pathname);
}

// Refuses what a parser would silently drop or repair: user info, query, fragment, backslashes, blanks.
function parse(input: unknown): URL | null {
  const text = typeof input === 'string' ? input.trim() : '';
  if (!ABSOLUTE.test(text) || /[?#\\\s\p{Cc}]/u.test(text)) return null;
  const authority = text.split('/')[2] ?? '';
  return authority.includes('@') ? null : URL.parse(text);
}

const schemeAllowed = ({ protocol, hostname }: URL, allowHttp: boolean): boolean =>
  protocol === 'https:' || allowHttp || LOCAL.test(hostname);

// The parser has put the host into lower case and ASCII and removed the default port.
const host = (url: URL): string => url.host.replace(/\.(?=$|:)/, '');

const homePath = (pathname: string): string =>
  pathname
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/index\.[a-z0-9]{1,10}$/i, '')
    .replace(/\/$/, '');

/** The site with the longest path that contains a page; null when no site contains it. */
export function siteOfPage<S extends { readonly url_key: string }>(page: URL, sites: readonly S[]): S | null {
  const key = host(page) + page.pathname.replaceAll(/\/{2,}/g, '/');
  const found = sites.filter(({ url_key: own }) => key === own || key.startsWith(`${own}/`));
  return found.toSorted((a, b) => b.url_key.length - a.url_key.length)[0] ?? null;
}

/** The host with its port, as the tracker compares hosts. */
export const hostOfKey = (key: string): string => key.split('/')[0] ?? '';
