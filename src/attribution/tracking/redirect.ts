import type { IncomingMessage, ServerResponse } from 'node:http';
import { AffiliateError } from '../../errors.js';
import { sendError } from '../../platform/http/error-handler.js';
import type { Deps } from './deps.js';
import type { ParamResolver } from './resolver.js';
import type { Redirect, TrackingContributions } from './contributions.js';
import { hasConsent } from './cookie.js';
import type { KnownHosts } from './known-hosts.js';
import { plainName } from '../../core/link-value.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import { isPrefetch } from './ignore.js';
import { landingUrl, linkVariables, readUtm, storedUrl, UTM_KEYS } from './page-link.js';
import type { PageTracker, PageTrackerParts } from './page-tracker.js';
import { refusePrefetch } from './prefetch.js';
import { addressParts } from './public-call.js';
import type { VisitorLimits } from './visitor-limits.js';

/**
 * `GET /go/{slug}` counts the click, sets the cookie and redirects the visitor (docs/tracking.md §15). The
 * host responds to unknown names.
 */
export class Redirects {
  constructor(
    private readonly app: Deps,
    private readonly parts: {
      readonly pages: PageTracker;
      readonly skip: PageTrackerParts['skip'];
      readonly limits: VisitorLimits;
      readonly hosts: KnownHosts;
      readonly find: TrackingContributions['redirect'];
      readonly params: ParamResolver;
      readonly siteParams: TrackingContributions['siteParams'];
    },
  ) {}

  /** The name in a request for a redirect link on the host's pages, or null. */
  slugOf(req: IncomingMessage): string | null {
    const address = (req as { originalUrl?: string }).originalUrl ?? req.url ?? '';
    const { redirectPath } = this.app.options.tracking;
    return address.startsWith(`${redirectPath}/`)
      ? this.slugBelow(req, address.slice(redirectPath.length))
      : null;
  }

  /** Like `slugOf`, when the path before the name has already been removed. */
  slugBelow({ method, url = '' }: IncomingMessage, address = url): string | null {
    if (method !== 'GET' && method !== 'HEAD') return null;
    return address.slice(1).split(/[?#]/)[0]?.replace(/\/$/, '') ?? null;
  }

  /** False when there is no such link. */
  async handle(req: IncomingMessage, res: ServerResponse, slug: string): Promise<boolean> {
    try {
      await this.parts.limits.take(req);
      const redirect = await this.parts.find(slug);
      if (!redirect) return false;
      await this.#follow(req, res, { ...redirect, slug });
    } catch (error) {
      if (!(error instanceof AffiliateError)) throw error;
      sendError(this.app, res, error);
    }
    return true;
  }

  async #follow(
    req: IncomingMessage,
    res: ServerResponse,
    { id, affiliate, target, utm_campaign: campaign, slug }: Redirect & { readonly slug: string },
  ): Promise<void> {
    const { referral_variable: variable } = await this.app.settings.referralConfig();
    const isActive = affiliate.status === 'active';
    if (isActive && isPrefetch(req.headers)) {
      this.parts.skip('prefetch', slug);
      refusePrefetch(res);
      return;
    }
    const isOwn = this.parts.hosts.isOwn(target);
    const query = new URL(addressParts(req)[1] === '' ? '' : `?${addressParts(req)[1]}`, target).searchParams;
    const utm = readUtm({ ...Object.fromEntries(target.searchParams), ...Object.fromEntries(query) });
    passOn(query, target, linkVariables(this.app, variable));
    // When nothing may be stored yet, or the cookie would belong to another site, the target page tracks the
    // click.
    if (isActive && (!isOwn || !hasConsent(this.app, req)))
      target.searchParams.set(
        isOwn ? variable : await this.#paramOf(target, variable),
        (await this.parts.params.valueOf(affiliate)) ?? String(affiliate.id),
      );
    else if (isActive)
      await this.parts.pages.follow(req, res, {
        param: String(affiliate.id),
        url: storedUrl(landingUrl(target.href, variable) ?? target),
        pathForm: false,
        visitId: null,
        utm: { ...utm, utm_campaign: utm.utm_campaign ?? campaign, link_id: id },
      });
    res
      .writeHead(302, {
        Location: target.href,
        'Cache-Control': 'no-store, private',
        'X-Robots-Tag': 'noindex',
      })
      .end();
  }

  /** The parameter of the target page: a connected site may read another one than ours. */
  async #paramOf(target: URL, variable: string): Promise<string> {
    const sites = await this.parts.siteParams();
    return sites.get(target.host.toLowerCase().replace(/^www\./, '')) ?? variable;
  }
}

/**
 * Adds the query of the short link to its target (docs/tracking.md §15). Parameters of the target do not
 * change, except the campaign and the sub ids. Another affiliate's link value is not passed on.
 */
function passOn(query: URLSearchParams, target: URL, variables: readonly string[]): void {
  const given = new Set(target.searchParams.keys());
  const dropped = new Set([...variables, 'visit_id'].map((name) => name.toLowerCase()));
  for (const name of new Set(query.keys())) {
    const isCampaign = ([...UTM_KEYS, ...SUB_IDS] as readonly string[]).includes(name);
    if (dropped.has(plainName(name)) || (given.has(name) && !isCampaign)) continue;
    if (given.has(name)) target.searchParams.delete(name);
    for (const value of query.getAll(name)) target.searchParams.append(name, value);
  }
}
