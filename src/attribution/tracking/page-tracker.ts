import type { IncomingMessage, ServerResponse } from 'node:http';
import { forVisitor } from '../../platform/http/request-context.js';
import { mayHold, linkMark } from '../../core/link-value.js';
import { saveCookie } from './saved-cookie.js';
import type { KnownHosts } from './known-hosts.js';
import type { Deps } from './deps.js';
import type { ParamResolver } from './resolver.js';
import { attributionCookie, cookieDays, hasConsent, readAttributionCookie } from './cookie.js';
import { bannedReason } from './banned.js';
import { ignoredPage } from './ignore.js';
import { findLink, linkVariables, referrerUrl, stripPathReferral } from './page-link.js';
import { markRefused, refusePrefetch } from './prefetch.js';
import { REFRESH_AFTER, type AcceptedClick, type ClickRecorder } from './recorder.js';
import type { AttributionCookie, ClickResult, PageLink, SkipReason } from './types.js';
import { forbidCaching } from './uncached.js';
import { addVary } from './vary.js';
import { callerOf, visitorOf, type VisitorLimits } from './visitor-limits.js';

/** A page waits at most this long for its click; the click itself continues. */
const DEADLINE_MS = 500;
const MAX_ADDRESS = 8192;

/** What a click changes in the request and the response of its page. */
interface PageEffect {
  readonly cookie?: string;
  /** The request address without `/ref/x`, so that the host finds its page. */
  readonly rewrite?: string | null;
  /** The address names an affiliate, so no shared cache may store the response. */
  readonly named?: boolean;
  /** The page was requested before a click: it is not sent (docs/tracking.md §3). */
  readonly refused?: boolean;
}

interface PageClick {
  readonly req: IncomingMessage;
  readonly link: PageLink;
  readonly days: number;
  readonly cookie: AttributionCookie | null;
  readonly rewrite: string | null;
  /** Sets the effect to use when the deadline passes first. */
  readonly saveEffect: (effect: PageEffect) => void;
}

type CachedClick = Pick<PageClick, 'link' | 'rewrite'> & { readonly address: string };

export interface PageTrackerParts {
  readonly params: ParamResolver;
  readonly recorder: ClickRecorder;
  readonly limits: VisitorLimits;
  readonly hosts: KnownHosts;
  readonly skip: (reason: SkipReason, param: string) => void;
}

/**
 * Counts clicks on the host's pages before the page is made. The page is served even if something fails here.
 */
export class PageTracker {
  constructor(
    private readonly app: Deps,
    private readonly parts: PageTrackerParts,
  ) {}

