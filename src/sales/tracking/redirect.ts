import type { IncomingMessage, ServerResponse } from 'node:http';
import { AffiliateError } from '../../errors.js';
import { sendError } from '../../platform/http/error-handler.js';
import type { Needs } from './needs.js';
import type { ParamResolver } from './resolver.js';
import type { Redirect, TrackingContributions } from './contributions.js';
import { hasConsent } from './cookie.js';
import type { KnownHosts } from './known-hosts.js';
import { landingUrl, readUtm, storedUrl } from './page-link.js';
import type { PageTracker } from './page-tracker.js';
import type { VisitorLimits } from './visitor-limits.js';

/**
 * `GET /go/{slug}` counts the click, sets the cookie and redirects the visitor (docs/tracking.md §15). The
 * host answers unknown names.
 */
export class Redirects {
  constructor(
    private readonly app: Needs,
    private readonly parts: {
      readonly pages: PageTracker;
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

  /** The same when the path before the name has already been removed. */
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
      await this.#follow(req, res, redirect);
    } catch (error) {
      if (!(error instanceof AffiliateError)) throw error;
      sendError(this.app, res, error);
    }
    return true;
  }

  async #follow(
    req: IncomingMessage,
    res: ServerResponse,
    { affiliate, target, utm_campaign: campaign }: Redirect,
  ): Promise<void> {
    const { referral_variable: variable } = await this.app.settings.referralConfig();
    const param = (await this.parts.params.valueOf(affiliate)) ?? String(affiliate.id);
    const isOwn = this.parts.hosts.isOwn(target);
    // When nothing may be stored yet, or the cookie would belong to another site, the target page tracks the
    // click.
    if (affiliate.status === 'active' && (!isOwn || !hasConsent(this.app, req)))
      target.searchParams.set(isOwn ? variable : await this.#paramOf(target, variable), param);
    else if (affiliate.status === 'active') {
      const query = new URL(req.url ?? '/', target).searchParams;
      const utm = readUtm({ ...Object.fromEntries(target.searchParams), ...Object.fromEntries(query) });
      await this.parts.pages.follow(req, res, {
        param,
        url: storedUrl(landingUrl(target.href, variable) ?? target),
        pathForm: false,
        visitId: null,
        utm: { ...utm, utm_campaign: utm.utm_campaign ?? campaign },
      });
    }
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
