import type { Platform } from '../platform.js';
import type { RequestInfo } from './request-info.js';

/** Whose page sent a request, by its `Origin` header: the site's, another one's, or nobody says. */
export function originOf(app: Platform, request: RequestInfo): 'own' | 'foreign' | 'unknown' {
  const sent = request.header('origin');
  if (sent === undefined) return 'unknown';
  const host = request.header('host');
  const own = [app.host.site().url, `http://${host}`, `https://${host}`];
  return own.some((url) => URL.parse(url)?.origin === sent) ? 'own' : 'foreign';
}

/** False when headers that no page can forge say that another site is behind the request. */
export function mayBeOwnPage(app: Platform, request: RequestInfo): boolean {
  const site = request.header('sec-fetch-site');
  return originOf(app, request) !== 'foreign' && site !== 'cross-site' && site !== 'same-site';
}
