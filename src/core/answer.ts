/** What an applicant entered in a field of a form. */
export type FieldAnswer = string | number | boolean | null | readonly string[];

/**
 * Reads a stored answer. A value that no form field can hold, such as an extension's map, becomes its JSON
 * text.
 */
export function readAnswer(stored: unknown): FieldAnswer {
  if (Array.isArray(stored)) return stored.map(String);
  if (typeof stored === 'string' || typeof stored === 'number' || typeof stored === 'boolean') return stored;
  return stored === null || stored === undefined ? null : JSON.stringify(stored);
}
