import type { IssuedSiteDto, SiteDto, SitesDto } from './schemas.js';
import { sites, type ConnectedSite } from './record.js';
import type { IssuedSite, SitesConfig } from './types.js';

export const presentSite = (site: ConnectedSite): SiteDto => sites.present(site);

export const presentConfig = ({ status, sites }: SitesConfig): SitesDto => ({
  status,
  sites: sites.map(presentSite),
});

/** The text that the site's administrator pastes into the site; it contains the token. */
export function connectConfigOf(
  { site, server_token }: IssuedSite,
  primary: { readonly url: string; readonly apiUrl: string },
): string {
  const { site_id, site_url, param_key, cookie_duration, credit_last_referrer } = site;
  return JSON.stringify({
    site_id,
    server_token,
    site_url,
    primary_url: primary.url,
    api_url: primary.apiUrl,
    param_key,
    cookie_duration,
    credit_last_referrer,
  });
}

/** The response of the issue route, the only one with the token (docs/connected-sites.md §4). */
export function presentIssued(
  issued: IssuedSite,
  primary: { readonly url: string; readonly apiUrl: string },
): IssuedSiteDto {
  const { site, server_token, rotated } = issued;
  const { site_id, site_url, site_title, status, logo, description, subtitle, param_key, cookie_duration } =
    site;
  return {
    site_id,
    server_token,
    param_key,
    cookie_duration,
    primary_url: primary.url,
    message: rotated ? 'Site reconnected.' : 'Site connected.',
    rotated,
    new_site: { site_id, site_url, site_title, status, logo, description, subtitle },
    connect_config: connectConfigOf(issued, primary),
  };
}
