import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOUR } from '../../core/duration.js';
import { keepCookie } from './kept-cookie.js';
import type { KnownHosts } from './known-hosts.js';
import type { Needs } from './needs.js';
import type { ParamResolver } from './resolver.js';
import { attributionCookie, cookieDays, hasConsent, readAttributionCookie } from './cookie.js';
import { ignoredPage } from './ignore.js';
import { findLink, linkVariables, referrerUrl, stripPathReferral } from './page-link.js';
import type { ClickRecorder } from './recorder.js';
import type { AttributionCookie, ClickResult, PageLink, SkipReason } from './types.js';
import { keepUncached } from './uncached.js';
import { callerOf, visitorOf, type VisitorLimits } from './visitor-limits.js';

/** A page waits at most this long for its click; the click itself continues. */
const DEADLINE_MS = 500;
const MAX_ADDRESS = 8192;
const REFRESH_AFTER = HOUR;

/** What a click changes in the request and the answer of its page. */
interface PageEffect {
  readonly cookie?: string;
  /** The request address without `/ref/x`, so that the host finds its page. */
  readonly rewrite?: string | null;
  /** The address names an affiliate, so no shared cache may keep the answer. */
  readonly named?: boolean;
}

interface PageClick {
  readonly req: IncomingMessage;
  readonly link: PageLink;
  readonly days: number;
  readonly cookie: AttributionCookie | null;
  readonly rewrite: string | null;
  /** Sets the effect to use when the deadline passes first. */
  readonly keepEffect: (effect: PageEffect) => void;
}

export interface PageTrackerParts {
  readonly params: ParamResolver;
  readonly recorder: ClickRecorder;
  readonly limits: VisitorLimits;
  readonly hosts: KnownHosts;
  readonly skip: (reason: SkipReason, param: string) => void;
}

/** Counts clicks on the host's pages before the page is made. The page is served whatever goes wrong here. */
export class PageTracker {
  constructor(
    private readonly app: Needs,
    private readonly parts: PageTrackerParts,
  ) {}

  handle(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const address = addressOf(req);
    if ((req.method !== 'GET' && req.method !== 'HEAD') || !mayReferTo(address)) {
      next();
      return;
    }
    if (this.#settledAtOnce(req, res, address)) next();
    else void this.#track(req, res, next);
  }

  /**
   * Counts a click on an address that leads to a page, such as a redirect link, like a click on the page
   * itself.
   */
  async follow(req: IncomingMessage, res: ServerResponse, link: PageLink): Promise<void> {
    const address = addressOf(req);
    this.#apply(
      req,
      res,
      await this.#inTime((keepEffect) => this.#effectOf(req, { link, address, keepEffect, rewrite: null })),
    );
  }

