import { currencyDigits, isCurrency } from '../../../core/money.js';

/** How the values of files are written, where the text alone is ambiguous. */
export interface CsvForms {
  /** Amounts are whole minor units (cents). */
  readonly minorUnits?: boolean;
  /**
   * The mark before the decimals. Default: found from the amounts of the file; if they are ambiguous, it is
   * asked for.
   */
  readonly decimalMark?: DecimalMark;
  /** Order of dates such as 03/04/2024; those with dots are day first. */
  readonly dates?: 'day-first' | 'month-first';
}

export type DecimalMark = 'point' | 'comma';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const two = (n: number | string): string => String(n).padStart(2, '0');

// One figure, and around it nothing but a currency, a sign or brackets: digits of `1e21`, `=1+1` or `0x5` joined
// together would be another amount.
const FIGURE = /^(\D*?)([.,]?\d(?:[\d.,'’\s]*\d)?)(\D*)$/u;
const BESIDE = /^[\p{L}\p{Sc}\s.,()+\-−–'’"*]*$/u;
/** Thousands are groups of three, in India also of two, behind one and the same separator. */
const GROUPS = {
  point: /^(?:[1-9]\d{0,2}(?:([,'’\s])\d{2,3}(?:\1\d{2,3})*(?<=\1\d{3}))|\d*)(?:\.\d+)?$/u,
  comma: /^(?:[1-9]\d{0,2}(?:([.'’\s])\d{2,3}(?:\1\d{2,3})*(?<=\1\d{3}))|\d*)(?:,\d+)?$/u,
} as const;

/**
 * What an amount shows about the decimal mark of its file. `either`: 1.234 is one thousand or one and a bit.
 * `none`: it has no mark; null: it is no amount.
 */
export type AmountShape = DecimalMark | 'either' | 'none' | null;

export function shapeOf(text: string, { minorUnits = false }: CsvForms): AmountShape {
  const figure = figureIn(text);
  if (figure === null) return null;
  const marks = (['point', 'comma'] as const).filter((mark) => isWritten(figure, mark, minorUnits));
  if (!/[.,]/u.test(figure)) return marks.length > 0 ? 'none' : null;
  if (minorUnits) return marks.length > 0 ? 'none' : null;
  return marks.length === 2 ? 'either' : (marks[0] ?? null);
}

/** Is the figure written with this decimal mark? Minor units have no decimals. */
const isWritten = (figure: string, mark: DecimalMark, minorUnits: boolean): boolean =>
  GROUPS[mark].test(figure) && !(minorUnits && figure.includes(mark === 'point' ? '.' : ','));

/**
 * `€ 1.234,50`, `(12.00)`, `USD 1,234.50`, `Rs.1'234.5` as plain decimal text; the text itself where it is none.
 * What breaks the rules of the mark (`12.34.56`) is no amount.
 */
export function plainAmount(text: string, currency: string, forms: CsvForms): string {
  const figure = figureIn(text);
  const { decimalMark: mark = 'point', minorUnits = false } = forms;
  // A number with an exponent is read literally, so its smallest units would be taken for whole ones.
  if (figure === null) return minorUnits ? `${text} smallest units` : text;
  if (shapeOf(text, forms) === null || !(minorUnits || isWritten(figure, mark, false)))
    return `${text} with another decimal mark`;
  const sign = isNegative(text) ? '-' : '';
  return sign + (minorUnits ? fromMinor(figure.replaceAll(/\D/gu, ''), currency) : plain(figure, mark));
}

/** The digits of the one amount in a text, with their separators. */
function figureIn(text: string): string | null {
  const [, before = '', figure = '', after = ''] = FIGURE.exec(text) ?? [];
  if (figure === '' || !BESIDE.test(before + after) || /[A-Za-z]{4,}/u.test(text)) return null;
  // The point of `Rs.500` ends a word.
  return figure.replace(/\p{L}$/u.test(before) ? /^[.,]/u : '', '');
}

/** In brackets, or with a minus before or after it. */
const isNegative = (text: string): boolean =>
  /^\s*\(.*\)\s*$/u.test(text) || /^[^\d]*[-−]/u.test(text) || /\d\s*[-−]\s*$/u.test(text);

function plain(figure: string, mark: DecimalMark): string {
  const [whole = '', decimals] = figure.split(mark === 'point' ? '.' : ',');
  return `${whole.replaceAll(/\D/gu, '') || '0'}${decimals === undefined ? '' : `.${decimals}`}`;
}

function fromMinor(units: string, currency: string): string {
  const digits = currencyDigits(isCurrency(currency) ? currency : 'USD');
  if (digits === 0) return units;
  const padded = units.padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

const DOLLARS =
  'USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP BRL BBD BMD BND BSD BZD DOP FJD GYD JMD KYD LRD NAD SBD SRD TTD UYU XCD';
const RUPEES = 'INR PKR LKR NPR MUR SCR';
/** The currencies that a sign can mean; longer signs first. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/US\$/iu, 'USD'],
  [/(?:CA|C)\$/iu, 'CAD'],
  [/(?:AU|A)\$/iu, 'AUD'],
  [/NZ\$/iu, 'NZD'],
  [/HK\$/iu, 'HKD'],
  [/NT\$/iu, 'TWD'],
  [/R\$/iu, 'BRL'],
  [/MX\$/iu, 'MXN'],
  [/S\$/iu, 'SGD'],
  [/[$＄]/u, DOLLARS],
  [/€/u, 'EUR'],
  [/£/u, 'GBP EGP FKP GIP LBP SHP SSP SYP SDG'],
  [/[¥￥]/u, 'JPY CNY'],
  [/₹/u, 'INR'],
  [/₨|(?<!\p{L})Rs(?!\p{L})/iu, RUPEES],
  [/[₩￦]/u, 'KRW KPW'],
  [/₽/u, 'RUB'],
  [/₺/u, 'TRY'],
  [/₴/u, 'UAH'],
  [/₪/u, 'ILS'],
  [/₫/u, 'VND'],
  [/₱/u, 'PHP CUP'],
  [/₦/u, 'NGN'],
  [/฿/u, 'THB'],
  [/₵/u, 'GHS'],
  [/₡/u, 'CRC'],
  [/₲/u, 'PYG'],
  [/₸/u, 'KZT'],
  [/(?<!\p{L})zł(?!\p{L})/iu, 'PLN'],
  [/(?<!\p{L})Kč(?!\p{L})/iu, 'CZK'],
  [/(?<!\p{L})kr(?!\p{L})/iu, 'SEK NOK DKK ISK'],
  [/(?<!\p{L})Ft(?!\p{L})/iu, 'HUF'],
];

/** The code or sign beside an amount, and the currencies it can mean; null without one. */
export function currencySign(
  text: string,
): { readonly sign: string; readonly means: readonly string[] } | null {
  const code = currencyIn(text);
  if (code !== null) return { sign: code, means: [code] };
  for (const [form, means] of SIGNS) {
    const sign = form.exec(text)?.[0];
    if (sign !== undefined) return { sign, means: means.split(' ') };
  }
  return null;
}

/** A currency code beside the amount itself. */
export function currencyIn(text: string): string | null {
  const code = /(?<![A-Za-z])([A-Za-z]{3})(?![A-Za-z])/u.exec(text)?.[1]?.toUpperCase();
  return code !== undefined && isCurrency(code) ? code : null;
}

const NUMERIC_DATE = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[ ,T]+(.*))?$/u;

/** True for a date whose day and month only the option can distinguish. */
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

/** How dates are written, and the positions of their parts. */
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
