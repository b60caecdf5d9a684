import { isMap } from '../../core/is-map.js';
import { readJson } from '../../core/json.js';
import { Type } from '../../core/type.js';
import { oneOf, string } from '../../core/dto-schema.js';
import { id, inside, json, line, text, time, timeOrNone, word, type Field } from '../../records/fields.js';
import { choice, inForm, lineOf, longText, orNull, webAddress, type Entry } from '../../records/form.js';
import { record } from '../../records/record.js';
import {
  CREATIVE_STATUSES,
  CREATIVE_TYPES,
  PRIVACIES,
  type CreativeMeta,
  type CreativeStatus,
} from './words.js';

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

/** Sizes, colors, notes, and simple values of extensions; the schedule has its own columns. */
const meta: Field<CreativeMeta, CreativeMeta> = {
  ...json<CreativeMeta>(),
  empty: false,
  read: readMeta,
  write: JSON.stringify,
  serialize: (value) => value,
  schema: metaSchema,
};

/** Only the schedule sets `expired`; a form may send it back. */
const status: Entry<CreativeStatus> = {
  ...choice(CREATIVE_STATUSES),
  schema: oneOf('active', 'inactive', 'scheduled'),
};

/** Promotional material; the tables of targets hold who may use it. */
export const creatives = record('creatives', {
  id: id(),
  name: inForm(line(), lineOf(255, '1 to 255 characters. Required on create.')),
  description: inForm(text(), longText(5000)),
  type: inForm(word(CREATIVE_TYPES), { ...choice(CREATIVE_TYPES), hint: 'Default: `image`' }),
  image: inForm(text(), orNull(webAddress('http(s) URL. Required for `image` and `banner`.'))),
  /** Which texts are allowed depends on the type (form.ts). */
  text: text(),
  /** The address it leads to, without any tracking parameter. */
  url: inForm(line(), webAddress('Absolute http(s) URL that the creative links to. Required on create.')),
  privacy: inForm(word(PRIVACIES), {
    ...choice(PRIVACIES),
    hint: '`private` requires `affiliate_ids` or `group_ids`',
  }),
  status: inForm(word(CREATIVE_STATUSES), status),
  starts_at: inside(timeOrNone()),
  ends_at: inside(timeOrNone()),
  meta,
  created_at: time(),
  updated_at: time(),
});

function readMeta(stored: unknown): CreativeMeta {
  const value = readJson<unknown>(stored, {});
  return isMap(value) ? (value as CreativeMeta) : {};
}
