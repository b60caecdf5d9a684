import { nameKey } from './text.js';

/** The form in which values of links and coupons are compared, whatever their case or width. */
export const foldAlias = (value: string): string => nameKey(value);

/** The kind under which an imported value stands in the table of aliases: `slicewp:slug`. */
export const aliasKind = (source: string, kind: string): string => `${source.slice(0, 20)}:${kind}`;