  /**
   * Handles, without a promise or a query, pages without the parameter and visitors whose recent cookie
   * already names this link.
   */
  #settledAtOnce(req: IncomingMessage, res: ServerResponse, address: string): boolean {
    const config = this.app.settings.current;
    if (!config || this.app.hooks.isUsed('cookie_expiration_days')) return false;
    if (!linkVariables(this.app, config.referral_variable).some((name) => address.includes(name)))
      return true;
    const param = plainParam(address, config.referral_variable);
    const cookie = param === null ? null : readAttributionCookie(this.app, req, config.cookie_duration);
    if (cookie === null || cookie.param !== param || cookie.issuedAt === null) return false;
    if (config.credit_last_referrer === 'yes' && this.app.clock.now() - cookie.issuedAt >= REFRESH_AFTER)
      return false;
    this.parts.skip('known_visitor', param);
    addVary(res, 'Cookie');
    keepUncached(res);
    return true;
  }

  async #track(req: IncomingMessage, res: ServerResponse, next: () => void): Promise<void> {
    const effect = await this.#inTime((keepEffect) => this.#effect(req, addressOf(req), keepEffect));
    const isPage = typeof effect.rewrite === 'string' && (await this.#isPage(addressOf(req)));
    this.#apply(req, res, isPage ? { ...effect, rewrite: null } : effect);
    next();
  }

  async #inTime(work: (keepEffect: PageClick['keepEffect']) => Promise<PageEffect>): Promise<PageEffect> {
    let fallback: PageEffect = { named: true }; // nothing is known about the address yet
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<PageEffect>((resolve) => {
      timer = setTimeout(() => resolve(fallback), DEADLINE_MS);
    });
    const effect = this.app
      .limited('tracking', () =>
        work((known) => {
          fallback = known;
        }),
      )
      .catch((error: unknown) => {
        this.app.log.error('a click could not be tracked', { error });
        return fallback;
      });
    return Promise.race([effect, late]).finally(() => clearTimeout(timer));
  }

  async #effect(
    req: IncomingMessage,
    address: string,
    keepEffect: (effect: PageEffect) => void,
  ): Promise<PageEffect> {
    const { referral_variable: variable } = await this.app.settings.referralConfig();
    const found = findLink(this.app, address, variable);
    if (!found) return {};
    const { link } = found;
    if (!link.pathForm) keepEffect({ named: true });
    else if (this.#isHostsOwn(address)) return {};
    return this.#effectOf(req, {
      link,
      address,
      keepEffect,
      rewrite: link.pathForm ? stripPathReferral(req.url ?? '/', found.variable) : null,
    });
  }

  /**
   * On paths the host names, `/ref/x` belongs to the host: code that protects such a path must see it as it
   * was sent.
   */
  #isHostsOwn(address: string): boolean {
    const { host, basePath, options } = this.app;
    const path = `${pathOf(address)}/`;
    return [basePath, host.site().restPrefix, ...options.tracking.noPathLinks]
      .map((own) => `/${own.replaceAll(/^\/+|\/+$/g, '')}/`.toLowerCase())
      .some((own) => own !== '//' && path.startsWith(own));
  }

  /**
   * The host may have a page with the address of a link. The address is then not rewritten, but the click
   * counts.
   */
  async #isPage(address: string): Promise<boolean> {
    try {
      return (await this.app.host.pages?.existsByPath?.(address.split('?')[0] ?? '/')) ?? false;
    } catch (error) {
      this.app.log.warn('the host could not say whether it has a page', { error });
      return true;
    }
  }

  async #effectOf(
    req: IncomingMessage,
    { address, ...found }: Pick<PageClick, 'link' | 'rewrite' | 'keepEffect'> & { readonly address: string },
  ): Promise<PageEffect> {
    const { link } = found;
    const days = await cookieDays(this.app);
    const cookie = readAttributionCookie(this.app, req, days);
    const click: PageClick = { req, days, cookie, ...found };
    const ignored = this.#ignored(req, address);
    if (ignored) {
      this.parts.skip(ignored, link.param);
      return this.#uncounted(click);
    }
    return cookie?.param === link.param ? this.#knownVisitor(click, cookie) : this.#newClick(click);
  }

  #ignored(req: IncomingMessage, address: string): SkipReason | null {
    const fields = Object.fromEntries(new URLSearchParams(address.split('?').slice(1).join('?')));
    const ignored = ignoredPage({
      method: req.method ?? 'GET',
      headers: req.headers,
      fields,
      countTools: this.app.options.tracking.countTools,
    });
    return ignored ?? (hasConsent(this.app, req) ? null : 'no_consent');
  }

  /**
   * `?ref=x` is always a link, whether or not it names an affiliate. `/ref/x` may be a page of the host, so
   * it is removed, and kept from caches, only when it names an affiliate.
   */
  async #uncounted({ link, cookie, rewrite }: PageClick): Promise<PageEffect> {
    if (!link.pathForm) return { named: true };
    const isKnown = cookie?.param === link.param || (await this.parts.params.resolve(link.param)) !== null;
    return isKnown ? { rewrite, named: true } : {};
  }

  /**
   * The signed cookie names the affiliate, so no query is needed. When the last click wins, an old cookie is
   * renewed (docs/tracking.md §5).
   */
  async #knownVisitor(
    { req, link, days, rewrite }: PageClick,
    cookie: AttributionCookie,
  ): Promise<PageEffect> {
    this.parts.skip('known_visitor', link.param);
    const { credit_last_referrer: last } = await this.app.settings.referralConfig();
    const isFresh = cookie.issuedAt !== null && this.app.clock.now() - cookie.issuedAt < REFRESH_AFTER;
    if (isFresh || last !== 'yes') return { rewrite, named: true };
    const affiliate = await this.parts.params.resolve(link.param);
    if (affiliate?.status !== 'active') return { rewrite, named: true };
    return {
      rewrite,
      named: true,
      cookie: attributionCookie(this.app, req, { param: link.param, visitId: cookie.visitId, days }),
    };
  }

  async #newClick(click: PageClick): Promise<PageEffect> {
    const { req, link, cookie, keepEffect } = click;
    const caller = callerOf(this.app, req);
    const mayStore = await this.parts.limits.allows(caller);
    const checked = await this.parts.recorder.check({
      param: link.param,
      url: link.url,
      referrer: referrerUrl(req.headers.referer),
      utm: link.utm,
      visitId: link.visitId,
      current: cookie?.param ?? null,
      visitor: await visitorOf(this.app, req, caller),
    });
    if (checked.kind === 'answered') {
      if (checked.reason) this.parts.skip(checked.reason, link.param);
      return {
        rewrite: checked.affiliate ? click.rewrite : null,
        named: checked.affiliate !== null || !link.pathForm,
      };
    }
    keepEffect(this.#credited(click, null));
    if (!mayStore) {
      this.parts.skip('rate_limited', link.param);
      return this.#credited(click, null);
    }
    const result = await this.parts.recorder.store(checked);
    if (result.reason) this.parts.skip(result.reason, link.param);
    return earnsCookie(result)
      ? this.#credited(click, result.visitId)
      : { rewrite: click.rewrite, named: true };
  }

  #credited({ req, link, days, rewrite }: PageClick, visitId: number | null): PageEffect {
    return {
      rewrite,
      named: true,
      cookie: attributionCookie(this.app, req, { param: link.param, visitId, days }),
    };
  }

  #apply(req: IncomingMessage, res: ServerResponse, { cookie, rewrite, named = false }: PageEffect): void {
    if (rewrite !== undefined && rewrite !== null) req.url = rewrite;
    if (res.headersSent) return;
    if (cookie !== undefined) keepCookie(res, cookie);
    if (!named && cookie === undefined) return;
    addVary(res, 'Cookie');
    keepUncached(res);
  }
}

