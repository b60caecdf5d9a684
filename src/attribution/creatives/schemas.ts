import type { Static } from 'typebox';
import {
  array,
  dayFilters,
  formOf,
  deferred,
  listQuery,
  named,
  nullable,
  integer,
  object,
  oneOf,
  optional,
  string,
  Type,
} from '../../platform/http/schema.js';
import { wireIdOf } from '../../core/dto-schema.js';
import { creatives, metaSchema } from './record.js';
import { CREATIVE_STATUSES, CREATIVE_TYPES } from './types.js';

/** Checked by the service, because of rules between fields, form encoding and filters. */
const creativeFields = {
  ...formOf(creatives.form),
  text: optional(
    deferred(
      nullable(string),
      'Required for `text` and `html`. HTML is sanitized and must contain {{affiliate_link}}, which is replaced with the affiliate link.',
    ),
  ),
  affiliate_ids: optional(deferred(array(wireIdOf), 'IDs of the affiliates who can see a private creative')),
  group_ids: optional(
    deferred(array(wireIdOf), 'IDs of the groups whose members can see a private creative'),
  ),
  meta: optional(
    deferred(metaSchema, 'Times are in the site\'s time zone. Keys are merged; "" removes a key.'),
  ),
};
export const creativeForm = Type.Object(creativeFields, { demanded: ['name', 'url'] });
export const creativePatch = Type.Object(creativeFields);

export const creativeList = listQuery(15, {
  ...dayFilters,
  status: optional(deferred(oneOf(...CREATIVE_STATUSES))),
  type: optional(deferred(oneOf(...CREATIVE_TYPES))),
});
export const portalList = listQuery(15, dayFilters);

export const creativeRecord = named(
  'Creative',
  object({
    ...creatives.wire,
    affiliate_ids: array(wireIdOf),
    group_ids: array(wireIdOf),
    title: string,
    content: nullable(string),
    human_updated_at: string,
  }),
);
export type CreativeDto = Static<typeof creativeRecord>;
export const CREATIVE_COLUMNS = [
  'id',
  'name',
  'type',
  'status',
  'privacy',
  'url',
  'description',
  'starts_at',
  'ends_at',
  'created_at',
] as const;

const { privacy: _privacy, status: _status, ...shownToAffiliates } = creatives.wire;
export const portalRow = object(
  { ...shownToAffiliates, human_updated_at: string },
  { additionalProperties: false },
);
export type PortalCreativeDto = Static<typeof portalRow>;
export const materialRow = object(
  { ...portalRow.properties, link: string, code: string },
  { additionalProperties: false },
);
export type MaterialDto = Static<typeof materialRow>;

export const pictureStored = object({
  picture: object({
    url: string,
    width: integer,
    height: integer,
    type: oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp'),
  }),
  message: string,
});
