import { isMap } from '../../core/is-map.js';
import { fail } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import type { PortalBootstrap, PortalLinkResponse } from './schemas.js';

export interface ShareLink {
  readonly title: string;
  readonly url: string;
}

/** Links for an affiliate to share, and where to share them (docs/tracking.md §1). */
export class PortalLinks {
  constructor(private readonly app: Deps) {}

  /** The link to a page of this site or of a connected one; without a page, the default link. */
  async linkTo(affiliate: Affiliate, page: string | undefined): Promise<string> {
    if (page === undefined) return this.app.tracking.shareUrlOf(affiliate);
    const own = await this.app.tracking.buildShareUrl(affiliate, page);
    if (own !== null) return own;
    for (const site of await this.app.connectedSites.additionalSites(affiliate)) {
      const link = await this.app.tracking.buildShareUrl(affiliate, page, {
        url: site.url,
        param: await this.#paramOf(site.param),
      });
      if (link !== null) return link;
    }
    return fail('foreign_url');
  }

  /** The requested link, links to connected sites, and the addresses for sharing it on each platform. */
  async share(affiliate: Affiliate, page: string | undefined): Promise<PortalLinkResponse> {
    const link = await this.linkTo(affiliate, page);
    const title = this.app.host.site().name;
    const sites = await Promise.all(
      (await this.app.connectedSites.additionalSites(affiliate)).map(
        async (site): Promise<ShareLink | null> => {
          const url = await this.app.tracking.buildShareUrl(affiliate, site.url, {
            url: site.url,
            param: await this.#paramOf(site.param),
          });
          return url === null ? null : { title: site.title ?? site.name, url };
        },
      ),
    );
    const links = await this.app.hooks.applyFilters(
      'portal/share_links',
      [{ title, url: link }, ...sites.filter((each) => each !== null)],
      affiliate,
    );
    const social = (await this.platforms()).map(({ placeholder, ...platform }) => ({
      ...platform,
      url: filled(placeholder, link, title),
    }));
    const taken = await this.app.tracking.loginTaken(affiliate);
    return { link, ...(taken !== null && { login_taken: taken }), links: links.filter(isShareLink), social };
  }

  /** The enabled platforms in saved order; none while the feature is off. */
  async platforms(): Promise<NonNullable<PortalBootstrap['social_links']>> {
    if (!(await this.app.settings.features.isOn('social_media_share'))) return [];
    const { platforms = [] } = await this.app.settings.features.get('social_media_share');
    return platforms
      .filter(({ enabled }) => enabled === 'yes')
      .map(({ key, title, icon_svg, placeholder }) => ({ key, title, icon_svg, placeholder }));
  }

  async #paramOf(param: string): Promise<string> {
    return param || (await this.app.settings.referralConfig()).referral_variable;
  }
}

/** Links that an extension adds need a title and an address; others cannot be shown. */
function isShareLink(given: unknown): given is ShareLink {
  return isMap(given) && typeof given['title'] === 'string' && typeof given['url'] === 'string';
}

const filled = (template: string, url: string, title: string): string =>
  template
    .replaceAll('{url}', () => encodeURIComponent(url))
    .replaceAll('{title}', () => encodeURIComponent(title));
