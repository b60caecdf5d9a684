/** What somebody answered in a field of a form. */
export type Answer = string | number | boolean | null | readonly string[];

/**
 * A stored answer; what no field of a form can give, such as the map of an
 * extension, is shown as its JSON text.
 */
export function readAnswer(stored: unknown): Answer {
  if (Array.isArray(stored)) return stored.map(String);
  if (typeof stored === 'string' || typeof stored === 'number' || typeof stored === 'boolean') return stored;
  return stored === null || stored === undefined ? null : JSON.stringify(stored);
}