  /** With `responds` false, the host writes every response, also that of a refused prefetch. */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    { responds = true }: { readonly responds?: boolean } = {},
  ): void {
    const address = addressOf(req);
    if ((req.method !== 'GET' && req.method !== 'HEAD') || !mayReferTo(address)) {
      next();
      return;
    }
    if (this.#settledAtOnce(req, res, address)) next();
    else void this.#track(req, res, next, responds);
  }

  /**
   * Counts a click on an address that leads to a page, such as a redirect link, like a click on the page
   * itself.
   */
  async follow(req: IncomingMessage, res: ServerResponse, link: PageLink): Promise<void> {
    const address = addressOf(req);
    const effect = await this.#inTime(
      (saveEffect) => this.#effectOf(req, { link, address, saveEffect, rewrite: null }),
      () => this.#whileAway(req, { link, address, rewrite: null }),
    );
    this.#apply(req, res, effect);
  }

  /**
   * Handles, without a promise or a query, pages without the parameter and visitors whose recent cookie
   * already names this link.
   */
  #settledAtOnce(req: IncomingMessage, res: ServerResponse, address: string): boolean {
    const config = this.app.settings.current;
    if (!config || this.app.hooks.isUsed('cookie_expiration_days')) return false;
    if (!linkVariables(this.app, config.referral_variable).some((name) => mayHold(address, name)))
      return true;
    const param = plainParam(address, config.referral_variable);
    const cookie = param === null ? null : readAttributionCookie(this.app, req, config.cookie_duration);
    if (param === null || !isOfLink(cookie, param) || cookie.issuedAt === null) return false;
    if (config.credit_last_referrer === 'yes' && this.app.clock.now() - cookie.issuedAt >= REFRESH_AFTER)
      return false;
    this.parts.skip('known_visitor', param);
    addVary(res, 'Cookie');
    forbidCaching(res);
    return true;
  }

  async #track(
    req: IncomingMessage,
    res: ServerResponse,
    next: () => void,
    responds: boolean,
  ): Promise<void> {
    const effect = await forVisitor(this.app, { req, route: 'tracking.page' }, () => this.#effectOfPage(req));
    if (effect.refused && responds) {
      refusePrefetch(res);
      return;
    }
    if (effect.refused) markRefused(res);
    this.#apply(req, res, effect);
    next();
  }

  async #effectOfPage(req: IncomingMessage): Promise<PageEffect> {
    const effect = await this.#inTime(
      (saveEffect) => this.#effect(req, addressOf(req), saveEffect),
      () => this.#whileAway(req, this.#lastLinkIn(req)),
    );
    const isPage = typeof effect.rewrite === 'string' && (await this.#isPage(addressOf(req)));
    return isPage ? { ...effect, rewrite: null } : effect;
  }

  /**
   * The effect of the work; when it fails or takes too long, what it has saved until then, or else the effect
   * of `whileAway`.
   */
  async #inTime(
    work: (saveEffect: PageClick['saveEffect']) => Promise<PageEffect>,
    whileAway: () => PageEffect,
  ): Promise<PageEffect> {
    let saved: PageEffect | undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<PageEffect>((resolve) => {
      timer = setTimeout(() => resolve(saved ?? whileAway()), DEADLINE_MS);
    });
    const effect = this.app
      .limited('tracking', () =>
        work((known) => {
          saved = known;
        }),
      )
      .catch((error: unknown) => {
        this.app.log.error('a click could not be tracked', { error });
        return saved ?? whileAway();
      });
    return Promise.race([effect, late]).finally(() => clearTimeout(timer));
  }

  async #effect(
    req: IncomingMessage,
    address: string,
    saveEffect: (effect: PageEffect) => void,
  ): Promise<PageEffect> {
    const { referral_variable: variable } = await this.app.settings.referralConfig();
    const found = findLink(this.app, address, variable);
    if (!found) return {};
    const { link } = found;
    if (link.pathForm && this.#isHostsOwn(address)) return {};
    return this.#effectOf(req, {
      link,
      address,
      saveEffect,
      rewrite: link.pathForm ? stripPathReferral(req.url ?? '/', found.variable) : null,
    });
  }

  /** The link in the address of a page, by the link variable as it was last read. */
  #lastLinkIn(req: IncomingMessage): CachedClick | null {
    const address = addressOf(req);
    const config = this.app.settings.lastConfig;
    const found = config && findLink(this.app, address, config.referral_variable);
    if (!found || (found.link.pathForm && this.#isHostsOwn(address))) return null;
    const rewrite = found.link.pathForm ? stripPathReferral(req.url ?? '/', found.variable) : null;
    return { link: found.link, address, rewrite };
  }

  /**
   * The database does not respond. The visitor belongs to the affiliate whom this link named before, unless a
   * cookie names one already; no visit is stored.
   */
  #whileAway(req: IncomingMessage, found: CachedClick | null): PageEffect {
    const config = this.app.settings.lastConfig;
    if (found === null || config === null || this.app.hooks.isUsed('cookie_expiration_days'))
      return { named: true };
    const { link, address, rewrite } = found;
    const affiliate = this.parts.params.remembered(link.param, config);
    if (affiliate === null || this.#ignored(req, address) !== null) return { named: true };
    const days = config.cookie_duration;
    const cookie = readAttributionCookie(this.app, req, days);
    const referrer = referrerUrl(req.headers.referer);
    if (
      (cookie !== null && (config.credit_last_referrer === 'no' || cookie.param === String(affiliate.id))) ||
      bannedReason(this.app, { referrer, visitor: callerOf(this.app, req) }) !== null
    )
      return { named: true, rewrite };
    const signs = this.app.fraud.lastSignsOf({ ...link.utm, url: link.url, referrer });
    const click = { affiliateId: affiliate.id, param: link.param, visitId: null, days, signs };
    return { named: true, rewrite, cookie: attributionCookie(this.app, req, click) };
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
      this.app.log.warn('the host failed to check whether a page exists', { error });
      return true;
    }
  }

  async #effectOf(
    req: IncomingMessage,
    { address, ...found }: Pick<PageClick, 'link' | 'rewrite' | 'saveEffect'> & { readonly address: string },
  ): Promise<PageEffect> {
    const { link } = found;
    const days = await cookieDays(this.app);
    const cookie = readAttributionCookie(this.app, req, days);
    const click: PageClick = { req, days, cookie, ...found };
    const ignored = this.#ignored(req, address);
    if (ignored) {
      this.parts.skip(ignored, link.param);
      return this.#uncounted(click, ignored);
    }
    return isOfLink(cookie, link.param) ? this.#knownVisitor(click, cookie) : this.#newClick(click);
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
   * it is removed, and not cached, only when it names an affiliate.
   */
  async #uncounted({ req, link, cookie, rewrite }: PageClick, reason: SkipReason): Promise<PageEffect> {
    if (reason === 'prefetch' && hasConsent(this.app, req)) {
      const affiliate = await this.parts.params.resolveForClick(link.param);
      if (affiliate?.status === 'active') return { refused: true };
    }
    if (!link.pathForm) return { named: true };
    const isKnown = isOfLink(cookie, link.param) || (await this.parts.params.resolve(link.param)) !== null;
    return isKnown ? { rewrite, named: true } : {};
  }

  /**
   * The signed cookie knows the link, so no query is needed. When the last click wins, an old cookie is
   * renewed (docs/tracking.md §4).
   */
  async #knownVisitor(click: PageClick, cookie: AttributionCookie): Promise<PageEffect> {
    const { link, rewrite } = click;
    const { credit_last_referrer: last } = await this.app.settings.referralConfig();
    const isFresh = cookie.issuedAt !== null && this.app.clock.now() - cookie.issuedAt < REFRESH_AFTER;
    if (!isFresh && last === 'yes') return this.#checked(click, await this.#check(click));
    this.parts.skip('known_visitor', link.param);
    return { rewrite, named: true };
  }

  async #newClick(click: PageClick): Promise<PageEffect> {
    const caller = callerOf(this.app, click.req);
    const mayStore = await this.parts.limits.allows(caller);
    return this.#checked(click, await this.#check(click, caller), mayStore);
  }

  async #check(
    { req, link, cookie }: PageClick,
    caller = callerOf(this.app, req),
  ): Promise<AcceptedClick | ClickResult> {
    return this.parts.recorder.check({
      param: link.param,
      url: link.url,
      referrer: referrerUrl(req.headers.referer),
      utm: link.utm,
      visitId: link.visitId,
      current: cookie?.param ?? null,
      currentAt: cookie?.issuedAt ?? null,
      visitor: await visitorOf(this.app, req, caller),
    });
  }

  async #checked(
    click: PageClick,
    checked: AcceptedClick | ClickResult,
    mayStore = true,
  ): Promise<PageEffect> {
    const { link, rewrite, saveEffect } = click;
    if (checked.kind === 'answered') return this.#effectOfClick(click, checked);
    const { id } = checked.affiliate;
    const unstored = await this.#credited(click, id, { visitId: null });
    saveEffect(unstored);
    if (!mayStore) {
      this.parts.skip('rate_limited', link.param);
      return unstored;
    }
    const result = await this.parts.recorder.store(checked);
    if (result.reason) this.parts.skip(result.reason, link.param);
    return earnsCookie(result)
      ? this.#credited(click, id, { visitId: result.visitId, isStored: result.reason === null })
      : { rewrite, named: true };
  }

  async #effectOfClick(click: PageClick, { affiliate, reason, renews }: ClickResult): Promise<PageEffect> {
    const { link, cookie, rewrite } = click;
    if (reason) this.parts.skip(reason, link.param);
    if (affiliate === null) return { rewrite: null, named: !link.pathForm };
    return renews
      ? this.#credited(click, affiliate.id, { visitId: cookie?.visitId ?? null })
      : { rewrite, named: true };
  }

  /** A click that is not stored as a visit is checked now, because no rule sees it later. */
  async #credited(
    { req, link, days, rewrite }: PageClick,
    affiliateId: number,
    { visitId, isStored = false }: { readonly visitId: number | null; readonly isStored?: boolean },
  ): Promise<PageEffect> {
    const seen = { ...link.utm, url: link.url, referrer: referrerUrl(req.headers.referer) };
    const signs = isStored ? [] : await this.app.fraud.signsOf(seen);
    return {
      rewrite,
      named: true,
      cookie: attributionCookie(this.app, req, { affiliateId, param: link.param, visitId, days, signs }),
    };
  }

  #apply(req: IncomingMessage, res: ServerResponse, { cookie, rewrite, named = false }: PageEffect): void {
    if (rewrite !== undefined && rewrite !== null) req.url = rewrite;
    if (res.headersSent) return;
    if (cookie !== undefined) saveCookie(res, cookie);
    if (!named && cookie === undefined) return;
    addVary(res, 'Cookie');
    forbidCaching(res);
  }
}

/** A visitor whose click exceeds a limit still belongs to the affiliate; only the visit is not stored. */
export const earnsCookie = ({ message, reason }: Pick<ClickResult, 'message' | 'reason'>): boolean =>
  message === 'success' || message === 'throttled' || reason === 'overload' || reason === 'failed';

/** Was the cookie set by a link with this value? */
const isOfLink = (cookie: AttributionCookie | null, param: string): cookie is AttributionCookie =>
  cookie !== null && (cookie.link === linkMark(param) || cookie.param === param);

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
