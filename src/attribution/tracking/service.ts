import type { IncomingMessage, ServerResponse } from 'node:http';
import { DAY } from '../../core/duration.js';
import {
  affiliateCreated,
  affiliateRemoved,
  affiliateSaved,
} from '../../program/affiliates/domain-events.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { LatestClick, ClickEvidence } from '../fraud/types.js';
import type { Deps } from './deps.js';
import { NO_CONTRIBUTIONS, type TrackingContributions } from './contributions.js';
import { ConversionEndpoint } from './conversion-endpoint.js';
import { latestOf, readToken, writeToken, type TokenClick } from './click-token.js';
import { cookieDays, hasConsent, readAttributionCookie } from './cookie.js';
import { TrackingEndpoint } from './endpoint.js';
import { LinkBuilder, type LinkSite } from './links.js';
import { PageTracker } from './page-tracker.js';
import { ClickRecorder } from './recorder.js';
import type { ImportedLinks } from '../../program/settings/types.js';
import { ignoredVisitor } from './ignore.js';
import { KnownHosts } from './known-hosts.js';
import { linkParam } from './page-link.js';
import { isCall } from './public-call.js';
import { Redirects } from './redirect.js';
import { deleteVisitKeys, readSkips } from './repository.js';
import { ParamResolver } from './resolver.js';
import { TrackerScript, trackerVars } from './script.js';
import { signConversion, type BrowserConversion } from './signed-conversion.js';
import { SkipCounter } from './skip-counter.js';
import type {
  AttributedVisit,
  Attribution,
  ClickInput,
  ClickResult,
  RequestHandler,
  SkipReason,
  UnknownReason,
} from './types.js';
import { storedAddress } from './visitor.js';
import { canonicalAddress } from '../../platform/http/client-address.js';
import { forVisitor } from '../../platform/http/request-context.js';
import { VisitorLimits } from './visitor-limits.js';
import { WriteQueue } from './write-queue.js';

const FORMATS = [
  { label: 'Affiliate ID', value: 'id' },
  { label: 'Username', value: 'username' },
  { label: 'Custom parameter', value: 'custom' },
  { label: 'Token', value: 'hash' },
] as const;

/** Finds the affiliate of an order by the click on a link. */
export class TrackingService {
  #contributions = NO_CONTRIBUTIONS;
  readonly #params: ParamResolver;
  readonly #queue: WriteQueue;
  readonly #skips: SkipCounter;
  readonly #links: LinkBuilder;
  readonly #recorder: ClickRecorder;
  readonly #script: TrackerScript;
  readonly #hosts: KnownHosts;
  readonly #endpoint: TrackingEndpoint;
  readonly #pages: PageTracker;
  readonly #conversions: ConversionEndpoint;
  readonly #redirects: Redirects;

