/** The signs of numbers in a language; the group sign shows in a number of seven digits only (Spanish: 1234567). */
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
/** Spaces and apostrophes look alike, and a keyboard has one of each. */
const alike = (text: string): string => text.replaceAll(SPACES, ' ').replaceAll('’', "'");
const zeroOf = (code: number): number => (code >= 0x06f0 ? 0x06f0 : 0x0660);
/** Arabic and Persian digits and signs as those of `locale`. */
const western = (text: string, { point, group }: ReturnType<typeof signsOf>): string =>
  text
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) - zeroOf(digit.charCodeAt(0))))
    .replaceAll('٫', point)
    .replaceAll('٬', group);

/** Whole numbers, with or without complete groups of three; null for others. */
function readWhole(text: string, group: string): string | null {
  if (/^\d+$/.test(text)) return text;
  const [first = '', ...groups] = text.split(group);
  const complete = /^[1-9]\d{0,2}$/.test(first) && groups.every((part) => /^\d{3}$/.test(part));
  return complete && groups.length > 0 ? first + groups.join('') : null;
}

/** "12.50" where the point is a comma; null where the sign could stand between groups of three. */
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
 * Reads a number as somebody types it in `locale`: "1.234,50" becomes "1234.50". The group sign counts only between
 * complete groups of three. The other of comma and point is read as the decimal sign where it cannot be a group sign.
 * Returns null for everything else, and for more than `digits` decimals.
 */
export function readNumber(typed: string, digits: number, locale: string): string | null {
  const signs = signsOf(locale);
  const group = alike(isSpace(signs.group) ? ' ' : signs.group);
  const text = alike(western(typed.replaceAll(DIRECTION_MARKS, ''), signs))
    .trim()
    .replace(MINUS, '-');
  const negative = text.startsWith('-');
  const read = readUnsigned(negative ? text.slice(1) : text, { point: signs.point, group });
  if (read === null) return null;
  const [whole = '', fraction = ''] = read.split('.');
  if (fraction.length > digits) return null;
  const plain = whole.replace(/^0+(?=\d)/, '') + (fraction === '' ? '' : `.${fraction}`);
  return negative ? `-${plain}` : plain;
}

/** A decimal number of the wire as somebody types it in `locale`, with at least `least` decimals. */
export function writeNumber(value: string | number, least: number, locale: string): string {
  const [whole = '', fraction = ''] = String(value).split('.');
  const padded = fraction.padEnd(least, '0');
  return padded === '' ? whole : whole + signsOf(locale).point + padded;
}
