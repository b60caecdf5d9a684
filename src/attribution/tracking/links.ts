import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import type { ParamResolver } from './resolver.js';

/** Another site that links may point to, and the parameter it reads. */
export interface LinkSite {
  readonly url: string;
  readonly param: string;
}

/** Builds affiliate links on the server, so that clients need no rules of their own (docs/tracking.md §1). */
export class LinkBuilder {
  constructor(
    private readonly app: Deps,
    private readonly params: ParamResolver,
  ) {}

  /**
   * The page that an affiliate's default link leads to: the home page, or the value of the filter
   * `default_share_url`.
   */
  async base(affiliate: Affiliate): Promise<string> {
    const home = `${this.app.host.site().url}/`;
    const filtered = await this.app.hooks.applyFilters('default_share_url', home, affiliate);
    return httpUrl(filtered) === null ? home : filtered;
  }

  /** The default link; without a user name the parameter is empty (docs/interface.md §6.1). */
  async shareUrl(affiliate: Affiliate): Promise<string> {
    const { referral_variable: name } = await this.app.settings.referralConfig();
    return withParam(new URL(await this.base(affiliate)), name, (await this.params.valueOf(affiliate)) ?? '');
  }

  /**
   * A link to any page of this site or of the given site; null for other origins and for text that is no http
   * address.
   */
  async build(affiliate: Affiliate, page?: string, site?: LinkSite): Promise<string | null> {
    const { referral_variable: name } = await this.app.settings.referralConfig();
    const home = site?.url ?? this.app.host.site().url;
    const target = httpUrl(page ?? (site ? home : await this.base(affiliate)), home);
    const own = [home, ...(site ? [] : [await this.base(affiliate)])].some(
      (each) => httpUrl(each)?.origin === target?.origin,
    );
    if (!target || !own) return null;
    return withParam(
      target,
      site?.param ?? name,
      (await this.params.valueOf(affiliate)) ?? String(affiliate.id),
    );
  }
}

function httpUrl(text: string, base?: string): URL | null {
  const url = URL.parse(text, base);
  return url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === ''
    ? url
    : null;
}

// Does not change the fragment, the path and the other parameters.
function withParam(url: URL, name: string, value: string): string {
  url.searchParams.set(name, value);
  return url.href;
}
