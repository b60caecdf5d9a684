import type { IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

export const COOKIE_NAME = 'f_aff';
const DAY_SECONDS = 86_400;
const MAX_LENGTH = 300;

/** Who brought this visitor: `<param>|<visit id>`. It proves nothing; the primary checks both. */
export interface Held {
  readonly param: string;
  readonly visitId: number | null;
}

export const readHeld = (req: IncomingMessage, name: string): Held | null =>
  parseHeld(parseCookie(req.headers.cookie ?? '')[name] ?? '');

export function parseHeld(text: string): Held | null {
  const [param = '', visit = ''] = text.length > MAX_LENGTH ? [] : text.split('|');
  return param === '' ? null : { param, visitId: /^[1-9]\d{0,14}$/.test(visit) ? Number(visit) : null };
}

export const heldCookie = (
  name: string,
  { value, days, secure }: { value: string; days: number; secure: boolean },
): string =>
  stringifySetCookie({
    name,
    value,
    maxAge: Math.floor(days * DAY_SECONDS),
    path: '/',
    sameSite: 'lax',
    secure,
  });
