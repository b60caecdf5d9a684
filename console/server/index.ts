import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rights } from '../../src/platform/access/session.js';
import type { AffiliateService, Handler } from '../../src/service/service.js';
import { Assets, type AppName } from './assets.js';
import type { Boot } from './boot.js';
import { ExtensionPages } from './extension-parts.js';
import { bootOf, localeOf } from './make-boot.js';
import { checkOptions, type ConsoleOptions, type PortalOptions } from './options.js';
import { fragment, shell, unavailablePage } from './shell.js';

export type { Boot } from './boot.js';
export type { DrawPage, PageContext } from './page-context.js';
export type { ConsoleOptions, PortalOptions, Theme } from './options.js';

export interface PortalHandler extends Handler {
  /**
   * Returns the portal as HTML for a page of the host. Its files are loaded from the mount of the portal (option
   * `path`). A page with a Content-Security-Policy needs `script-src` and `style-src` for that origin, and the
   * option `nonce`.
   */
  embed(req: IncomingMessage): Promise<string>;
  /** HTML with the terms for new affiliates, for a page of the host. */
  terms(): ReturnType<AffiliateService['portal']['terms']>;
}

/** The console for administrators and managers: `app.use('/affiliate-admin', consoleApp(service))`. */
export function consoleApp(service: AffiliateService, options: ConsoleOptions = {}): Handler {
  checkOptions('consoleApp', options);
  const { path } = options;
  if (path !== undefined) {
    leadTo('console', path, service);
  }
  return new Pages(service, 'admin', options).handler();
}

/** The portal for affiliates and applicants: `app.use('/partners', portalApp(service))`. */
export function portalApp(service: AffiliateService, options: PortalOptions = {}): PortalHandler {
  checkOptions('portalApp', options);
  const pages = new Pages(service, 'portal', options);
  const { path } = options;
  if (path !== undefined) {
    service.hooks.addFilter(
      'portal_page_url',
      (address) => (new URL(address).pathname === '/' ? new URL(path, address).href : address),
      { name: 'portal-app', priority: 1 },
    );
    leadTo('portal', path, service);
  }
  return Object.assign(pages.handler(), {
    embed: (req: IncomingMessage) => pages.embed(req),
    terms: () => service.portal.terms(null),
  });
}

const withoutEnd = (path: string): string => path.replace(/\/+$/, '');

/** Sets the URLs of screens in mails. If a page of the site is the portal, the screen is behind its `#`. */
function leadTo(pages: 'console' | 'portal', path: string, { hooks }: AffiliateService): void {
  const start = withoutEnd(path);
  hooks.addFilter(
    'screen_url',
    (address, which, screen) => {
      const url = new URL(address);
      const isElsewhere = pages === 'portal' && withoutEnd(url.pathname) !== start;
      return which !== pages || isElsewhere ? address : new URL(`${start}${screen}`, url.origin).href;
    },
    { name: `${pages}-app`, priority: 1 },
  );
}

interface RequestPath {
  /** The mount as the server sees it, without a slash at its end. */
  readonly mount: string;
  /** The path below the mount, with a leading slash. */
  readonly path: string;
  /** Path and query of the request. */
  readonly target: string;
}

class Pages {
  #assets: Assets | undefined;
  readonly #extensions: ExtensionPages;

  constructor(
    private readonly service: AffiliateService,
    private readonly app: AppName,
    private readonly options: PortalOptions,
  ) {
    this.#extensions = new ExtensionPages(service, app);
  }

