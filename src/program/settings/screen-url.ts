import type { Deps } from './deps.js';
import type { ReferralConfig } from './types.js';

const LOOK_AT = 1000;

/** Address of the portal page, else the home page (docs/settings.md §5). */
export async function portalUrl(
  app: Deps,
  { dashboard_page_id: id }: Pick<ReferralConfig, 'dashboard_page_id'>,
): Promise<string> {
  const { pages } = app.host;
  const page =
    id === '' || !pages
      ? null
      : ((await pages.get?.(id)) ??
        (await pages.list({ search: '', limit: LOOK_AT })).find((each) => each.id === id) ??
        null);
  return app.hooks.applyFilters('portal_page_url', page?.link ?? `${app.host.site().url}/`);
}

/**
 * Address of a screen of the console. Without a mounted console that names its path, the screen is behind a
 * `#` of the host's `adminUrl`, where the console looks for it too.
 */
export function consoleUrl(app: Deps, path: string): Promise<string> {
  const { adminUrl, url } = app.host.site();
  return screenUrl(app, 'console', { start: adminUrl ?? url, path });
}

/** Address of a screen of the portal, which begins at `start`. */
export function portalScreenUrl(app: Deps, start: string, path: string): Promise<string> {
  return screenUrl(app, 'portal', { start, path });
}

function screenUrl(
  app: Deps,
  pages: 'console' | 'portal',
  { start, path }: { readonly start: string; readonly path: string },
): Promise<string> {
  return app.hooks.applyFilters('screen_url', path === '/' ? start : `${start}#${path}`, pages, path);
}
