/** A whole number above 0, as a number or text; null for what cannot be an id. */
export function readId(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const id = /^\d{1,16}$/u.test(String(value)) ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
