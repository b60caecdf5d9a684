import { createHash } from 'node:crypto';

export type Comparable = Readonly<Record<string, string | number | null>>;

/** A fingerprint of what a row of the old system became here. */
export const hashOf = (values: Comparable): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex');

/**
 * How a row has changed since it was imported. `same`: nothing changed there. `changed_there`: only there, so
 * it is taken over. `changed_here`: there and here; the change here counts.
 */
export function changedColumns({
  stored,
  here,
  there,
}: {
  readonly stored: string | null;
  readonly here: Comparable;
  readonly there: Comparable;
}): 'same' | 'changed_there' | 'changed_here' {
  const now = hashOf(there);
  if (stored === null || now === stored || now === hashOf(here)) return 'same';
  return hashOf(here) === stored ? 'changed_there' : 'changed_here';
}
