import type { Static } from 'typebox';
import {
  array,
  judged,
  listQuery,
  named,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  Type,
} from '../../platform/http/schema.js';
import { wireIdOf } from '../../wire-records.js';
import { creatives, metaSchema } from './record.js';
import { CREATIVE_STATUSES, CREATIVE_TYPES, PRIVACIES } from './types.js';

/** Judged by the service: rules across fields, form encoding and filters make one place the judge. */
export const creativeForm = Type.Object({
  name: optional(judged(string, '1 to 255 characters; required on create')),
  description: optional(judged(nullable(string), 'At most 5,000 characters')),
  type: optional(judged(oneOf(...CREATIVE_TYPES), 'image unless given')),
  image: optional(judged(nullable(string), 'http(s) address; required for image and banner')),
  text: optional(
    judged(
      nullable(string),
      'Required for text and html; html is sanitised, {{affiliate_link}} becomes the tracked address',
    ),
  ),
  url: optional(judged(string, 'Absolute http(s) address the creative leads to; required on create')),
  privacy: optional(judged(oneOf(...PRIVACIES), 'private needs affiliate_ids or group_ids')),
  status: optional(judged(oneOf('active', 'inactive', 'scheduled'))),
  affiliate_ids: optional(judged(array(wireIdOf), 'Affiliates who see a private creative')),
  group_ids: optional(judged(array(wireIdOf), 'Groups whose members see a private creative')),
  meta: optional(judged(metaSchema, 'Times in the zone of the site; merged key by key, "" removes a key')),
});

export const creativeList = listQuery(15, {
  status: optional(judged(oneOf(...CREATIVE_STATUSES))),
  type: optional(judged(oneOf(...CREATIVE_TYPES))),
});
export const portalList = listQuery(15, {});

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
export type WireCreative = Static<typeof creativeRecord>;
export const creativePage = object({ creatives: pageOf(creativeRecord) });
export const creativeAnswer = object({ creative: creativeRecord });
export const creativeSaved = object({ creative: creativeRecord, message: string });

const { privacy: _privacy, status: _status, ...shownToAffiliates } = creatives.wire;
const portalRow = object({ ...shownToAffiliates, human_updated_at: string }, { additionalProperties: false });
export type WirePortalCreative = Static<typeof portalRow>;
export const portalPage = object({ creatives: pageOf(portalRow) });
const materialRow = object(
  { ...portalRow.properties, link: string, code: string },
  { additionalProperties: false },
);
export type WireMaterial = Static<typeof materialRow>;
export const materialPage = object({ material: pageOf(materialRow) });
