import { CURRENCY_CODES, currencyDigits, parseAmount } from './money.js';
import { readDecimal } from './decimal.js';

/** SQL text with a `?` for each of its values. */
export interface SqlPart {
  readonly text: string;
  readonly bindings: readonly (string | number)[];
}

/** How a database writes whole-number division and casts, from its dialect. */
export interface SqlWords {
  slot(column: string, unit: number): string;
  asText(column: string): string;
}

export interface AmountSearch {
  /** A column of minor units, in a table with a column `currency`. */
  readonly column: string;
  /** Decimal text as it was typed. */
  readonly value: string;
  readonly operator: '=' | ':';
  /** The currency of rows that name none. */
  readonly currency: string;
}

/**
 * "Equals" or "contains" for amounts in the form people read: `=` compares decimals (12.5 is 12.50), `:`
 * looks for a part of the decimal text. Amounts are stored in minor units, so currencies with different
 * numbers of decimals are compared separately. Null: nothing can match.
 */
export function amountSearch(words: SqlWords, search: AmountSearch): SqlPart | null {
  const groups = byDigits();
  const special = [...groups].flatMap(([digits, codes]) => (digits === 2 ? [] : codes));
  const parts = [...groups].flatMap(([digits, codes]): SqlPart[] => {
    const match =
      search.operator === '=' ? equals(search, codes[0] ?? 'USD') : contains(words, search, digits);
    if (match === null) return [];
    const known = digits === 2 ? special : codes; // unknown codes have two decimals
    const among = `coalesce(currency, ?) ${digits === 2 ? 'not in' : 'in'} (${known.map(() => '?').join(', ')})`;
    return [
      { text: `(${among} and ${match.text})`, bindings: [search.currency, ...known, ...match.bindings] },
    ];
  });
  if (parts.length === 0) return null;
  return {
    text: `(${parts.map(({ text }) => text).join(' or ')})`,
    bindings: parts.flatMap(({ bindings }) => bindings),
  };
}

function equals({ column, value }: AmountSearch, currency: string): SqlPart | null {
  const amount = readDecimal(value) === null ? null : parseAmount(value, currency);
  return amount === null ? null : { text: `${column} = ?`, bindings: [amount] };
}

// "12.5" is found in 12.50 and 112.53: the whole part ends with 12, the decimals begin with 5.
function contains(words: SqlWords, { column, value }: AmountSearch, digits: number): SqlPart | null {
  const [, whole, fraction] = /^(\d{0,13})(?:\.(\d*))?$/u.exec(value) ?? [];
  if (
    whole === undefined ||
    value === '' ||
    value === '.' ||
    (fraction !== undefined && fraction.length > digits)
  )
    return null;
  const unit = 10 ** digits;
  const units = words.slot(column, unit);
  if (fraction !== undefined) {
    const ends = `(${units}) % ${10 ** whole.length} = ?`;
    if (fraction === '') return { text: ends, bindings: [Number(whole)] };
    const starts = `${words.slot(`(${column} - ${units} * ${unit})`, 10 ** (digits - fraction.length))} = ?`;
    return { text: `${ends} and ${starts}`, bindings: [Number(whole), Number(fraction)] };
  }
  const inWhole = `${words.asText(units)} like ?`;
  if (digits === 0 || whole.length > digits) return { text: inWhole, bindings: [`%${whole}%`] };
  // a leading 1 preserves the zeros
  const inDecimals = `${words.asText(`(${words.slot(column, 1)} - ${units} * ${unit} + ${unit})`)} like ?`;
  return { text: `(${inWhole} or ${inDecimals})`, bindings: [`%${whole}%`, `_%${whole}%`] };
}

function byDigits(): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>();
  for (const code of CURRENCY_CODES)
    groups.set(currencyDigits(code), [...(groups.get(currencyDigits(code)) ?? []), code]);
  return groups;
}
