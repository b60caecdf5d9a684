/** Number separators of a locale, read from seven digits, since Spanish does not group four. */
function signsOf(locale: string): { readonly point: string; readonly group: string } {
  const parts = new Intl.NumberFormat(locale).formatToParts(1_234_567.5);
  return {
    point: parts.find(({ type }) => type === 'decimal')?.value ?? '.',
    group: parts.find(({ type }) => type === 'group')?.value ?? ',',
  };
}

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u2066-\u2069]/g;
const MINUS = /^[\u2212\u2013]/;
const SPACES = /[\s\u00a0\u202f]/g;

const isSpace = (sign: string): boolean => sign.replaceAll(SPACES, '') === '';
/** Normalizes spaces and apostrophes, of which a keyboard has one each. */
const alike = (text: string): string => text.replaceAll(SPACES, ' ').replaceAll('’', "'");
const zeroOf = (code: number): number => (code >= 0x06f0 ? 0x06f0 : 0x0660);
/** Converts Arabic and Persian digits and separators to those of `locale`. */
const western = (text: string, { point, group }: ReturnType<typeof signsOf>): string =>
  text
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) - zeroOf(digit.charCodeAt(0))))
    .replaceAll('٫', point)
    .replaceAll('٬', group);

/** Parses whole numbers, with or without groups of three; null for others. */
function readWhole(text: string, group: string): string | null {
  if (/^\d+$/.test(text)) return text;
  const [first = '', ...groups] = text.split(group);
  const complete = /^[1-9]\d{0,2}$/.test(first) && groups.every((part) => /^\d{3}$/.test(part));
  return complete && groups.length > 0 ? first + groups.join('') : null;
}

/** Reads "12.50" in a locale with decimal comma; null if the point could be a group separator. */
function readOther(text: string, point: string): string | null {
  const other = point === '.' ? ',' : '.';
  const [whole = '', fraction = '', ...more] = text.split(other);
  const couldBeGroup = /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3;
  if (more.length > 0 || couldBeGroup || !/^\d+$/.test(whole) || !/^\d+$/.test(fraction)) return null;
  return `${whole}.${fraction}`;
}

function readUnsigned(text: string, { point, group }: ReturnType<typeof signsOf>): string | null {
  const [whole = '', fraction, ...more] = text.split(point);
  if (fraction === undefined) return readWhole(text, group) ?? readOther(text, point);
  const read = readWhole(whole, group);
  return read !== null && more.length === 0 && /^\d+$/.test(fraction) ? `${read}.${fraction}` : null;
}

/**
 * Parses a number as entered in `locale`: "1.234,50" becomes "1234.50". Group separators must separate groups of
 * three. A comma or point that cannot be a group separator is the decimal separator. Returns null for anything else,
 * and for more than `digits` decimals. A plus sign may precede it.
 */
export function parseNumber(typed: string, digits: number, locale: string): string | null {
  const signs = signsOf(locale);
  const group = alike(isSpace(signs.group) ? ' ' : signs.group);
  const text = alike(western(typed.replaceAll(DIRECTION_MARKS, ''), signs))
    .trim()
    .replace(MINUS, '-');
  const negative = text.startsWith('-');
  const read = readUnsigned(text.replace(/^[-+]/, ''), { point: signs.point, group });
  if (read === null) return null;
  const [whole = '', fraction = ''] = read.split('.');
  if (fraction.length > digits) return null;
  const plain = whole.replace(/^0+(?=\d)/, '') + (fraction === '' ? '' : `.${fraction}`);
  return negative ? `-${plain}` : plain;
}

/** Formats a decimal of the API as input in `locale`, with at least `least` decimals. */
export function formatNumber(value: string | number, least: number, locale: string): string {
  const [whole = '', fraction = ''] = String(value).split('.');
  const padded = fraction.padEnd(least, '0');
  return padded === '' ? whole : whole + signsOf(locale).point + padded;
}
