import { nameKey, withoutUnseen } from './text.js';

/** The form in which values of links and coupons are compared, in any case or width. */
export const foldAlias = (value: string): string => nameKey(value);

/** The kind of an imported value in the table of aliases: `slicewp:slug`. */
export const aliasKind = (source: string, kind: string): string => `${source.slice(0, 20)}:${kind}`;

/**
 * The form in which codes of coupons are compared: without regard to case, in one spelling of accents, and
 * with `&amp;` of shops that write HTML read as `&`.
 */
export const couponKey = (code: string): string =>
  withoutUnseen(code)
    .replaceAll(/&(?:amp|#0*38);/gi, '&')
    .normalize('NFC')
    .trim()
    .toLowerCase();
