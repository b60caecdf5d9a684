import type { Static } from 'typebox';
import { SUB_IDS } from '../../core/sub-ids.js';
import {
  exportOf,
  integer,
  deferred,
  listQuery,
  named,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  recordFilters,
  sortedBy,
  subIdFilters,
} from '../../platform/http/schema.js';
import { nestedAffiliate, visitWithReferrals } from '../../api-schemas.js';
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

export const visitPage = object({ visits: pageOf(visitRow) });
export const visitTotals = object({ totals: object({ count: integer, converted_count: integer }) });
export type VisitTotals = Static<typeof visitTotals>['totals'];
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
export const visitExport = exportOf('visits', EXPORT_COLUMNS);
