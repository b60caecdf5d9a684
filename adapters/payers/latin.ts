const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  ø: 'o',
  Ø: 'O',
  œ: 'oe',
  Œ: 'Oe',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  þ: 'th',
  Þ: 'Th',
  ð: 'd',
  ı: 'i',
  '’': "'",
  '–': '-',
  '—': '-',
  '&': '+',
};

/** A text in the letters that banks take: without accents, and without characters of other scripts. */
export const latin = (text: string): string =>
  text
    .replaceAll(/[^ -~]|&/gu, (char) => SPELLED[char] ?? char)
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+ ]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
