/**
 * What affiliates put into their links to distinguish their own sources: `?ref=jo&sub1=newsletter`
 * (docs/tracking.md §1).
 */
export const SUB_IDS = ['sub1', 'sub2', 'sub3', 'sub4', 'sub5'] as const;
export type SubId = (typeof SUB_IDS)[number];
export type SubIds = Readonly<Record<SubId, string | null>>;

export const SUB_ID_MAX = 100;
/** Other systems compare these ids, so one that does not fit is dropped, never shortened. */
const FITS = new RegExp(`^[\\p{L}\\p{M}\\p{N} _.~:@,;+=|/-]{1,${SUB_ID_MAX}}$`, 'u');

export const NO_SUB_IDS: SubIds = { sub1: null, sub2: null, sub3: null, sub4: null, sub5: null };

export function readSubIds(fields: Readonly<Record<string, unknown>>): SubIds {
  return subIds((name) => readSubId(fields[name]));
}

/** Those of a stored row. */
export const subIdsOf = (row: Readonly<Partial<Record<SubId, string | null>>>): SubIds =>
  subIds((name) => row[name] ?? null);

function readSubId(value: unknown): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return FITS.test(text) ? text : null;
}

const subIds = (of: (name: SubId) => string | null): SubIds => ({
  sub1: of('sub1'),
  sub2: of('sub2'),
  sub3: of('sub3'),
  sub4: of('sub4'),
  sub5: of('sub5'),
});