  constructor(private readonly app: Deps) {
    this.#params = new ParamResolver(app);
    this.#queue = new WriteQueue(app);
    this.#skips = new SkipCounter(app);
    this.#links = new LinkBuilder(app, this.#params);
    this.#script = new TrackerScript(app, (page) => this.#contributions.scriptServed(page));
    this.#recorder = new ClickRecorder(app, { params: this.#params, queue: this.#queue });
    const limits = new VisitorLimits(app);
    this.#hosts = new KnownHosts(app, () => this.siteHosts());
    const parts = {
      recorder: this.#recorder,
      limits,
      hosts: this.#hosts,
      params: this.#params,
      skip: (reason: SkipReason, param: string) => this.#skip(reason, param),
    };
    this.#conversions = new ConversionEndpoint(app, {
      limits,
      hosts: this.#hosts,
      take: (req, order) => this.#contributions.takeOrder(req, order),
    });
    this.#endpoint = new TrackingEndpoint(app, parts);
    this.#pages = new PageTracker(app, parts);
    app.settings.contribute({ linkForms: () => this.referralFormats() });
    app.affiliates.contribute({
      shareUrl: (affiliate) => this.shareUrlOf(affiliate),
      byLinkValue: (value) => this.resolveParam(value),
    });
    app.internal.on(affiliateCreated, (_trx, { afterCommit }) => afterCommit(() => this.forgetAffiliates()));
    app.internal.on(affiliateSaved, (_trx, { afterCommit }) => afterCommit(() => this.forgetAffiliates()));
    app.internal.on(affiliateRemoved, (_trx, { afterCommit }) => afterCommit(() => this.forgetAffiliates()));
    this.#redirects = new Redirects(app, {
      skip: parts.skip,
      pages: this.#pages,
      limits,
      hosts: this.#hosts,
      find: (slug) => this.#contributions.redirect(slug),
      params: this.#params,
      siteParams: () => this.siteParams(),
    });
  }

  /** Whether this is a page of the site, of `tracking.allowedHosts` or of an active connected site. */
  isKnownPage(page: URL): Promise<boolean> {
    return this.#hosts.isKnown(page);
  }

  contribute(parts: Partial<TrackingContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  /** Hosts of the active connected sites. */
  siteHosts(): Promise<ReadonlySet<string>> {
    return this.#contributions.siteHosts();
  }

  /** The parameter that each connected site reads, by host. */
  siteParams(): Promise<ReadonlyMap<string, string>> {
    return this.#contributions.siteParams();
  }

  /**
   * The handler for the host's public pages: it serves the script and the tracking call, and counts clicks on
   * any page.
   */
  middleware(): RequestHandler {
    return (req, res, next) => {
      if (this.#script.matches(req)) void this.#serve(this.#script.handle(req, res), next);
      else if (this.#conversions.matches(req)) void this.#serve(this.#takeOrder(req, res), next);
      else if (this.#endpoint.matches(req)) void this.#serve(this.#takeClick(req, res), next);
      else this.#followOrTrack(req, res, next);
    };
  }

  /**
   * The same for hosts that call it themselves before they send a page: the click is stored and its cookie is
   * set on `res`. It never rejects; the page is served even if the click is not stored.
   */
  trackVisit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#pages.handle(req, res, () => resolve(), { responds: false });
    });
  }

  #followOrTrack(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const slug = this.#redirects.slugOf(req);
    if (slug === null) this.#pages.handle(req, res, next);
    else this.#follow(req, res, slug, next);
  }

  #follow(req: IncomingMessage, res: ServerResponse, slug: string, next: (error?: unknown) => void): void {
    const work = (): Promise<boolean> => this.#quickly(() => this.#redirects.handle(req, res, slug));
    void this.#serve(
      forVisitor(this.app, { req, route: 'tracking.redirect' }, work).then((found) => {
        if (!found) next();
      }),
      next,
    );
  }

  #takeClick(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const work = (): Promise<void> => this.#quickly(() => this.#endpoint.handle(req, res));
    return forVisitor(this.app, { req, route: 'tracking.click' }, work);
  }

  #takeOrder(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const work = (): Promise<void> => this.#conversions.handle(req, res);
    return forVisitor(this.app, { req, route: 'tracking.conversion' }, work);
  }

  /**
   * May a redirect lead to this address? Allowed are this site, `tracking.allowedHosts` and active connected
   * sites.
   */
  async mayLeadTo(url: URL): Promise<boolean> {
    return (
      (url.protocol === 'http:' || url.protocol === 'https:') &&
      url.username === '' &&
      url.password === '' &&
      this.#hosts.isKnown(url)
    );
  }

  /** Handles only redirect links, below the router's `tracking.redirectPath`. */
  redirects(): RequestHandler {
    return (req, res, next) => {
      const slug = this.#redirects.slugBelow(req);
      if (slug === null) next();
      else this.#follow(req, res, slug, next);
    };
  }

  /** Handles only the tracking call: `POST` and `OPTIONS` on the router's tracking path. */
  endpoint(): RequestHandler {
    return (req, res, next) => {
      if (this.#conversions.matchesBelow(req)) void this.#serve(this.#takeOrder(req, res), next);
      else if (isCall(req)) void this.#serve(this.#takeClick(req, res), next);
      else next();
    };
  }

  /**
   * Signs an order for the thank-you page, which posts `token=<proof>` to the tracker path's `/conversion`
   * (docs/tracking.md §10).
   */
  signConversion(conversion: BrowserConversion): string {
    return signConversion(this.app, conversion);
  }

  /** The affiliate a tracked value names, in any status (docs/tracking.md §1). */
  resolveParam(value: unknown): Promise<Affiliate | null> {
    return this.#params.resolve(value);
  }

  /** The affiliate a link with this variable and value credits. */
  async resolveLink(variable: string, value: string): Promise<Affiliate | null> {
    const { referral_variable: own } = await this.app.settings.referralConfig();
    return this.#params.resolve(linkParam(this.app, variable, value, own));
  }

  /** The affiliate that a cookie value of an imported system credits. */
  async resolveImported(source: string, value: string): Promise<Affiliate | null> {
    await this.app.settings.referralConfig();
    return this.#params.resolve(`${source}:${value}`);
  }

  /** The links and cookies of imported systems. */
  async importedLinks(): Promise<readonly ImportedLinks[]> {
    await this.app.settings.referralConfig();
    return this.app.settings.importedLinks;
  }

  saveImportedLinks(links: readonly ImportedLinks[]): Promise<void> {
    this.#params.forget();
    return this.app.settings.saveImportedLinks(links);
  }

  /** Called after an affiliate was added, changed or deleted, so that clicks read it again. */
  forgetAffiliates(): void {
    this.#params.forget();
  }

  /**
   * The affiliate that the cookie of this request credits. Inactive and deleted affiliates are ignored
   * (docs/tracking.md §5).
   */
  async attribution(req: IncomingMessage): Promise<Attribution | null> {
    const found = await this.attributedVisit(req);
    if (found === null) return null;
    const { visit: _visit, signs: _signs, ...attribution } = found;
    return attribution;
  }

  /** Like `attribution`, with the stored visit. */
  async attributedVisit(req: IncomingMessage): Promise<AttributedVisit | null> {
    const cookie = readAttributionCookie(this.app, req, await cookieDays(this.app));
    if (cookie === null) return null;
    const [affiliate, visit] = await this.app.db.pipeline(
      () => this.#params.resolve(cookie.param),
      async () => (cookie.visitId === null ? null : this.app.visits.find(cookie.visitId)),
    );
    if (affiliate?.status !== 'active') return null;
    const own = visit?.affiliate_id === affiliate.id ? visit : null;
    return {
      affiliate,
      param: cookie.param,
      clicked_at: cookie.issuedAt,
      visit_id: own?.id ?? null,
      visit: own,
      signs: cookie.signs,
    };
  }

  /** A click as a signed text, for an order that is made elsewhere (docs/integrations.md §10). */
  clickToken(click: TokenClick): string {
    return writeToken(this.app.secrets, click);
  }

  /** Like `clickToken`, for a click that was seen now, with what the rules against fraud find in it. */
  async seenToken(affiliateId: number, at: number, click: ClickEvidence): Promise<string> {
    const rules = (await this.app.fraud.signsOf(click)).map(([rule]) => rule);
    return this.clickToken({ affiliate_id: affiliateId, visit_id: null, issued_at: at, rules });
  }

  /** Null when it is forged, changed or no such text. */
  clickOf(token: string): (TokenClick & { readonly latest: LatestClick | null }) | null {
    const click = readToken(this.app.secrets, token);
    return click && { ...click, latest: latestOf(click) };
  }

  /** Why a buyer's request names no affiliate; null when it has a cookie. */
  async reasonUnknown(req: IncomingMessage): Promise<UnknownReason | null> {
    if (readAttributionCookie(this.app, req, await cookieDays(this.app)) !== null) return null;
    const { countTools } = this.app.options.tracking;
    const request = { method: 'GET', headers: req.headers, fields: {}, countTools };
    const ignored = ignoredVisitor(request);
    if (ignored === 'bot' || ignored === 'no_agent') return 'robot';
    if (ignored === 'privacy_control' || ignored === 'opt_out' || !hasConsent(this.app, req))
      return 'consent';
    return 'no_cookie';
  }

  /**
   * Counts a click seen elsewhere, by the same rules. Connected sites report theirs this way
   * (docs/connected-sites.md §7).
   */
  async recordClick(input: ClickInput): Promise<ClickResult> {
    const result = await this.#quickly(() => this.#recorder.record(input));
    if (result.reason) this.#skip(result.reason, input.param);
    return result;
  }

  /** The value in this affiliate's links; null when the configured format has none. */
  valueOf(affiliate: Affiliate): Promise<string | null> {
    return this.#params.valueOf(affiliate);
  }

  /**
   * The affiliate's login, when links use logins and this one has credited another affiliate before; their
   * links then hold the id (docs/tracking.md §1).
   */
  async loginTaken(affiliate: Affiliate): Promise<string | null> {
    const { referral_format: format } = await this.app.settings.referralConfig();
    return format === 'username' ? this.#params.loginOfAnother(affiliate) : null;
  }

  /** The page of an affiliate's default link, without the parameter (portal `site_info.share_url`). */
  shareBaseOf(affiliate: Affiliate): Promise<string> {
    return this.#links.base(affiliate);
  }

  /** The default link with the parameter (`share_url` of an affiliate). */
  shareUrlOf(affiliate: Affiliate): Promise<string> {
    return this.#links.shareUrl(affiliate);
  }

  /** A link to a page of this site or of the given one; null when the page belongs to neither. */
  buildShareUrl(affiliate: Affiliate, url?: string, site?: LinkSite): Promise<string | null> {
    return this.#links.build(affiliate, url, site);
  }

  /** The choices for the content of the referral parameter. */
  async referralFormats(): Promise<readonly { label: string; value: string }[]> {
    return this.app.hooks.applyFilters('referral_formats', FORMATS);
  }

  /** The settings object of the browser script. */
  trackerVars(): Promise<Readonly<Record<string, unknown>>> {
    return trackerVars(this.app);
  }

  /** Clicks that were not counted, by site day and reason. */
  async skipped(
    days: { readonly from: number; readonly to: number },
    kind: 'visit' | 'conversion' = 'visit',
  ): Promise<{ day: number; reason: string; hits: number }[]> {
    await this.#skips.flush();
    return readSkips(this.app.db, days, kind);
  }

  /** A client address in the form it may be stored (option `tracking.ip`); null when there is none. */
  storedAddress(address: string | null): string | null {
    const { secrets, clock, options } = this.app;
    return storedAddress(address === null ? null : canonicalAddress(address), options.tracking.ip, {
      secrets,
      now: clock.now(),
    });
  }

  /**
   * The retention job. It deletes old visits (but does not change counters) and keys that can no longer
   * match.
   */
  async purge(now: number = this.app.clock.now()): Promise<{ visits: number; keys: number }> {
    const { retentionDays: days } = this.app.options.tracking;
    const visits = days > 0 ? await this.app.visits.purgeBefore(now - days * DAY) : 0;
    const window = await this.app.hooks.applyFilters('visit_dedup_window', 1800);
    return { visits, keys: await deleteVisitKeys(this.app.db, now - Math.max(DAY, 2000 * window)) };
  }

  /** Resolves when every click received so far is stored and every ignored click is counted. */
  async flush(): Promise<void> {
    await this.#queue.drain();
    await this.#skips.flush();
  }

  close(): Promise<void> {
    return this.flush();
  }

  #skip(reason: SkipReason, param: string): void {
    this.#skips.add(reason);
    if (!this.app.hooks.isUsed('visit_ignored')) return;
    this.app.hooks.doAction('visit_ignored', { reason, param }).catch((error: unknown) => {
      this.app.log.error('visit_ignored failed', { error });
    });
  }

  /**
   * Limits the time of work that a visitor waits for. The host's own work, which `next` starts, is not
   * limited.
   */
  #quickly<T>(work: () => Promise<T>): Promise<T> {
    return this.app.limited('tracking', work);
  }

  async #serve(work: Promise<void>, next: (error?: unknown) => void): Promise<void> {
    try {
      await work;
    } catch (error) {
      next(error);
    }
  }
}
