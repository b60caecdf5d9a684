import type { IncomingMessage, ServerResponse } from 'node:http';
import { affiliateCreated, affiliateRemoved, affiliateSaved } from '../../program/affiliates/events.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Needs } from './needs.js';
import { NO_CONTRIBUTIONS, type TrackingContributions } from './contributions.js';
import { ConversionEndpoint } from './conversion-endpoint.js';
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
import { VisitorLimits } from './visitor-limits.js';
import { WriteQueue } from './write-queue.js';

const DAY = 86_400_000;
const FORMATS = [
  { label: 'Affiliate ID', value: 'id' },
  { label: 'Username', value: 'username' },
  { label: 'Custom parameter', value: 'custom' },
  { label: 'Token', value: 'hash' },
] as const;

/** From a click on a link to the affiliate an order belongs to. */
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

  constructor(private readonly app: Needs) {
    this.#params = new ParamResolver(app);
    this.#queue = new WriteQueue(app);
    this.#skips = new SkipCounter(app);
    this.#links = new LinkBuilder(app, this.#params);
    this.#script = new TrackerScript(app);
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
      pages: this.#pages,
      limits,
      hosts: this.#hosts,
      find: (slug) => this.#contributions.redirect(slug),
      params: this.#params,
      siteParams: () => this.siteParams(),
    });
  }

  contribute(parts: Partial<TrackingContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  /** Hosts of the active connected sites. */
  siteHosts(): Promise<ReadonlySet<string>> {
    return this.#contributions.siteHosts();
  }

  /** The parameter each connected site reads, by host. */
  siteParams(): Promise<ReadonlyMap<string, string>> {
    return this.#contributions.siteParams();
  }

  /** The handler for the host's public pages: the script, the tracking call, and clicks on any page. */
  middleware(): RequestHandler {
    return (req, res, next) => {
      if (this.#script.matches(req)) void this.#serve(this.#script.handle(req, res), next);
      else if (this.#conversions.matches(req)) void this.#serve(this.#conversions.handle(req, res), next);
      else if (this.#endpoint.matches(req))
        void this.#serve(
          this.#quickly(() => this.#endpoint.handle(req, res)),
          next,
        );
      else this.#followOrTrack(req, res, next);
    };
  }

  /**
   * The same for hosts that call it themselves before they answer a page:
   * the click is stored, its cookie is on `res`.
   * Never rejects; the page is served whatever happens to the click.
   */
  trackVisit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#pages.handle(req, res, () => resolve());
    });
  }

  #followOrTrack(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const slug = this.#redirects.slugOf(req);
    if (slug === null) this.#pages.handle(req, res, next);
    else this.#follow(req, res, slug, next);
  }

  #follow(req: IncomingMessage, res: ServerResponse, slug: string, next: (error?: unknown) => void): void {
    void this.#serve(
      this.#quickly(() => this.#redirects.handle(req, res, slug)).then((found) => {
        if (!found) next();
      }),
      next,
    );
  }

  /** May a redirect lead there? This site, its `tracking.allowedHosts` and active connected sites. */
  async mayLeadTo(url: URL): Promise<boolean> {
    return (
      (url.protocol === 'http:' || url.protocol === 'https:') &&
      url.username === '' &&
      url.password === '' &&
      this.#hosts.isKnown(url)
    );
  }

  /** Redirect links alone, below the router's `tracking.redirectPath`. */
  redirects(): RequestHandler {
    return (req, res, next) => {
      const slug = this.#redirects.slugBelow(req);
      if (slug === null) next();
      else this.#follow(req, res, slug, next);
    };
  }

  /** The tracking call alone, for `POST` and `OPTIONS` of the router's tracking path. */
  endpoint(): RequestHandler {
    return (req, res, next) => {
      if (this.#conversions.matchesBelow(req)) void this.#serve(this.#conversions.handle(req, res), next);
      else if (isCall(req))
        void this.#serve(
          this.#quickly(() => this.#endpoint.handle(req, res)),
          next,
        );
      else next();
    };
  }

  /**
   * Proof of an order for the page that thanks for it; it posts `token=<proof>` to the tracker path's
   * `/conversion` (docs/tracking.md §10).
   */
  signConversion(conversion: BrowserConversion): string {
    return signConversion(this.app, conversion);
  }

  /** The affiliate a tracked value names, whatever the affiliate's status (docs/tracking.md §1). */
  resolveParam(value: unknown): Promise<Affiliate | null> {
    return this.#params.resolve(value);
  }

  /** The affiliate a link with this variable and value credits. */
  async resolveLink(variable: string, value: string): Promise<Affiliate | null> {
    const { referral_variable: own } = await this.app.settings.referralConfig();
    return this.#params.resolve(linkParam(this.app, variable, value, own));
  }

  /** The affiliate a value of an imported system's cookie credits. */
  async resolveImported(source: string, value: string): Promise<Affiliate | null> {
    await this.app.settings.referralConfig();
    return this.#params.resolve(`${source}:${value}`);
  }

  /** How links of imported systems look. */
  async importedLinks(): Promise<readonly ImportedLinks[]> {
    await this.app.settings.referralConfig();
    return this.app.settings.importedLinks;
  }

  saveImportedLinks(links: readonly ImportedLinks[]): Promise<void> {
    this.#params.forget();
    return this.app.settings.saveImportedLinks(links);
  }

  /** After an affiliate was added, changed or deleted: clicks look it up anew. */
  forgetAffiliates(): void {
    this.#params.forget();
  }

  /**
   * Whom the cookie of this request credits; inactive and deleted affiliates count as
   * absent (docs/tracking.md §5).
   */
  async attribution(req: IncomingMessage): Promise<Attribution | null> {
    const found = await this.attributedVisit(req);
    if (found === null) return null;
    const { visit: _visit, ...attribution } = found;
    return attribution;
  }

  /** The same with the stored visit, for those who look at it. */
  async attributedVisit(req: IncomingMessage): Promise<AttributedVisit | null> {
    const cookie = readAttributionCookie(this.app, req, await cookieDays(this.app));
    const affiliate = cookie && (await this.#params.resolve(cookie.param));
    if (!cookie || affiliate?.status !== 'active') return null;
    const visit = cookie.visitId === null ? null : await this.app.visits.find(cookie.visitId);
    const own = visit?.affiliate_id === affiliate.id ? visit : null;
    return {
      affiliate,
      param: cookie.param,
      clicked_at: cookie.issuedAt,
      visit_id: own?.id ?? null,
      visit: own,
    };
  }

  /** Why a buyer's request names no affiliate; null when it carries a cookie all the same. */
  async whyUnknown(req: IncomingMessage): Promise<UnknownReason | null> {
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
   * Counts a click seen elsewhere, by the same rules; how connected sites report
   * theirs (docs/connected-sites.md §7).
   */
  async recordClick(input: ClickInput): Promise<ClickResult> {
    const result = await this.#quickly(() => this.#recorder.record(input));
    if (result.reason) this.#skip(result.reason, input.param);
    return result;
  }

  /** The value links of this affiliate carry; null when the configured format has none for it. */
  valueOf(affiliate: Affiliate): Promise<string | null> {
    return this.#params.valueOf(affiliate);
  }

  /**
   * The page an affiliate's default link starts from, without the parameter (portal `site_info.share_url`).
   */
  shareBaseOf(affiliate: Affiliate): Promise<string> {
    return this.#links.base(affiliate);
  }

  /** The default link with the parameter (affiliates `share_url`). */
  shareUrlOf(affiliate: Affiliate): Promise<string> {
    return this.#links.shareUrl(affiliate);
  }

  /** A link to a page of this site, or of the given one; null when the page is not theirs. */
  buildShareUrl(affiliate: Affiliate, url?: string, site?: LinkSite): Promise<string | null> {
    return this.#links.build(affiliate, url, site);
  }

  /** Choices for what the referral parameter holds. */
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

  /** A client address as it may be kept (option `tracking.ip`); null when it is none. */
  storedAddress(address: string | null): string | null {
    const { secrets, clock, options } = this.app;
    return storedAddress(address === null ? null : canonicalAddress(address), options.tracking.ip, {
      secrets,
      now: clock.now(),
    });
  }

  /** The retention job: old visits (counters stay) and keys nobody will meet again. */
  async purge(now: number = this.app.clock.now()): Promise<{ visits: number; keys: number }> {
    const { retentionDays: days } = this.app.options.tracking;
    const visits = days > 0 ? await this.app.visits.purgeBefore(now - days * DAY) : 0;
    const window = await this.app.hooks.applyFilters('visit_dedup_window', 1800);
    return { visits, keys: await deleteVisitKeys(this.app.db, now - Math.max(DAY, 2000 * window)) };
  }

  /** Resolves when every click received so far is stored and every ignored one counted. */
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

  /** What a visitor waits for gives up early; the host's own work, which `next` starts, is outside. */
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
