/**
 * The value of a stored JSON text; the fallback when it is empty or broken.
 * A driver may have parsed it already.
 */
export function readJson<T>(text: unknown, fallback: T): T {
  if (typeof text !== 'string') return (text ?? fallback) as T;
  try {
    return (JSON.parse(text) ?? fallback) as T; // the caller names the type of what it wrote itself
  } catch {
    return fallback;
  }
}
