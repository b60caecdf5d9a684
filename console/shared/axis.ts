// Ticks of a chart's vertical axes.

/** Amounts below this are shown with decimals. */
const SMALL = 5;
const WHOLE = Array.from({ length: 12 }, (_, zeros) => [1, 2, 5].map((step) => step * 10 ** zeros)).flat();

/** The end of an axis: above its highest value, or 2 without values. */
export const topOf = (highest: number): number => (highest > 0 ? highest * 1.1 : 2);

/** Tick steps of counts. */
export const WHOLE_STEPS: readonly number[] = WHOLE;

export interface MoneyAxis {
  /** Allowed tick steps; undefined if fractions are allowed. */
  readonly steps: readonly number[] | undefined;
  /** Decimals of tick labels; undefined for short labels ("2.5K"). */
  readonly digits: number | undefined;
}

/** `most`: the highest amount; `digits`: decimals of the currency. */
export function moneyAxis(most: number, digits: number): MoneyAxis {
  if (most <= 0) return { steps: WHOLE, digits: 0 };
  return { steps: digits === 0 ? WHOLE : undefined, digits: most < SMALL ? digits : undefined };
}
