import { createHmac } from 'node:crypto';
import {
  consoleApp,
  portalApp,
  type ConsoleOptions,
  type PortalOptions,
} from '../../console/server/index.js';
import type { AffiliateService, Handler } from '../../src/index.js';

/** Where the pages of the program appear; `false` leaves one out. */
export interface PageSettings {
  /** Default: at `/affiliate-admin`. */
  readonly console?: false | (ConsoleOptions & { readonly path?: string });
  /** Default: at `/partners`. */
  readonly portal?: false | PortalOptions;
}

/** Console and portal by the paths they are mounted at; visitors are sent to sign in at `loginUrl`. */
export function pagesOf(
  service: AffiliateService,
  { console = {}, portal = {} }: PageSettings,
  loginUrl: string,
): Readonly<Record<string, Handler>> {
  const pages: Record<string, Handler> = {};
  if (console !== false) {
    const { path = '/affiliate-admin', ...options } = console;
    pages[path] = consoleApp(service, { loginUrl, ...options });
  }
  if (portal !== false) {
    const { path = '/partners', ...options } = portal;
    pages[path] = portalApp(service, { loginUrl, ...options, path });
  }
  return pages;
}

/**
 * Derives a secret for the program from the one the site has. Who knows one of them does not know the other.
 */
export const derivedSecret = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(`affiliate-service ${purpose}`).digest('hex');

/** `Anna Bell Smith` from the name fields of a form. */
export const fullName = ({ first_name, last_name, login }: Readonly<Record<string, string>>): string =>
  `${first_name ?? ''} ${last_name ?? ''}`.trim() || (login ?? '');
