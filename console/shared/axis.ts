// The steps of a chart's upright axes.

/** Sums below this have their decimals on the axis. */
const SMALL = 5;
const WHOLE = Array.from({ length: 12 }, (_, zeros) => [1, 2, 5].map((step) => step * 10 ** zeros)).flat();

/** Where an axis ends: above its highest value, at 2 where there is nothing to measure. */
export const topOf = (highest: number): number => (highest > 0 ? highest * 1.1 : 2);

/** Steps of counts. */
export const WHOLE_STEPS: readonly number[] = WHOLE;

export interface MoneyAxis {
  /** The steps to choose from; undefined where parts of a unit are steps, too. */
  readonly steps: readonly number[] | undefined;
  /** Decimals of the texts; undefined for short ones ("2.5K"). */
  readonly digits: number | undefined;
}

/** `most`: the highest sum; `digits`: decimals of the currency. */
export function moneyAxis(most: number, digits: number): MoneyAxis {
  if (most <= 0) return { steps: WHOLE, digits: 0 };
  return { steps: digits === 0 ? WHOLE : undefined, digits: most < SMALL ? digits : undefined };
}
