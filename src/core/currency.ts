import * as iso4217 from 'dinero.js/currencies';

export interface Currency {
  readonly code: string;
  readonly digits: number;
  /** English name. */
  readonly name: string;
}

// Digits come from the ISO 4217 table, never from Intl, whose data follow local habit (0 for HUF or
// TWD, depending on the version).
const TABLE: Readonly<Record<string, { readonly base: unknown; readonly exponent: number } | undefined>> =
  iso4217;

const SYMBOLS: Readonly<Record<string, string | undefined>> = {
  AED: 'د.إ',
  ARS: '$',
  AUD: '$',
  BDT: '৳',
  BGN: 'лв',
  BRL: 'R$',
  CAD: '$',
  CHF: 'CHF',
  CLP: '$',
  CNY: '¥',
  COP: '$',
  CRC: '₡',
  CZK: 'Kč',
  DKK: 'kr',
  EGP: '£',
  EUR: '€',
  GBP: '£',
  GEL: '₾',
  GHS: '₵',
  HKD: '$',
  HUF: 'Ft',
  IDR: 'Rp',
  ILS: '₪',
  INR: '₹',
  ISK: 'kr',
  JPY: '¥',
  KHR: '៛',
  KRW: '₩',
  KZT: '₸',
  LAK: '₭',
  LKR: 'Rs',
  MNT: '₮',
  MXN: '$',
  MYR: 'RM',
  NGN: '₦',
  NOK: 'kr',
  NPR: 'Rs',
  NZD: '$',
  PEN: 'S/',
  PHP: '₱',
  PKR: 'Rs',
  PLN: 'zł',
  PYG: '₲',
  RON: 'lei',
  RUB: '₽',
  SAR: '﷼',
  SEK: 'kr',
  SGD: '$',
  THB: '฿',
  TRY: '₺',
  TWD: 'NT$',
  UAH: '₴',
  USD: '$',
  UYU: '$',
  VND: '₫',
  ZAR: 'R',
};

/** Whether this is an upper-case ISO 4217 code. */
export const isCurrency = (code: string): boolean => TABLE[code] !== undefined;

/** Decimals of the currency; 2 for an unknown code. */
export function currencyDigits(code: string): number {
  const currency = TABLE[code];
  // The ariary and the ouguiya divide by five, which the table writes as base 5;
  // ISO and all payment systems give them two decimals.
  return currency === undefined || currency.base !== 10 ? 2 : currency.exponent;
}

/** The short sign, or the code when there is none. */
export const currencySymbol = (code: string): string => SYMBOLS[code] ?? code;

export const CURRENCY_CODES: readonly string[] = Object.keys(TABLE).toSorted();

/** All currencies by code. The names are what costs: who needs digits only takes CURRENCY_CODES. */
export function currencies(): readonly Currency[] {
  const names = new Intl.DisplayNames(['en'], { type: 'currency' });
  return CURRENCY_CODES.map((code) => ({ code, digits: currencyDigits(code), name: names.of(code) ?? code }));
}
