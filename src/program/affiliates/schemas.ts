import type { Static, TSchema } from 'typebox';
import {
  array,
  boolean,
  dateTime,
  day,
  filterWord,
  flag,
  formOf,
  Id,
  integer,
  deferred,
  listQuery,
  mapOf,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  recordFilters,
  sortedBy,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { card } from '../../platform/http/responses.js';
import { affiliateRecord, response, balanceList } from '../api-schemas.js';
import { MERGED_PARTS } from './contributions.js';
import { OPERATORS } from './filters.js';
import { affiliates, BALANCE_COLUMNS, EXPORT_COLUMNS } from './record.js';

const anyValue = Type.Unsafe<unknown>({});
const balanceColumns = Object.fromEntries(BALANCE_COLUMNS.map((column) => [column, number]));

/**
 * The service checks writes: which rules apply depends on other fields, on the stored row and on the payout
 * method.
 */
const { user_id, ...columns } = formOf(affiliates.form);
const form = {
  ...columns,
  bank_details: optional(
    deferred(nullable(string), 'At most 5,000 characters. Used if affiliates are paid by bank transfer.'),
  ),
  custom_fields: optional(deferred(mapOf(anyValue), 'Fields added by extensions (docs/extensions.md)')),
};
export const affiliateForm = Type.Object(
  { user_id, ...form },
  { demanded: ['user_id', 'rate_type', 'status'] },
);
export const affiliatePatch = Type.Object(form);
export const statusBody = Type.Object(
  {
    status: form.status,
    /** Sent by mail to an applicant who is rejected, and stored in the history. */
    reason: optional(text(1000)),
  },
  { demanded: ['status'] },
);

/** The other account of the same person, which is merged into the one in the path. */
export const mergeBody = Type.Object({ other_id: Id });
export const mergeParams = Type.Object({ id: Id, other_id: Id });
export const mergePreview = named(
  'MergePreview',
  object({
    kept: affiliateRecord,
    merged: affiliateRecord,
    /** What would move. */
    moved: array(object({ part: oneOf(...MERGED_PARTS), count: integer })),
    /** The sum of both, in the program's currency. */
    total_earnings: number,
    unpaid_earnings: number,
    /** The remaining one has no group and joins that of the other. */
    takes_group: boolean,
    /** Why they cannot be merged now. */
    refusal: nullable(object({ code: string, message: string })),
  }),
);
export type MergePreviewDto = Static<typeof mergePreview>;
export const mergePreviewResponse = object({ merge: mergePreview });

const filterValue = Type.Unsafe<unknown>({
  anyOf: [
    { type: ['number', 'string'] },
    { type: 'array', items: { type: ['number', 'string'] }, maxItems: 1000 },
  ],
});
export const affiliateList = listQuery(20, {
  ...recordFilters,
  ...sortedBy(affiliates),
  status: optional(deferred(affiliates.wire.status, 'One value or a list')),
  /** Only those who asked for the deletion of their data, or only the others. */
  asks_deletion: optional(flag),
  filters: optional(
    deferred(
      mapOf(object({ operator: oneOf(...OPERATORS), value: filterValue })),
      `By ${Object.keys(affiliates.filters).join(', ')} or group`,
    ),
  ),
});
export const nestedList = listQuery(10, { ...recordFilters, status: filterWord });
export const chartDates = Type.Object({ start_date: optional(day), end_date: optional(day) });

export const affiliateTotals = object({
  count: integer,
  total_earnings: number,
  unpaid_earnings: number,
  balances: balanceList,
});
export type AffiliateTotals = Static<typeof affiliateTotals>;
export const affiliateSaved = object({ message: string, affiliate: affiliateRecord });
// Cards and coupons come from extensions, which may add keys.
const widget = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    { title: optional(string), content: optional(string), action: optional(string) },
    { additionalProperties: true },
  ),
);
const coupon = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object({ code: optional(string), edit_url: optional(string) }, { additionalProperties: true }),
);
export const affiliateDetails = named(
  'AffiliateDetails',
  object({
    ...affiliateRecord.properties,
    widgets: array(widget),
    attached_coupons: array(coupon),
    share_url: string,
    custom_field_details: array(object({ label: string, value: response })),
    deletion_asked_at: nullable(dateTime),
    /** Earnings in other currencies than the program's, by the code of the currency. */
    by_currency: optional(mapOf(object({ total_earnings: number, unpaid_earnings: number }))),
  }),
);
export type AffiliateDetailsDto = Static<typeof affiliateDetails>;
export const affiliateView = object({
  affiliate: affiliateDetails,
});

const exported: Readonly<Record<string, TSchema>> = {
  ...affiliates.wire,
  ...balanceColumns,
  full_name: string,
  email: string,
  created_at: string,
  login: string,
  group: nullable(string),
};
export const affiliateExport = object({
  affiliates: array(
    Type.Object(Object.fromEntries(EXPORT_COLUMNS.map((column) => [column, exported[column] ?? string]))),
  ),
  limited: boolean,
  total: integer,
});
export const statsResponse = object({
  stats: mapOf(card),
});
