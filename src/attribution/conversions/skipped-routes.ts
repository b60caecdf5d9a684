import { dayRange, dayStart, dayText, parseDay, siteDay, toIso } from '../../core/dates.js';
import { pageEnvelope } from '../../core/page.js';
import { fail } from '../../errors.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import type { Deps } from './deps.js';
import type { ConversionsService } from './service.js';
import { SKIP_REASONS as ORDER_REASONS, type SkipReason as OrderReason } from './types.js';
import { skippedQuery, skippedResponse, type SkippedResponse } from './schemas.js';
import { SKIP_REASONS as CLICK_REASONS, type SkipReason as ClickReason } from '../tracking/types.js';

export interface RouteDeps extends Deps {
  readonly conversions: ConversionsService;
}
const defineRoute = routesFor<RouteDeps>('settings');

/** Clicks are counted by tracking, orders by this module; the response contains both. */
export const skippedRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'settings.tracking_skipped',
    method: 'get',
    paths: ['/settings/tracking/skipped'],
    access: policies.settings,
    summary: "List clicks and orders that weren't credited, with the reasons",
    query: skippedQuery,
    response: skippedResponse,
    handler: ({ app, query, request }) =>
      skippedReport({ app, conversions: app.conversions }, query, request.url),
  }),
];

interface SkippedQuery {
  readonly start_date?: string;
  readonly end_date?: string;
  readonly reason?: string;
  readonly provider?: string;
  readonly page: number;
  readonly per_page: number;
}

/** How often a reason was counted on a day; the day as number or text. */
interface Hits<R, D = number> {
  readonly day: D;
  readonly reason: R;
  readonly hits: number;
}

const DAYS = 30;
const MAX_DAYS = 400;

/**
 * Reports why nothing was credited. Ignored clicks and orders without an affiliate are counts per site day;
 * other refused orders are listed one by one. The default range is the last 30 days; a range longer than the
 * retention of the counts is shortened.
 */
async function skippedReport(
  { app, conversions }: { readonly app: Deps; readonly conversions: ConversionsService },
  query: SkippedQuery,
  url: string,
): Promise<SkippedResponse> {
  const { timeZone } = app.host.site();
  const days = rangeOf(app, query);
  const { reason = null, provider = null } = query;
  const filter = {
    from: dayStart(days.from, timeZone),
    to: dayStart(days.to + 1, timeZone),
    reason,
    provider,
  };
  const wanted = <R extends string>(rows: readonly Hits<R>[]): Hits<R, string>[] =>
    rows
      .filter((row) => reason === null || row.reason === reason)
      .map((row) => ({ ...row, day: dayText(row.day) }));
  const page = await conversions.skipped(filter, query);
  return {
    clicks: wanted((await app.tracking.skipped(days)) as Hits<ClickReason>[]),
    orders: wanted((await app.tracking.skipped(days, 'conversion')) as Hits<OrderReason>[]),
    orders_by_reason: await conversions.skippedByReason(filter),
    skipped: pageEnvelope(url, {
      ...page,
      rows: page.rows.map((row) => ({ ...row, created_at: toIso(row.created_at) })),
    }),
    reasons: { clicks: CLICK_REASONS, orders: ORDER_REASONS },
  };
}

function rangeOf(
  app: Deps,
  { start_date: start, end_date: end }: SkippedQuery,
): { from: number; to: number } {
  const today = siteDay(app.clock.now(), app.host.site().timeZone);
  const last = (end ? parseDay(end) : null) ?? today;
  const range = dayRange(start, end, { start: last - DAYS + 1, end: last }) ?? fail('invalid_date_range');
  return { from: Math.max(range.start, range.end - MAX_DAYS + 1), to: range.end };
}
