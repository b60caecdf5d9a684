import { divideRounded } from './decimal.js';

/** An exact share, such as the part of an order that was not refunded: `top` ÷ `bottom`, bottom > 0. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

export const NONE: Fraction = { top: 0n, bottom: 1n };
export const WHOLE: Fraction = { top: 1n, bottom: 1n };

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/** `part` ÷ `whole`, limited to 0 and 1; of a whole of 0 the share is 0. */
export function shareOf(part: number, whole: number): Fraction {
  if (whole <= 0 || part <= 0) return NONE;
  return part >= whole ? WHOLE : reduced(BigInt(part), BigInt(whole));
}

function reduced(top: bigint, bottom: bigint): Fraction {
  const divisor = gcd(top < 0n ? -top : top, bottom);
  return divisor === 0n ? { top, bottom } : { top: top / divisor, bottom: bottom / divisor };
}

export const plus = (a: Fraction, b: Fraction): Fraction =>
  reduced(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);

/** 1 − share, never below 0. */
export const restOf = (share: Fraction): Fraction =>
  share.top >= share.bottom ? NONE : { top: share.bottom - share.top, bottom: share.bottom };

export const isMore = (a: Fraction, b: Fraction): boolean => a.top * b.bottom > b.top * a.bottom;

/** `amount` × share, rounded once, half away from zero. */
export const times = (amount: number, { top, bottom }: Fraction): number =>
  Number(divideRounded(BigInt(amount) * top, bottom));

/** a ÷ b; b must not be 0. */
export const ratio = (a: Fraction, b: Fraction): Fraction => reduced(a.top * b.bottom, a.bottom * b.top);
