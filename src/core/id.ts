/** A whole number above 0, however it was sent; null for what can be no id. */
export function readId(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const id = /^\d{1,16}$/u.test(String(value)) ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
