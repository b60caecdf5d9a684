import type { Deps } from './deps.js';

/**
 * Address of a screen of the console. Without a mounted console that names its path, the screen stands behind a `#`
 * of the host's `adminUrl`, where the console looks for it too.
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
