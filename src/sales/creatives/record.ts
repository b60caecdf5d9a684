import { readJson } from '../../core/json.js';
import { Type } from '../../core/type.js';
import { string } from '../../core/wire-schema.js';
import { id, inside, json, line, text, time, timeOrNone, word, type Field } from '../../records/fields.js';
import { record } from '../../records/record.js';
import { CREATIVE_STATUSES, CREATIVE_TYPES, PRIVACIES, type CreativeMeta } from './types.js';

const size = Type.Unsafe<number | string>({ type: ['integer', 'string'] });
/** The known keys; extensions may add more. */
export const metaSchema = Type.Unsafe<CreativeMeta>(
  Type.Object(
    {
      start_time: Type.Optional(string),
      end_time: Type.Optional(string),
      media_width: Type.Optional(size),
      media_height: Type.Optional(size),
      media_type: Type.Optional(string),
      attachment_id: Type.Optional(size),
      qr_color: Type.Optional(string),
      qr_bg_color: Type.Optional(string),
      notes: Type.Optional(string),
    },
    { additionalProperties: true },
  ),
);

/** Sizes, colours, notes and scalars of extensions; the schedule has columns of its own. */
const meta: Field<CreativeMeta, CreativeMeta> = {
  ...json<CreativeMeta>(),
  empty: false,
  read: readMeta,
  write: JSON.stringify,
  show: (value) => value,
  schema: metaSchema,
};

/** A promotional material; whom it is for stands in tables of its own. */
export const creatives = record('creatives', {
  id: id(),
  name: line(),
  description: text(),
  type: word(CREATIVE_TYPES),
  image: text(),
  text: text(),
  /** Where it leads, without any tracking parameter. */
  url: line(),
  privacy: word(PRIVACIES),
  status: word(CREATIVE_STATUSES),
  starts_at: inside(timeOrNone()),
  ends_at: inside(timeOrNone()),
  meta,
  created_at: time(),
  updated_at: time(),
});

function readMeta(stored: unknown): CreativeMeta {
  const value = readJson<unknown>(stored, {});
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as CreativeMeta) : {};
}
