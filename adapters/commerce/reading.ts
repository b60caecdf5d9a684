import { isMap } from '../../src/core/is-map.js';

// Payloads are read field by field, because vendors add and drop fields, and any list of values can grow.

export type Fields = Readonly<Record<string, unknown>>;
const NONE: Fields = {};

export const fields = (value: unknown): Fields => (isMap(value) ? value : NONE);
export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

/** The text of a text or number, else ''. */
export const text = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' && Number.isFinite(value)
      ? String(value)
      : '';

/** `{ key: text }`, or nothing when it is blank. */
export const given = <K extends string>(key: K, value: unknown): { readonly [P in K]?: string } => {
  const found = text(value).trim();
  return found === '' ? {} : ({ [key]: found } as { [P in K]: string });
};

export const whole = (value: unknown, fallback = 0): number => {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^\d{1,15}$/.test(value)
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) ? number : fallback;
};

/** An id, or the id of the object that was sent in its place. */
export const idOf = (value: unknown): string => text(value) || text(fields(value)['id']);

/** Epoch milliseconds of a date text; without a zone it is UTC. */
export function timeOf(value: unknown, fallback = 0): number {
  const date = text(value);
  if (date === '') return fallback;
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(date) ? date : `${date}Z`);
  return Number.isFinite(time) ? time : fallback;
}

export const texts = (...values: readonly unknown[]): string[] => [
  ...new Set(values.map(idOf).filter((each) => each !== '')),
];
