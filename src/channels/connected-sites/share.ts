import { cleanHtml } from '../../core/html.js';
import { isHttpUrl } from '../../core/address.js';
import type { ConnectedSite, ShareEntry } from './types.js';

/** An active site as the portal's share widget shows it (docs/connected-sites.md §8). */
export const shareEntry = (site: ConnectedSite): ShareEntry => ({
  name: site.site_title,
  url: `${site.site_url}/`,
  param: site.param_key,
  id: site.site_id,
  title: site.site_title,
  subtitle: site.subtitle,
  description: site.description,
  logo: site.logo,
});

/**
 * The value of a filter is checked like input: entries need an address that the widget can open; of two
 * names, one fills in the other.
 */
export function usableEntries(entries: readonly unknown[]): ShareEntry[] {
  return entries.flatMap((entry) => {
    const given = (typeof entry === 'object' && entry !== null ? entry : {}) as Readonly<
      Record<string, unknown>
    >;
    const text = (...keys: readonly string[]): string => {
      const found = keys.map((key) => given[key]).find((value) => typeof value === 'string' && value !== '');
      return typeof found === 'string' ? found : '';
    };
    if (!isHttpUrl(text('url'))) return [];
    const logo = text('logo');
    return [
      {
        ...given,
        url: text('url'),
        param: text('param'),
        name: text('name', 'label', 'title'),
        title: text('title', 'name', 'label'),
        subtitle: text('subtitle'),
        description: cleanHtml(text('description')),
        logo: isHttpUrl(logo) ? logo : '',
      },
    ];
  });
}
