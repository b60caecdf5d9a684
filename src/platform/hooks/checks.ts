import { isMap } from '../../core/is-map.js';

export { isMap };

// Checks of the values that filters return. They come from host code, so they are input.

const MAX_MINOR = 999_999_999_999_999;

/** A whole, non-negative number of minor units with at most 15 digits. */
export const isMinor = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_MINOR;
export const isFiniteNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value);
export const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
export const isText = (value: unknown): boolean => typeof value === 'string';
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
export const isList = (value: unknown): boolean => Array.isArray(value);
export const isMapOrNull = (value: unknown): boolean => value === null || isMap(value);
/** A list or a map of items, as both are in use for some filters. */
export const isCollection = (value: unknown): boolean => typeof value === 'object' && value !== null;
/** Empty text or a web address; never `javascript:` and the like. */
export const isAddress = (value: unknown): boolean =>
  value === '' || (typeof value === 'string' && /^https?:\/\/[^\s<>"]+$/i.test(value));

/** A record with a positive integer id, or null. */
export function isRecordOrNull(value: unknown): boolean {
  return value === null || (isMap(value) && Number.isSafeInteger(value['id']) && Number(value['id']) > 0);
}
