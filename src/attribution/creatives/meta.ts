import { parseSiteTime } from '../../core/dates.js';
import { isMap } from '../../core/is-map.js';
import { cut, LINES } from '../../core/text.js';
import type { FieldCheck } from '../../errors.js';
import type { CreativeMeta } from './types.js';

// Keys of one stored map. Extensions may add more, so they are not columns in record.ts.

/** Meta and schedule while a form is read. */
export interface Details {
  readonly meta: CreativeMeta;
  readonly starts_at: number | null;
  readonly ends_at: number | null;
}

const MAX_UNKNOWN = 20;
const MAX_UNKNOWN_LENGTH = 1000;
const MAX_NOTES = 5000;
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

type Reader = (value: unknown) => string | number | null;

const whole =
  (min: number, max: number): Reader =>
  (value) => {
    const number =
      typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/u.test(value.trim()))
        ? Number(value)
        : Number.NaN;
    return Number.isSafeInteger(number) && number >= min && number <= max ? number : null;
  };
const matching =
  (pattern: RegExp): Reader =>
  (value) =>
    typeof value === 'string' && pattern.test(value.trim()) ? value.trim() : null;

const KNOWN: Readonly<Record<string, { readonly read: Reader; readonly text: string }>> = {
  media_width: { read: whole(1, 10_000), text: 'The width must be a whole number from 1 to 10000.' },
  media_height: { read: whole(1, 10_000), text: 'The height must be a whole number from 1 to 10000.' },
  media_type: {
    read: matching(/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/u),
    text: 'The media type must have the form image/png.',
  },
  attachment_id: { read: whole(1, Number.MAX_SAFE_INTEGER), text: 'The attachment must be an ID.' },
  qr_color: { read: matching(/^#[0-9a-f]{3,8}$/iu), text: 'The color must have the form #000000.' },
  qr_bg_color: { read: matching(/^#[0-9a-f]{3,8}$/iu), text: 'The color must have the form #ffffff.' },
  notes: { read: readNotes, text: `The notes must be text of at most ${MAX_NOTES} characters.` },
};
const TIMES = { start_time: 'starts_at', end_time: 'ends_at' } as const;

function readNotes(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const notes = LINES.read(String(value));
  return LINES.fits(notes) && cut(notes, MAX_NOTES) === notes ? notes : null;
}

const isBlank = (value: unknown): boolean => value === '' || value === null;

// Clients written in PHP send an empty map as an empty list.
const isEmpty = (given: unknown): boolean =>
  given === undefined || isBlank(given) || (Array.isArray(given) && given.length === 0);

/**
 * Merges submitted meta over the stored one, key by key;
 * a blank value removes its key (docs/interface.md §10.2).
 */
export function mergeMeta(
  given: unknown,
  { meta: stored, starts_at, ends_at }: Details,
  check: FieldCheck,
  timeZone: string,
): Details {
  const base = { meta: stored, starts_at, ends_at };
  if (isEmpty(given)) return base;
  if (!isMap(given)) {
    check.add('meta', 'array', 'The meta must be an object.');
    return base;
  }
  const meta: Record<string, string | number | boolean> = { ...stored };
  const times = { starts_at, ends_at };
  for (const [key, value] of Object.entries(given)) {
    if (key === 'start_time' || key === 'end_time') times[TIMES[key]] = readTime(key, value, check, timeZone);
    else if (isBlank(value)) delete meta[key];
    else if (Object.hasOwn(KNOWN, key)) setKnown(meta, key, value, check);
    else setUnknown(meta, key, value, check);
  }
  return { meta, ...times };
}

function readTime(
  key: keyof typeof TIMES,
  value: unknown,
  check: FieldCheck,
  timeZone: string,
): number | null {
  if (isBlank(value)) return null;
  const time = typeof value === 'string' ? parseSiteTime(value, timeZone) : null;
  if (time === null) check.add(`meta.${key}`, 'date', 'The time must have the form 2026-01-31 14:30.');
  return time;
}

function setKnown(
  meta: Record<string, string | number | boolean>,
  key: string,
  value: unknown,
  check: FieldCheck,
): void {
  const rule = KNOWN[key];
  const read = rule?.read(value) ?? null;
  if (read === null) check.add(`meta.${key}`, 'format', rule?.text ?? 'The value is not valid.');
  else meta[key] = read;
}

// Keys of extensions: only simple values, and not many.
function setUnknown(
  meta: Record<string, string | number | boolean>,
  key: string,
  value: unknown,
  check: FieldCheck,
): void {
  if (!/^[\w-]{1,64}$/u.test(key) || UNSAFE.has(key)) return;
  const others = Object.keys(meta).filter((each) => !Object.hasOwn(KNOWN, each));
  if (!others.includes(key) && others.length >= MAX_UNKNOWN) return;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) meta[key] = value;
  if (typeof value !== 'string') return;
  if (!LINES.fits(value) || cut(value, MAX_UNKNOWN_LENGTH) !== value)
    check.add(`meta.${key}`, 'format', `The value must be text of at most ${MAX_UNKNOWN_LENGTH} characters.`);
  meta[key] = LINES.read(value);
}
