/**
 * Reads a stored JSON text; returns the fallback when it is empty or broken. A driver may have parsed it
 * before.
 */
export function readJson<T>(text: unknown, fallback: T): T {
  if (typeof text !== 'string') return (text ?? fallback) as T;
  try {
    return (JSON.parse(text) ?? fallback) as T; // the caller stored it and knows its type
  } catch {
    return fallback;
  }
}
