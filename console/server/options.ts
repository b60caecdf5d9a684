import type { IncomingMessage } from 'node:http';
import { unknownKey } from '../../src/core/unknown-key.js';
import type { SessionUser } from '../../src/platform/access/session.js';
import type { Theme } from './boot.js';

export type { Theme } from './boot.js';

export interface ConsoleOptions {
  /** Beside the logo and in the browser's tab. Default: the option `brandName` of the service. */
  readonly title?: string;
  /** Address of a picture, best an SVG of 24 px height. */
  readonly logo?: string;
  readonly theme?: Theme;
  /** `en`, `de`, `es`, `fr`, `ar`, or a function of the user; default: what the browser asks for. */
  readonly locale?: string | ((user: SessionUser | null, req: IncomingMessage) => string);
  /** Where visitors sign in. A function is given the path to come back to; a text gets it as `return_to`. */
  readonly loginUrl?: string | ((returnTo: string) => string);
  /** Where the logo and "back to the site" lead. Default: the site's home page. */
  readonly homeUrl?: string;
  /** The nonce of the host's own Content-Security-Policy, where it sends one. */
  readonly nonce?: (req: IncomingMessage) => string;
  /** Origins that may show the pages in a frame; default: none but the site itself. */
  readonly frameAncestors?: readonly string[];
  /**
   * Where the pages are mounted, e.g. `/affiliate-admin` or `/partners`, for the mails that lead to a screen. The
   * portal needs it for `embed()` too.
   */
  readonly path?: string;
  /**
   * A part of the path that a proxy in front removes, e.g. `/shop`, for the way back after signing in. Default: the
   * header `X-Forwarded-Prefix`.
   */
  readonly prefix?: string;
  /** Where "Sign out" leads; without it the pages show no such entry. */
  readonly logoutUrl?: string;
  /** Texts of your own by locale and English text: `{ de: { Affiliates: 'Partner' } }`. */
  readonly texts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface PortalOptions extends ConsoleOptions {
  /** `page`: a whole page with header; `embed`: no header, transparent, grows with its content. */
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

/** Throws a TypeError that names every unknown option and every one of the wrong kind. */
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
