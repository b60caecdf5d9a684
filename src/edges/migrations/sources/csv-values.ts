import { currencyDigits, isCurrency } from '../../../core/money.js';

/** How the values of files are written, where the text alone does not tell. */
export interface CsvForms {
  /** Amounts are whole minor units (cents). */
  readonly minorUnits?: boolean;
  /**
   * The mark before the decimals where an amount holds one separator and three digits after it; default:
   * the point.
   */
  readonly decimalMark?: 'point' | 'comma';
  /** Order of dates such as 03/04/2024; those with dots are day first. */
  readonly dates?: 'day-first' | 'month-first';
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const two = (n: number | string): string => String(n).padStart(2, '0');

// One figure, and around it nothing but a currency, a sign or brackets: digits of `1e21`, `=1+1` or `0x5` joined
// together would be another amount.
const FIGURE = /^(\D*?)([.,]?\d(?:[\d.,'’\s]*\d)?)(\D*)$/u;
const BESIDE = /^[\p{L}\p{Sc}\s.,()+\-−–'’"*]*$/u;

/**
 * `€ 1.234,50`, `(12.00)`, `USD 1,234.50`, `Rs.1'234.5` as plain decimal text; the text itself where it is none.
 */
export function plainAmount(text: string, currency: string, forms: CsvForms): string {
  const figure = figureIn(text);
  if (figure === null)
    // What has an exponent is read as it stands, so its smallest units would be taken for whole ones.
    return forms.minorUnits === true ? `${text} smallest units` : text;
  const sign = isNegative(text) ? '-' : '';
  return (
    sign +
    (forms.minorUnits === true ? fromMinor(figure.replaceAll(/[.,]/gu, ''), currency) : plain(figure, forms))
  );
}

/** The digits of the one amount in a text, with their points and commas. */
function figureIn(text: string): string | null {
  const [, before = '', figure = '', after = ''] = FIGURE.exec(text) ?? [];
  if (figure === '' || !BESIDE.test(before + after) || /[A-Za-z]{4,}/u.test(text)) return null;
  // The point of `Rs.500` ends a word.
  return figure.replace(/\p{L}$/u.test(before) ? /^[.,]/u : '', '').replaceAll(/[^\d.,]/gu, '');
}

/** In brackets, or with a minus before or after it. */
const isNegative = (text: string): boolean =>
  /^\s*\(.*\)\s*$/u.test(text) || /^[^\d]*[-−]/u.test(text) || /\d\s*[-−]\s*$/u.test(text);

function plain(figure: string, forms: CsvForms): string {
  const mark = decimalMark(figure, forms);
  const [whole, ...rest] = mark === null ? [figure] : splitLast(figure, mark);
  return `${whole.replaceAll(/[.,]/gu, '') || '0'}${rest.length > 0 ? `.${rest.join('')}` : ''}`;
}

function fromMinor(units: string, currency: string): string {
  const digits = currencyDigits(isCurrency(currency) ? currency : 'USD');
  if (digits === 0) return units;
  const padded = units.padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

function splitLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The character before the decimals; null where all of them are thousands. */
function decimalMark(text: string, { decimalMark: said }: CsvForms): '.' | ',' | null {
  const [points, commas] = [text.split('.').length - 1, text.split(',').length - 1];
  if (points > 0 && commas > 0) return text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ',';
  if (points + commas === 0) return null;
  const mark = points > 0 ? '.' : ',';
  if (points + commas > 1) return null;
  if (!/[.,]\d{3}$/u.test(text)) return mark;
  return (said === 'comma' ? ',' : '.') === mark ? mark : null;
}

/** A currency code that stands beside the amount itself. */
export function currencyIn(text: string): string | null {
  const code = /(?<![A-Za-z])([A-Za-z]{3})(?![A-Za-z])/u.exec(text)?.[1]?.toUpperCase();
  return code !== undefined && isCurrency(code) ? code : null;
}

const NUMERIC_DATE = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[ ,T]+(.*))?$/u;

/** True for a date whose day and month only the option tells apart. */
export const isAmbiguousDate = (text: string): boolean => {
  const match = NUMERIC_DATE.exec(text.trim());
  return (
    match !== null &&
    !text.includes('.') &&
    Number(match[1]) <= 12 &&
    Number(match[2]) <= 12 &&
    match[1] !== match[2]
  );
};

/**
 * Epoch milliseconds, ISO text with its zone, or `YYYY-MM-DD HH:MM:SS` on the clock of the source;
 * the text itself where it is none of the usual forms.
 */
export function plainDate(given: string, forms: CsvForms): string | number {
  const text = given.trim();
  if (/^\d{10}(?:\.\d+)?$/u.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/u.test(text)) return Number(text);
  for (const [form, partsOf] of DATE_FORMS) {
    const match = form.exec(text);
    if (match) return joined(partsOf(match, forms)) ?? text;
  }
  return text;
}

interface DateParts {
  readonly year: string;
  readonly month: string | number;
  readonly day: string;
  /** '' for none. */
  readonly time: string;
}

/** How dates are written, and where their parts stand. */
const DATE_FORMS: readonly (readonly [RegExp, (match: RegExpExecArray, forms: CsvForms) => DateParts])[] = [
  [
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,]+(.*))?$/u,
    ([, year = '', month = '', day = '', time = '']) => ({ year, month, day, time }),
  ],
  [
    NUMERIC_DATE,
    ([text, first = '', second = '', year = '', time = ''], { dates }) =>
      text.slice(0, 10).includes('.') || dates === 'day-first' || Number(first) > 12
        ? { year, month: second, day: first, time }
        : { year, month: first, day: second, time },
  ],
  [
    /^(?:\w{3,9}, +)?(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})(?:[ ,]+(.*))?$/u,
    ([, day = '', month = '', year = '', time = '']) => ({ year, month: monthOf(month), day, time }),
  ],
  [
    /^(?:\w{3,9},? +)?([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:[ ,]+(?:at )?(.*))?$/u,
    ([, month = '', day = '', year = '', time = '']) => ({ year, month: monthOf(month), day, time }),
  ],
];

const monthOf = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** With the time of day, in 12 or 24 hours, and its zone if it names one. */
function joined({ year, month, day, time }: DateParts): string | null {
  if (Number(month) < 1) return null;
  const date = `${year}-${two(month)}-${two(day)}`;
  if (time.trim() === '') return `${date} 00:00:00`;
  const match = TIME.exec(time.trim());
  if (!match) return null;
  const [, hour = '', minute = '', second = '00', half, zone] = match;
  const clock = `${two(half === undefined ? Number(hour) : hourOf(hour, half))}:${minute}:${second}`;
  if (zone === undefined) return `${date} ${clock}`;
  return `${date}T${clock}${/^[+-]/u.test(zone) ? zone.replace(/^(.\d{2}):?/u, '$1:') : 'Z'}`;
}

const TIME =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AaPp]\.?[Mm]\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/u;

/** Of the twelve of a.m. or p.m. */
const hourOf = (hour: string, half: string): number =>
  (Number(hour) % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
