/**
 * A whole number as a part of SQL text, for places where PostgreSQL takes a bound value for text: a select list, an
 * expression.
 */
export function int(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError('Only whole numbers belong into SQL text.');
  return String(value);
}
