/** What was wrong with a field; texts that the console can translate. */
export const PROBLEMS = {
  missing: 'This field is missing.',
  amount: 'Write amounts as decimal text, such as "100.00".',
  currency: 'Write the currency as a code of ISO 4217, such as "USD".',
  time: 'Write times in milliseconds since 1970, or as ISO 8601.',
  place: 'This belongs beside `type`, not into `data`.',
} as const;
export type Problem = keyof typeof PROBLEMS;

/** Thrown while a delivery is read: the field that cannot be read, such as `order.totals.goods`. */
export class UnreadableField extends TypeError {
  override readonly name = 'UnreadableField';
  constructor(
    readonly field: string,
    readonly problem: Problem,
  ) {
    super(`${field}: ${PROBLEMS[problem]}`);
  }
}
