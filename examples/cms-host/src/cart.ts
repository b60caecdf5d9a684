import type { IncomingMessage } from 'node:http';
import type { CartLine } from './checkout.js';
import { cookieLine, cookieOf } from './cookies.js';

const CART_COOKIE = 'cms_cart';
const CART_SECONDS = 7 * 24 * 60 * 60;
const QUANTITY_MAX = 99;
const LINES_MAX = 50;

/** The cart lives in the visitor's cookie as `id.quantity-id.quantity`; prices never do. */
export function readCart(req: IncomingMessage): CartLine[] {
  const lines = cookieOf(req, CART_COOKIE)
    .split('-')
    .slice(0, LINES_MAX)
    .map((part) => {
      const [id, quantity] = part.split('.').map(Number);
      return { id: id ?? 0, quantity: quantity ?? 0 };
    });
  return lines.filter(
    ({ id, quantity }) =>
      Number.isSafeInteger(id) &&
      id > 0 &&
      Number.isSafeInteger(quantity) &&
      quantity > 0 &&
      quantity <= QUANTITY_MAX,
  );
}

export const cartCookie = (lines: readonly CartLine[]): string =>
  cookieLine(
    CART_COOKIE,
    lines.map(({ id, quantity }) => `${id}.${quantity}`).join('-'),
    lines.length === 0 ? 0 : CART_SECONDS,
  );

/** The cart with this many of a product; none removes the line. */
export function withQuantity(lines: readonly CartLine[], id: number, quantity: number): CartLine[] {
  const others = lines.filter((line) => line.id !== id);
  const wanted = Math.min(QUANTITY_MAX, Math.max(0, Math.trunc(quantity) || 0));
  return wanted === 0 ? others : [...others, { id, quantity: wanted }].sort((a, b) => a.id - b.id);
}

export const countOf = (lines: readonly CartLine[]): number =>
  lines.reduce((sum, line) => sum + line.quantity, 0);