  handler(): Handler {
    return (req, res, next) => {
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        next();
        return;
      }
      this.#answer(req, res).then((done) => {
        if (!done) next();
      }, next);
    };
  }

  async embed(req: IncomingMessage): Promise<string> {
    const { path } = this.options;
    if (path === undefined)
      throw new Error('Name the place the portal is mounted at: portalApp(service, { path: "/partners" }).');
    const mount = withoutEnd(path);
    const returnTo = placeOf(req).target;
    const boot = await this.#boot(
      req,
      { mount, path: '/', target: returnTo },
      'embed',
      this.options.nonce?.(req) ?? '',
    );
    return fragment(boot, this.#files().entry(this.app), `${mount}/assets/`);
  }

  /** Returns false for requests of others. */
  async #answer(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const place = placeOf(req);
    const asset = /^\/assets\/([^/]+)$/.exec(place.path)?.[1];
    if (asset !== undefined) return this.#files().send(asset, req, res);
    const module = /^\/modules\/([^/]+)$/.exec(place.path)?.[1];
    if (module !== undefined) return this.#extensions.send(module, req, res);
    if (place.path === '/' && !place.target.split('?')[0]!.endsWith('/')) {
      redirect(res, 308, withSlash(place.target));
      return true;
    }
    // A missing file is a 404, not a page of the app.
    if (/\.\w{1,5}$/.test(place.path) && place.path !== '/boot.json') return false;
    try {
      await this.#page(req, res, place);
    } catch (error) {
      if (!isUnavailable(error) || res.headersSent) throw error;
      this.#unavailable(req, res, { place, error });
    }
    return true;
  }

  #unavailable(
    req: IncomingMessage,
    res: ServerResponse,
    { place, error }: { readonly place: RequestPath; readonly error: Unavailable },
  ): void {
    const { code, message, retryAfter = 2 } = error;
    setPageHeaders(res);
    res.setHeader('Retry-After', String(retryAfter));
    if (place.path === '/boot.json') {
      const response = JSON.stringify({ code, message, data: { status: 503 } });
      sendText(req, res, 503, 'application/json; charset=utf-8', response);
      return;
    }
    res.setHeader('Content-Security-Policy', "default-src 'none'; base-uri 'none'");
    const page = unavailablePage(localeOf(this.options, null, req));
    sendText(req, res, 503, 'text/html; charset=utf-8', page);
  }

  async #page(req: IncomingMessage, res: ServerResponse, place: RequestPath): Promise<void> {
    const styleNonce = this.options.nonce?.(req) ?? randomBytes(16).toString('base64');
    const layout = this.options.layout ?? 'page';
    const boot = await this.#boot(req, place, layout, styleNonce);
    const status = this.#statusFor(boot);
    setPageHeaders(res);
    if (place.path === '/boot.json') {
      sendText(req, res, 200, 'application/json; charset=utf-8', JSON.stringify(boot));
      return;
    }
    if (status === 401 && boot.signInUrl !== null) {
      redirect(res, 302, boot.signInUrl);
      return;
    }
    res.setHeader(
      'Content-Security-Policy',
      contentPolicy(boot, this.options, {
        checkers: await this.#checkers(),
        modules: this.#extensions.origins('module'),
        frames: this.#extensions.origins('url'),
      }),
    );
    const up = '../'.repeat(place.path.split('/').length - 2) || './';
    sendText(
      req,
      res,
      status,
      'text/html; charset=utf-8',
      shell(boot, this.#files().entry(this.app, boot.locale), `${up}assets/`),
    );
  }

  /** Origins of the captcha's scripts and frames. */
  async #checkers(): Promise<readonly string[]> {
    const challenge = this.app === 'portal' ? await this.service.captcha.challenge() : null;
    return challenge === null ? [] : CHECKERS[challenge.provider];
  }

  /** The console needs any right; the portal is open to everyone. */
  #statusFor({ user, rights }: Boot): number {
    if (this.app === 'portal') return 200;
    if (user === null) return 401;
    return mayEnter(rights) ? 200 : 403;
  }

  #boot(req: IncomingMessage, place: RequestPath, layout: Boot['layout'], styleNonce: string): Promise<Boot> {
    const { service, app, options } = this;
    const { mount, path, target } = place;
    // boot.json is requested by a page that is already open.
    const returnTo = onThisSite(path === '/boot.json' ? target.replace(/boot\.json.*$/, '') : target);
    return bootOf({
      service,
      app,
      options,
      req,
      layout,
      mount,
      path,
      returnTo,
      styleNonce,
      pages: this.#extensions,
    });
  }

  #files(): Assets {
    return (this.#assets ??= new Assets());
  }
}

/** Whether an error of the service is temporary. */
interface Unavailable {
  readonly code: string;
  readonly message: string;
  readonly status: 503;
  readonly retryAfter?: number;
}

const isUnavailable = (error: unknown): error is Unavailable =>
  error instanceof Error && (error as Partial<Unavailable>).status === 503;

const mayEnter = (rights: Rights): boolean =>
  rights.administrator ||
  rights.settings ||
  [rights.affiliates, rights.referrals, rights.visits, rights.payouts].some((level) => level !== 'none');

/** Express keeps the whole URL in `originalUrl`. */
function placeOf(req: IncomingMessage): RequestPath {
  const below = req.url ?? '/';
  const target = (req as { originalUrl?: string }).originalUrl ?? below;
  const path = below.split('?')[0] || '/';
  const whole = target.split('?')[0]!;
  const mount = path === '/' ? whole.replace(/\/$/, '') : whole.slice(0, whole.length - path.length);
  return { mount, path: path.startsWith('/') ? path : `/${path}`, target };
}

/** `//host/path` and `/\\host` would redirect to another site after the sign-in. */
const onThisSite = (address: string): string => `/${address.replace(/^[/\\]+/, '')}`;

// Relative to the requested page, so that it works below a proxy's prefix.
function withSlash(target: string): string {
  const [path = '', query] = target.split('?', 2);
  return `${path.slice(path.lastIndexOf('/') + 1)}/${query === undefined ? '' : `?${query}`}`;
}

function setPageHeaders(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'same-origin');
}

const CHECKERS = {
  recaptcha: ['https://www.google.com', 'https://www.gstatic.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  turnstile: ['https://challenges.cloudflare.com'],
} as const;

/** Origins of scripts and frames in the pages. */
interface Origins {
  readonly checkers: readonly string[];
  /** Origins of extensions' modules and frames. */
  readonly modules: readonly string[];
  readonly frames: readonly string[];
}

/** Allows scripts and styles of this origin, captcha providers and extensions, and pictures of any used origin. */
function contentPolicy(
  { styleNonce }: Boot,
  { frameAncestors }: ConsoleOptions,
  { checkers, modules, frames }: Origins,
): string {
  const own = ["'self'", ...checkers].join(' ');
  const and = (more: readonly string[]): string => [own, ...more].join(' ');
  return [
    "default-src 'none'",
    `script-src ${and(modules)} 'nonce-${styleNonce}'`,
    `style-src ${own} 'nonce-${styleNonce}'`,
    "img-src 'self' data: https: http:",
    "font-src 'self'",
    `connect-src ${and(modules)}`,
    `frame-src ${and(frames)}`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${["'self'", ...(frameAncestors ?? [])].join(' ')}`,
  ].join('; ');
}

function redirect(res: ServerResponse, status: number, location: string): void {
  res.setHeader('Cache-Control', 'no-store');
  res.writeHead(status, { Location: location }).end();
}

function sendText(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  type: string,
  text: string,
): void {
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(req.method === 'HEAD' ? undefined : text);
}
