/** Unicode's isolates: by the first letter, from left to right, and the end of both. */
const [ISOLATE, LEFT_TO_RIGHT, END] = ['\u2068', '\u2066', '\u2069'];

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(language: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, known);
  return known;
}

/** Decimal text is exact; Intl reads it digit by digit. */
const format = (of: Intl.NumberFormat, value: string | number): string =>
  of.format(value as Intl.StringNumericLiteral);

/** A number as a reader of the language writes it. */
export const numberText = (value: string | number, language: string, digits = 4): string =>
  format(formatOf(language, { maximumFractionDigits: digits }), value);

/** A percentage such as "12.5" as a reader of the language writes it: "12.5%", or "12,5 %" in German. */
export const percentText = (value: string | number, language: string, digits = 4): string =>
  format(
    formatOf(language, { style: 'percent', maximumFractionDigits: digits }),
    typeof value === 'number' ? value / 100 : `${value}e-2`,
  );

/** An amount as a reader of the language writes it, with the `digits` of its currency and up to `most`. */
export function moneyText(
  value: string | number,
  {
    currency,
    digits,
    most = digits,
  }: { readonly currency: string; readonly digits: number; readonly most?: number },
  language: string,
): string {
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, most),
  } as const;
  const text = format(formatOf(language, options), value);
  // from right to left, "US$" would be drawn as "$US"
  return language.startsWith('ar') ? `${LEFT_TO_RIGHT}${text.replaceAll('\u200f', '')}${END}` : text;
}

const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u;

/**
 * A value for a sentence in the language. Where the directions of both may differ, the value has its own, and
 * the words around it do not move.
 */
export const isolated = (value: string, language: string): string =>
  value !== '' && (language.startsWith('ar') || RIGHT_TO_LEFT.test(value))
    ? `${ISOLATE}${value}${END}`
    : value;
