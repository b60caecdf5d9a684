import type { Static } from 'typebox';
import { SUB_IDS } from '../../core/sub-ids.js';
import {
  integer,
  deferred,
  listQuery,
  named,
  nullable,
  object,
  oneOf,
  optional,
  recordFilters,
  sortedBy,
  subIdFilters,
} from '../../platform/http/schema.js';
import { visitWithReferrals } from '../api-schemas.js';
import { nestedAffiliate } from '../../program/api-schemas.js';
import { visits } from './record.js';

export const visitListQuery = listQuery(10, {
  ...sortedBy(visits),
  ...recordFilters,
  ...subIdFilters,
  convert_status: optional(deferred(oneOf('all', 'converted', 'not_converted'))),
});

/** A row of `GET /visits`. */
export const visitRow = named(
  'VisitWithAffiliate',
  object({ ...visitWithReferrals.properties, affiliate: nullable(nestedAffiliate) }),
);

export type ListedVisitDto = Static<typeof visitRow>;

export const visitTotals = object({ count: integer, converted_count: integer });
export type VisitTotals = Static<typeof visitTotals>;
export const EXPORT_COLUMNS = [
  'id',
  'affiliate_name',
  'url',
  'referrer',
  'utm_campaign',
  'utm_medium',
  'utm_source',
  'converted',
  'created_at',
  ...SUB_IDS,
];
