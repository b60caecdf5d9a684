import { isNo, isYes } from '../core/yes-no.js';

/** The value that was read from a form, or the rule it breaks and a sentence about it. */
export type ReadResult<T = unknown> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly rule: string; readonly says: string };

export const read = <T>(value: T): ReadResult<T> => ({ kind: 'read', value });
export const refused = (rule: string, says: string): ReadResult<never> => ({ kind: 'refused', rule, says });

/** One of these words. */
export const word =
  <const W extends string>(...known: readonly W[]) =>
  (value: unknown): ReadResult<W> => {
    const found = known.find((each) => each === String(value));
    return found === undefined ? refused('in', `Choose one of: ${known.join(', ')}.`) : read(found);
  };

/** Yes or no, in any form that HTML forms and JSON use. */
export function yesOrNo(value: unknown): ReadResult<'yes' | 'no'> {
  if (isYes(value)) return read('yes');
  return isNo(value) ? read('no') : refused('in', 'This must be yes or no.');
}

/** A whole number, also as text. */
export const whole =
  (min: number, max: number) =>
  (value: unknown): ReadResult<number> => {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    if (!Number.isSafeInteger(number)) return refused('numeric', 'Use a whole number.');
    if (number < min) return refused('min', `Use ${min} or more.`);
    return number > max ? refused('max', `Use at most ${max}.`) : read(number);
  };
