import type { IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

/** What sites of earlier versions named their cookie, and the primary names its own. */
export const SHARED_NAME = 'f_aff';
const DAY_SECONDS = 86_400;
const MAX_LENGTH = 300;

/**
 * Who brought this visitor: `<affiliate id>|<visit id>`, then when, by which link, and the click as the primary
 * signed it. The rest proves nothing; the primary checks the first two.
 */
export interface CookieValue {
  readonly param: string;
  readonly visitId: number | null;
  /** In epoch seconds; 0 when it is not known. */
  readonly at: number;
  /** The value of the link as a mark. */
  readonly link: string;
  /** The latest click, for the rules against fraud; '' when the primary sent none. */
  readonly click: string;
}

/** The first of these cookies that names an affiliate. */
export function readHeld(req: IncomingMessage, names: readonly string[]): CookieValue | null {
  const parts = (req.headers.cookie ?? '').split(';').map((part) => parseCookie(part));
  for (const name of names)
    for (const part of parts) {
      const held = parseHeld(part[name] ?? '');
      if (held !== null) return held;
    }
  return null;
}

export function parseHeld(text: string): CookieValue | null {
  const [param = '', visit = '', at = '', link = '', click = ''] =
    text.length > MAX_LENGTH ? [] : text.split('|');
  return param === ''
    ? null
    : {
        param,
        visitId: /^[1-9]\d{0,14}$/.test(visit) ? Number(visit) : null,
        at: /^\d{1,11}$/.test(at) ? Number(at) : 0,
        link,
        click: /^[\w-]{1,64}$/.test(click) ? click : '',
      };
}

export const heldText = ({ param, visitId, at, link, click }: CookieValue): string =>
  `${param}|${visitId ?? ''}|${at}|${link}${click === '' ? '' : `|${click}`}`;

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
