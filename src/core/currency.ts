export interface Currency {
  readonly code: string;
  readonly digits: number;
  /** English name. */
  readonly name: string;
}

// Codes and numbers of decimals from ISO 4217. Intl is not used: its data follow local habit (0 for HUF or
// TWD, depending on the version). The ariary and the ouguiya divide by five; ISO and all payment systems give
// them two decimals.
const CODES_BY_DIGITS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD ' +
    'CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP ' +
    'GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD ' +
    'MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP ' +
    'PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT ' +
    'TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** Withdrawn from ISO 4217: old orders may have them, and they are not offered. All have two decimals. */
const HISTORIC_CODES = 'ANG BGN CUC EEK HRK LTL LVL MRO SLL STD VEF ZWL'.split(' ');

const CURRENT = Object.entries(CODES_BY_DIGITS).flatMap(([digits, codes]) =>
  codes.split(' ').map((code): [string, number] => [code, Number(digits)]),
);
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...CURRENT,
  ...HISTORIC_CODES.map((code): [string, number] => [code, 2]),
]);

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

/** Whether this is an upper-case ISO 4217 code, of today or withdrawn. */
export const isCurrency = (code: string): boolean => DIGITS.has(code);

/** Decimals of the currency; 2 for an unknown code. */
export const currencyDigits = (code: string): number => DIGITS.get(code) ?? 2;

/** The short sign, or the code when there is none. */
export const currencySymbol = (code: string): string => SYMBOLS[code] ?? code;

export const CURRENCY_CODES: readonly string[] = CURRENT.map(([code]) => code).toSorted();

/** All currencies by code. Looking up their names takes time; who needs none uses CURRENCY_CODES. */
export function currencies(): readonly Currency[] {
  const names = new Intl.DisplayNames(['en'], { type: 'currency' });
  return CURRENCY_CODES.map((code) => ({ code, digits: currencyDigits(code), name: names.of(code) ?? code }));
}