/** A visitor whose click exceeds a limit still belongs to the affiliate; only the visit is not stored. */
export const earnsCookie = ({ message, reason }: Pick<ClickResult, 'message' | 'reason'>): boolean =>
  message === 'success' || message === 'throttled' || reason === 'overload' || reason === 'failed';

/** The value of `?ref=x` when it needs no decoding; null when the address must be parsed. */
function plainParam(address: string, variable: string): string | null {
  const at = Math.max(address.indexOf(`?${variable}=`), address.indexOf(`&${variable}=`));
  if (at < 0) return null;
  return /^[\w-]{1,100}(?=&|$)/.exec(address.slice(at + variable.length + 2))?.[0] ?? null;
}

/**
 * The path in the form used for comparison: decoded where possible, in lower case, with slashes joined and
 * without dot segments.
 */
function pathOf(address: string): string {
  const path =
    URL.parse(`http://host${address.split('?')[0]?.replaceAll(/[/\\]+/g, '/') ?? '/'}`)?.pathname ?? '/';
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return path.toLowerCase();
  }
}

const addressOf = (req: IncomingMessage): string =>
  (req as { originalUrl?: string }).originalUrl ?? req.url ?? '/';

// True for few pages: without a query string and a second path segment there is no referral.
const mayReferTo = (address: string): boolean =>
  address.length <= MAX_ADDRESS && (address.includes('?') || address.indexOf('/', 1) > 0);

export function addVary(res: ServerResponse, name: string): void {
  const present = res.getHeader('Vary');
  if (present === undefined) {
    res.setHeader('Vary', name);
    return;
  }
  const names = String(present)
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  if (!names.some((each) => each === '*' || each.toLowerCase() === name.toLowerCase()))
    res.setHeader('Vary', [...names, name].join(', '));
}
