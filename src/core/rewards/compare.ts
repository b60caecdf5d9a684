import { readDecimal } from '../decimal.js';
import type { FactKind } from './facts.js';
import type { Comparison, FactValue } from './types.js';

/** True, false, or null when a fact is unknown. */
export type Truth = boolean | null;

const REMEMBERED_MAX = 5000;

/** Remembers what a text was read as: the values of rules are the same for every order. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= REMEMBERED_MAX) known.clear();
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

const decimalOf = remembered(readDecimal);

/** Compares two decimal texts exactly: below 0, 0, or above 0. */
export function compareDecimals(left: string, right: string): number {
  const [a, b] = [decimalOf(left), decimalOf(right)];
  if (a === null || b === null) throw new RangeError('A number of a rule must be decimal text.');
  if (a.scale === b.scale) return a.units < b.units ? -1 : Number(a.units > b.units);
  const scale = Math.max(a.scale, b.scale);
  const difference = a.units * 10n ** BigInt(scale - a.scale) - b.units * 10n ** BigInt(scale - b.scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Texts are compared without regard to case, as coupons and campaigns are. */
const folded = remembered((text) => text.normalize('NFC').trim().toLowerCase());

/** Below 0, 0, or above 0. */
export function compareValues(kind: FactKind, left: FactValue, right: FactValue): number {
  if (typeof left === 'boolean' || typeof right === 'boolean') return left === right ? 0 : 1;
  if (kind === 'number' || kind === 'amount') return compareDecimals(left, right);
  const [a, b] = [folded(left), folded(right)];
  return a < b ? -1 : Number(a > b);
}

/** One comparison with a fact of one or several values, such as the categories of an item. */
export function compare(
  kind: FactKind,
  { op, value }: Pick<Comparison, 'op' | 'value'>,
  seen: FactValue | readonly FactValue[] | null | undefined,
): Truth {
  if (seen === null || seen === undefined) return null;
  const known = listOf(seen);
  const wanted = listOf(value);
  if (op === 'lt' || op === 'lte' || op === 'gt' || op === 'gte')
    return isInOrder(op, compareValues(kind, known[0] ?? '', wanted[0] ?? ''));
  const isSame = known.some((each) => wanted.some((one) => compareValues(kind, each, one) === 0));
  return op === 'eq' || op === 'in' ? isSame : !isSame;
}

const listOf = (value: FactValue | readonly FactValue[]): readonly FactValue[] =>
  Array.isArray(value) ? (value as readonly FactValue[]) : [value as FactValue];

function isInOrder(op: 'lt' | 'lte' | 'gt' | 'gte', order: number): boolean {
  if (op === 'lt') return order < 0;
  if (op === 'lte') return order <= 0;
  return op === 'gt' ? order > 0 : order >= 0;
}
