// Length of an IBAN per country (SWIFT IBAN registry, https://www.swift.com/resource/iban-registry-pdf).
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 ' +
    'EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 ' +
    'IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 ' +
    'NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 ' +
    'SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** The first valid IBAN in a text; null when there is none. */
export function findIban(text: string): string | null {
  for (const { index } of text.toUpperCase().matchAll(/\b[A-Z]{2}\d{2}/gu)) {
    const start = text
      .toUpperCase()
      .slice(index, index + 60)
      .replaceAll(/[^A-Z0-9]/gu, '');
    const iban = start.slice(0, LENGTHS.get(start.slice(0, 2)) ?? 0);
    if (iban.length === LENGTHS.get(iban.slice(0, 2)) && remainder(iban) === 1) return iban;
  }
  return null;
}

/** The IBAN that a text is, without blanks and in capitals; null when it is none. */
export function readIban(text: string): string | null {
  const iban = text.toUpperCase().replaceAll(/[\s.-]/gu, '');
  return /^[A-Z]{2}\d{2}[A-Z0-9]+$/u.test(iban) &&
    iban.length === LENGTHS.get(iban.slice(0, 2)) &&
    remainder(iban) === 1
    ? iban
    : null;
}

/**
 * ISO 13616: the first four characters go to the end, letters count from 10, the number modulo 97 must be 1.
 */
function remainder(iban: string): number {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of Number.parseInt(char, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest;
}
