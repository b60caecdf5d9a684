import type { IncomingMessage } from 'node:http';
import type { Needs } from './needs.js';

// Host and port decide, not the scheme: a page may be reached over both. `www.` is the same site.
const key = (host: string): string => host.toLowerCase().replace(/^www\./, '');

const siteHost = (app: Needs): string => key(new URL(app.host.site().url).host);

export const isOwnOrigin = (app: Needs, url: URL): boolean => key(url.host) === siteHost(app);

/** The site itself, one of `tracking.allowedHosts`, or an active connected site. */
export async function isKnownHost(app: Needs, url: URL): Promise<boolean> {
  const wanted = key(url.host);
  if (isOwnOrigin(app, url) || app.options.tracking.allowedHosts.some((host) => key(host) === wanted))
    return true;
  return [...(await app.tracking.siteHosts())].some((host) => key(host) === wanted);
}

/** The page that sends a request, as the browser names it; pages can not forge either header. */
export function senderOf({ headers }: IncomingMessage): URL | null {
  return URL.parse(headers.origin || (headers.referer ?? ''));
}
