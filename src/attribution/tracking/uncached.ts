import type { ServerResponse } from 'node:http';
import { beforeHead } from './response-head.js';

const UNCACHED = 'no-store, private';
/**
 * Headers that shared caches read before or in addition to `Cache-Control`. The host's values for a page must
 * not apply to a click.
 */
const FOR_CACHES: Readonly<Record<string, string>> = {
  expires: '0',
  'x-accel-expires': '0',
  'cdn-cache-control': 'no-store',
  'cloudflare-cdn-cache-control': 'no-store',
  'netlify-cdn-cache-control': 'no-store',
  'vercel-cdn-cache-control': 'no-store',
  'surrogate-control': 'no-store',
  'edge-control': 'no-store',
};
const VALUES = Object.entries(FOR_CACHES);
const OURS = ['cache-control', ...Object.keys(FOR_CACHES)];
const done = new WeakSet<ServerResponse>();

/**
 * Prevents shared caches from storing a page whose address names an affiliate. Otherwise a visitor would get
 * the cookie of another one, or all visitors would get the page without cookie that a robot requested. The
 * host's cache headers are replaced when the headers are sent.
 */
export function forbidCaching(res: ServerResponse): void {
  if (done.has(res) || res.headersSent) return;
  done.add(res);
  res.setHeader('Cache-Control', UNCACHED);
  beforeHead(res, ({ names }) => {
    res.setHeader('Cache-Control', UNCACHED);
    res.setHeader('X-Accel-Expires', '0');
    for (const [name, value] of VALUES)
      if (res.hasHeader(name) || names.has(name)) res.setHeader(name, value);
    return OURS;
  });
}
