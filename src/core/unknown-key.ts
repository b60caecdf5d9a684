import { nearMiss } from './nearest.js';

export interface UnknownKey {
  /** The path of the key as it was given. */
  readonly field: string;
  readonly message: string;
}

interface Place {
  /** The path before the key, with a dot at its end, or empty at the top. */
  readonly path: string;
  /** The keys that are known there. */
  readonly known: readonly string[];
  /** Where a key belongs that is known elsewhere. */
  readonly elsewhere?: (key: string) => string | undefined;
}

/**
 * The message for an unknown key: its name, and the known one it was probably meant to be. A key that is no
 * plain word is not repeated, as it may come from anywhere.
 */
export function unknownKey(key: string, { path, known, elsewhere }: Place): UnknownKey {
  if (!/^[\w-]{1,50}$/.test(key))
    return {
      field: path.replace(/\.$/, '') || 'input',
      message: `There is an unknown key. Allowed keys: ${known.join(', ')}.`,
    };
  const field = path + key;
  const near = nearMiss(key, known);
  const meant = elsewhere?.(key) ?? (near === null ? undefined : path + near);
  return {
    field,
    message:
      meant === undefined
        ? `${field} is not a known key. Known keys: ${known.join(', ')}.`
        : `${field} is not a known key; did you mean ${meant}?`,
  };
}
