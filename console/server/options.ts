import type { IncomingMessage } from 'node:http';
import { unknownKey } from '../../src/core/unknown-key.js';
import type { SessionUser } from '../../src/platform/access/session.js';
import type { Theme } from './boot.js';

export type { Theme } from './boot.js';

export interface ConsoleOptions {
  /** Name beside the logo and in the browser's tab. Default: the option `brandName` of the service. */
  readonly title?: string;
  /** URL of a logo, preferably an SVG of 24 px height. */
  readonly logo?: string;
  readonly theme?: Theme;
  /** `en`, `de`, `es`, `fr`, `ar`, or a function of the user. Default: the browser's language. */
  readonly locale?: string | ((user: SessionUser | null, req: IncomingMessage) => string);
  /** URL of the sign-in page. A function gets the return path; a string gets it appended as `return_to`. */
  readonly loginUrl?: string | ((returnTo: string) => string);
  /** Target of the logo and "Back to the site". Default: the site's home page. */
  readonly homeUrl?: string;
  /** The nonce of the host's own Content-Security-Policy, if it sends one. */
  readonly nonce?: (req: IncomingMessage) => string;
  /** Origins that may show the pages in a frame. Default: only the site itself. */
  readonly frameAncestors?: readonly string[];
  /** Mount path of the pages, e.g. `/partners`, for links in mails. `embed()` needs it too. */
  readonly path?: string;
  /** Path prefix that a proxy removes, e.g. `/shop`, for the return path. Default: the header `X-Forwarded-Prefix`. */
  readonly prefix?: string;
  /** URL of "Sign out"; without it the entry is not shown. */
  readonly logoutUrl?: string;
  /** Your own texts by locale and English text: `{ de: { Affiliates: 'Partner' } }`. */
  readonly texts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface PortalOptions extends ConsoleOptions {
  /** `page`: a full page with header. `embed`: no header, transparent, grows with its content. */
  readonly layout?: 'page' | 'embed';
}

type Names<T> = Readonly<Record<keyof Required<T>, readonly string[]>>;

const KINDS: Names<PortalOptions> = {
  title: ['string'],
  logo: ['string'],
  theme: ['object'],
  locale: ['string', 'function'],
  loginUrl: ['string', 'function'],
  homeUrl: ['string'],
  nonce: ['function'],
  frameAncestors: ['list'],
  path: ['string'],
  prefix: ['string'],
  logoutUrl: ['string'],
  texts: ['object'],
  layout: ['string'],
};

/** Throws a TypeError that lists all unknown options and options of the wrong type. */
export function checkOptions(
  call: 'consoleApp' | 'portalApp',
  options: ConsoleOptions | PortalOptions,
): void {
  const kinds: Readonly<Record<string, readonly string[]>> = KINDS;
  const known = Object.keys(kinds).filter((name) => call === 'portalApp' || name !== 'layout');
  const problems = Object.entries(options).flatMap(([name, value]) => {
    const allowed = known.includes(name) ? kinds[name] : undefined;
    if (allowed === undefined) return [unknownKey(name, { path: '', known }).message];
    const kind = Array.isArray(value) ? 'list' : typeof value;
    return value === undefined || allowed.includes(kind)
      ? []
      : [`${name} must be of the type ${allowed.join(' or ')}.`];
  });
  const { path, prefix, layout: chosen } = options as PortalOptions;
  for (const [name, value] of Object.entries({ path, prefix }))
    if (typeof value === 'string' && !value.startsWith('/'))
      problems.push(`${name} must begin with a slash.`);
  if (chosen !== undefined && !['page', 'embed'].includes(chosen))
    problems.push('layout must be "page" or "embed".');
  if (problems.length > 0) throw new TypeError(`${call}: ${problems.join(' ')}`);
}
