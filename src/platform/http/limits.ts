import { fail } from '../../errors.js';

// Input limits (docs/reliability.md §4). They are checked before any schema, because ajv reports all errors
// and therefore does not stop early.
export const LIMITS = {
  bodyBytes: 1_048_576,
  urlBytes: 8192,
  depth: 16,
  parameters: 5000,
  listEntries: 5000,
  keyLength: 200,
} as const;

export type Plain = Record<string, unknown>;

// `__proto__` would change what an object inherits. The others are called when a value becomes text or a
// number, and would fail when they are no functions.
const SHADOWING = new Set(['__proto__', 'toString', 'valueOf']);

/** False for names that hide what every object inherits; they are removed from all input. */
export const isKey = (name: string): boolean => !SHADOWING.has(name);

/**
 * Finds brackets in JSON text that are nested deeper than the limit, without parsing: 400,000 of them would
 * take the parser longer than a request may take.
 */
export function tooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > LIMITS.depth) return true;
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
  return false;
}

/**
 * A copy without keys that hide what objects inherit. Throws 413 when lists, objects, keys or nesting exceed
 * the limits.
 */
export function bounded(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= LIMITS.depth) fail('payload_too_large');
  if (Array.isArray(value)) {
    if (value.length > LIMITS.listEntries) fail('payload_too_large');
    return value.map((entry) => bounded(entry, depth + 1));
  }
  const keys = Object.keys(value);
  if (keys.length > LIMITS.parameters) fail('payload_too_large');
  const copy: Plain = {};
  for (const key of keys) {
    if (key.length > LIMITS.keyLength) fail('payload_too_large');
    if (isKey(key)) copy[key] = bounded((value as Plain)[key], depth + 1);
  }
  return copy;
}
