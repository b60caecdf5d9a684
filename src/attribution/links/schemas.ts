import type { Static } from 'typebox';
import {
  dayFilters,
  httpUrl,
  Id,
  listQuery,
  named,
  nullable,
  object,
  oneOf,
  optional,
  recordFilters,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { links, LINK_STATUSES } from './record.js';

const fields = {
  creative_id: optional(nullable(Id)),
  url: optional(Type.Unsafe<string | null>({ anyOf: [httpUrl(), { type: 'null' }] })),
  utm_campaign: optional(Type.Unsafe<string | null>({ anyOf: [text(100), { type: 'null' }] })),
  status: optional(oneOf(...LINK_STATUSES)),
};

export const newLink = Type.Object({ slug: optional(string), affiliate_id: Id, ...fields });
export const ownLink = Type.Object({
  slug: optional(string),
  url: fields.url,
  utm_campaign: fields.utm_campaign,
});
export const linkPatch = Type.Object({ slug: optional(string), affiliate_id: optional(Id), ...fields });
export const linkList = listQuery(20, { ...recordFilters, creative_id: optional(Id) });
export const ownList = listQuery(20, dayFilters);

const { id, slug, ...columns } = links.wire;
export const linkRecord = named('Link', object({ id, slug, link: string, target: string, ...columns }));
export type LinkDto = Static<typeof linkRecord>;
export const LINK_COLUMNS = [
  'id',
  'slug',
  'link',
  'target',
  'affiliate_id',
  'affiliate_name',
  'creative_id',
  'utm_campaign',
  'status',
  'created_at',
] as const;
export const linkSaved = object({ link: linkRecord, message: string });
