import type { ServerResponse } from 'node:http';
import { asList, beforeHead } from './response-head.js';

/**
 * Sets a cookie on the response of a page, and again when its head is written: proxies and frameworks replace
 * `Set-Cookie` by cookies of their own.
 */
export function saveCookie(res: ServerResponse, cookie: string): void {
  res.appendHeader('Set-Cookie', cookie);
  beforeHead(res, (call) => {
    const others = call.names.has('set-cookie')
      ? call.values('set-cookie')
      : asList(res.getHeader('Set-Cookie'));
    if (others.includes(cookie)) return [];
    res.setHeader('Set-Cookie', [...others, cookie]);
    return ['set-cookie'];
  });
}
