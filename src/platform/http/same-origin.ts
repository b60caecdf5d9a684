import type { Platform } from '../platform.js';
import type { RequestInfo } from './request-info.js';

/** Does the request's `Origin` header name the site, another site, or none? */
export function originOf(app: Platform, request: RequestInfo): 'own' | 'foreign' | 'unknown' {
  const sent = request.header('origin');
  if (sent === undefined) return 'unknown';
  const host = request.header('host');
  const own = [app.host.site().url, `http://${host}`, `https://${host}`];
  return own.some((url) => URL.parse(url)?.origin === sent) ? 'own' : 'foreign';
}

/** False when headers that no page can forge name another site as the sender. */
export function mayBeOwnPage(app: Platform, request: RequestInfo): boolean {
  const site = request.header('sec-fetch-site');
  return originOf(app, request) !== 'foreign' && site !== 'cross-site' && site !== 'same-site';
}
