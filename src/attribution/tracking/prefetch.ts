import type { ServerResponse } from 'node:http';
import { addVary } from './vary.js';

/**
 * Refuses a prefetch or prerender of an affiliate link with 503, so that the browser asks again when the
 * visitor clicks: only then the click counts and the visitor gets the cookie (docs/tracking.md §3).
 */
export function refusePrefetch(res: ServerResponse): void {
  markRefused(res);
  if (!res.writableEnded) res.end();
}

/**
 * The same for a host that writes the response itself: browsers discard a prefetched page with this status.
 */
export function markRefused(res: ServerResponse): void {
  if (res.headersSent) return;
  addVary(res, 'Sec-Purpose');
  res.setHeader('Cache-Control', 'no-store, private');
  res.statusCode = 503;
}
