import type { TOptional, TUnsafe } from 'typebox';
import {
  anyObject,
  anything,
  array,
  dateTime,
  integer,
  listQuery,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  Type,
  wireIdOf,
} from '../../http/schema.js';
import { CREATIVE_STATUSES, CREATIVE_TYPES, PRIVACIES } from './types.js';

const told = (description: string): TOptional<TUnsafe<unknown>> =>
  optional(Type.Unsafe<unknown>({ description }));

/** Judged by the service: rules across fields, form encoding and filters make one place the judge. */
export const creativeForm = Type.Object({
  name: told('1 to 255 characters; required on create'),
  description: told('At most 5,000 characters'),
  type: told(`One of ${CREATIVE_TYPES.join(', ')}; default image`),
  image: told('http(s) address; required for image and banner'),
  text: told('Required for text and html; html is sanitised, {{affiliate_link}} becomes the tracked address'),
  url: told('Absolute http(s) address the creative leads to; required on create'),
  privacy: told('public or private; private needs affiliate_ids or group_ids'),
  status: told('active, inactive or scheduled'),
  affiliate_ids: told('Affiliates who see a private creative'),
  group_ids: told('Groups whose members see a private creative'),
  meta: told(
    'start_time, end_time (site time), media_width, media_height, media_type, attachment_id, qr_color, qr_bg_color, notes; merged key by key, "" removes a key',
  ),
});

export const creativeList = listQuery(15, { status: optional(anything), type: optional(anything) });
export const portalList = listQuery(15, {});

export const creativeRecord = object({
  id: integer,
  name: string,
  description: nullable(string),
  type: oneOf(...CREATIVE_TYPES),
  image: nullable(string),
  text: nullable(string),
  url: string,
  privacy: oneOf(...PRIVACIES),
  status: oneOf(...CREATIVE_STATUSES),
  affiliate_ids: array(wireIdOf),
  group_ids: array(wireIdOf),
  meta: anyObject,
  title: string,
  content: nullable(string),
  human_updated_at: string,
  created_at: dateTime,
  updated_at: dateTime,
});
export const creativePage = object({ creatives: pageOf(creativeRecord) });
export const creativeAnswer = object({ creative: creativeRecord });
export const creativeSaved = object({ creative: creativeRecord, message: string });
export const message = object({ message: string });

const portalRow = object(
  {
    id: integer,
    name: string,
    description: nullable(string),
    type: oneOf(...CREATIVE_TYPES),
    image: nullable(string),
    text: nullable(string),
    url: string,
    meta: anyObject,
    human_updated_at: string,
    created_at: dateTime,
    updated_at: dateTime,
  },
  { additionalProperties: false },
);
export const portalPage = object({ creatives: pageOf(portalRow) });
export const materialPage = object({
  material: pageOf(
    object({ ...portalRow.properties, link: string, code: string }, { additionalProperties: false }),
  ),
});
