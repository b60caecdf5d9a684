import type { IncomingMessage } from 'node:http';
import type { Session } from '../../src/platform/access/session.js';
import type { AffiliateService } from '../../src/service/service.js';
import type { AppName } from './assets.js';
import { LOCALES, type Boot, type Locale } from './boot.js';
import { fieldsOf, type ExtensionPages } from './extension-parts.js';
import type { PortalOptions } from './options.js';

export interface BootParts {
  readonly service: AffiliateService;
  readonly app: AppName;
  readonly options: PortalOptions;
  readonly req: IncomingMessage;
  readonly layout: 'page' | 'embed';
  readonly mount: string;
  readonly path: string;
  /** The return path after signing in. */
  readonly returnTo: string;
  readonly styleNonce: string;
  readonly pages: ExtensionPages;
}

export async function bootOf(parts: BootParts): Promise<Boot> {
  const { service, options, req } = parts;
  const session = await service.session(req);
  const locale = localeOf(options, session.user, req);
  return {
    ...session,
    app: parts.app,
    layout: parts.layout,
    mount: parts.mount,
    path: parts.path,
    api: service.basePath,
    locale,
    title: options.title ?? session.program.brand,
    logo: options.logo ?? null,
    homeUrl: options.homeUrl ?? session.program.siteUrl,
    signInUrl: signInUrl(options, prefixOf(options, req) + parts.returnTo),
    logoutUrl: options.logoutUrl ?? null,
    choosesLocale: options.locale === undefined,
    theme: options.theme ?? {},
    styleNonce: parts.styleNonce,
    texts: options.texts?.[locale] ?? {},
    pages: parts.pages.of(session, locale),
    fields: parts.app === 'admin' ? fieldsOf(service, locale) : NO_FIELDS,
  };
}

const NO_FIELDS: Boot['fields'] = { groups: [], affiliates: [] };

/** The path prefix that a proxy has removed. */
function prefixOf({ prefix }: PortalOptions, req: IncomingMessage): string {
  const sent = String(req.headers['x-forwarded-prefix'] ?? '').trim();
  return prefix?.replace(/\/+$/, '') ?? (/^(?:\/[\w.~-]+)+$/.test(sent) ? sent : '');
}

function signInUrl({ loginUrl }: PortalOptions, returnTo: string): string | null {
  if (loginUrl === undefined) return null;
  if (typeof loginUrl === 'function') return loginUrl(returnTo);
  return `${loginUrl}${loginUrl.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`;
}

export function localeOf(options: PortalOptions, user: Session['user'], req: IncomingMessage): Locale {
  const { accept = '', cookie = '' } = { accept: req.headers['accept-language'], cookie: req.headers.cookie };
  const fixed = typeof options.locale === 'function' ? options.locale(user, req) : options.locale;
  const asked = fixed === undefined ? [chosenIn(cookie), ...accept.split(',')] : [fixed];
  const tags = asked.map((tag) => tag.trim().slice(0, 2).toLowerCase());
  const spoken = tags.flatMap((tag) => LOCALES.filter((locale) => locale === tag));
  return spoken[0] ?? 'en';
}

/** The language chosen in the account menu. */
const chosenIn = (cookie: string): string => /(?:^|;\s*)affiliate_locale=(\w{2})/.exec(cookie)?.[1] ?? '';
