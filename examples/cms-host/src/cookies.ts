import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The value of a cookie, or "". */
export function cookieOf(req: IncomingMessage, name: string): string {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return '';
}

const SHOPPER = 'shopper';

/**
 * Something only this visitor's browser knows: his checkouts are his own, whoever learns the key of a form.
 */
export const shopperOf = (req: IncomingMessage): string =>
  /^[0-9a-f]{32}$/.exec(cookieOf(req, SHOPPER))?.[0] ?? '';

export const shopperCookie = (): string => cookieLine(SHOPPER, randomBytes(16).toString('hex'), 86_400);

/** A `Set-Cookie` line; scripts never see these cookies. */
export function cookieLine(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
}
