/** What was wrong with a field; texts that the console can translate. */
export const PROBLEMS = {
  missing: 'This field is missing.',
  amount: 'Send amounts as decimal strings, such as "100.00".',
  currency: 'Send the currency as an ISO 4217 code, such as "USD".',
  time: 'Send times as milliseconds since 1970 or as ISO 8601.',
  place: 'Put this beside `type`, not inside `data`.',
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
