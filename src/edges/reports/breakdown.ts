import { chartBuckets, siteDay } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { ChartDates } from '../../books/rollups/types.js';
import type { Needs } from './needs.js';
import {
  campaignSlots,
  earnedParts,
  earnedSlotsOf,
  groupOfAffiliates,
  type Part,
} from './breakdown-queries.js';
import { campaignClicks, type Span } from './earned-queries.js';
import { spanOf } from './earned.js';
import { listProviders } from './providers.js';
import type { BreakdownQuery, WireBreakdown } from './schemas.js';
import type { BreakdownBy, Sections } from './types.js';

/** The most parts that are listed, highest earnings first. */
const MOST = 100;
/** The name for no campaign, no shop or no group. */
export const NONE = '(none)';
const SITE = 'site_';

type Row = WireBreakdown['rows'][number];
type Days = ReturnType<typeof chartBuckets>;
interface Asked {
  readonly by: BreakdownBy;
  readonly span: Span;
  readonly dates: ChartDates;
  readonly may: Sections;
}

/** The results of campaigns, shops, affiliates or groups in these days; with `of`, one of them day by day. */
export async function breakdown(
  app: Needs,
  { by, of = '', ...dates }: BreakdownQuery,
  may: Sections,
): Promise<WireBreakdown> {
  const { range, span } = await spanOf(app, dates);
  const asked: Asked = { by, span, dates, may };
  const parts = await earnedParts(app.db, by, span, MOST);
  const found = by === 'campaigns' ? await campaignRows(app, span, parts) : await partRows(app, asked, parts);
  const days = chartBuckets(range.start, range.end);
  return {
    currency: span.currency,
    rows: found,
    course: of === '' ? null : await courseOf(app, asked, days, of),
  };
}

/** Campaigns that only have clicks are listed too, most clicks first. */
async function campaignRows(app: Needs, span: Span, parts: readonly Part[]): Promise<Row[]> {
  const earned = new Map(parts.map((part) => [part.of[0], part]));
  return (await campaignClicks(app.db, span)).map(({ name, clicks }) => ({
    key: name === '' ? NONE : name,
    name,
    clicks,
    ...sumsOf(earned.get(name), span.currency),
  }));
}

async function partRows(app: Needs, asked: Asked, parts: readonly Part[]): Promise<Row[]> {
  const keys = parts.map((part) => keyOf(asked.by, part));
  const [names, clicks] = [await namesOf(app, asked.by, keys), await clicksOf(app, asked, keys)];
  return parts.map((part, at) => ({
    key: keys[at]!,
    name: names.get(keys[at]!) ?? '',
    clicks: clicks === null ? null : (clicks.get(keys[at]!) ?? 0),
    ...sumsOf(part, asked.span.currency),
  }));
}

const sumsOf = (part: Part | undefined, currency: string): Omit<Row, 'key' | 'name' | 'clicks'> => ({
  orders: part?.orders ?? 0,
  earnings: toWire(minor(part?.amount ?? 0), currency),
  order_total: toWire(minor(part?.order_total ?? 0), currency),
});

function keyOf(by: BreakdownBy, { of: [first, site] }: Part): string {
  if (by === 'shops' && typeof site === 'string') return SITE + site;
  return first ?? NONE;
}

/** The columns of a part, read from its key. */
function partOf(by: BreakdownBy, key: string): readonly (string | number | null)[] {
  if (by === 'campaigns') return [key === NONE ? '' : key];
  if (by === 'affiliates' || by === 'groups') return [key === NONE ? null : Number(key) || 0];
  if (key.startsWith(SITE)) return [null, key.slice(SITE.length)];
  return [key === NONE ? null : key, null];
}

async function namesOf(
  app: Needs,
  by: BreakdownBy,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = keys.map(Number).filter(Number.isSafeInteger);
  if (by === 'affiliates') {
    const people = await app.affiliates.embed(ids);
    return new Map([...people].map(([id, { user }]) => [String(id), user?.full_name ?? `#${id}`]));
  }
  if (by === 'groups') {
    const groups = await app.groups.findMany(ids);
    return new Map([...groups].map(([id, { meta_key: name }]) => [String(id), name]));
  }
  const providers = await listProviders(app);
  return new Map(keys.map((key) => [key, key === NONE ? '' : (providers[key]?.title ?? key)]));
}

/** Clicks from the daily figures; shops have none, nor do callers who may not see clicks. */
async function clicksOf(
  app: Needs,
  { by, dates, may }: Asked,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number> | null> {
  if (by === 'shops' || !may.visits) return null;
  if (by === 'affiliates') {
    const counts = await app.rollups.visitsOf(keys.map(Number), dates);
    return new Map([...counts].map(([id, visits]) => [String(id), visits]));
  }
  const sums = new Map<string, number>();
  const groups = await groupOfAffiliates(app.db);
  for (const [id, visits] of await app.rollups.visitsOf('all', dates)) {
    const group = String(groups.get(id) ?? NONE);
    sums.set(group, (sums.get(group) ?? 0) + visits);
  }
  return sums;
}

async function courseOf(
  app: Needs,
  asked: Asked,
  days: Days,
  key: string,
): Promise<NonNullable<WireBreakdown['course']>> {
  const { by, span } = asked;
  const { timeZone } = app.host.site();
  const earned = days.labels.map(() => ({ orders: 0, amount: 0 }));
  for (const { at, orders, amount } of await earnedSlotsOf(app.db, by, span, partOf(by, key))) {
    const day = earned[days.indexOf(siteDay(at, timeZone))];
    if (day === undefined) continue;
    day.orders += orders;
    day.amount += amount;
  }
  return {
    labels: days.labels,
    earnings: earned.map(({ amount }) => toWire(minor(amount), span.currency)),
    orders: earned.map(({ orders }) => orders),
    clicks: await clickCourse(app, asked, days, key),
  };
}

async function clickCourse(
  app: Needs,
  { by, span, dates, may }: Asked,
  days: Days,
  key: string,
): Promise<number[] | null> {
  if (by === 'shops' || !may.visits) return null;
  if (by === 'campaigns') {
    const { timeZone } = app.host.site();
    const clicks = days.labels.map(() => 0);
    for (const { at, clicks: more } of await campaignSlots(app.db, span, key === NONE ? '' : key)) {
      const day = days.indexOf(siteDay(at, timeZone));
      if (day >= 0) clicks[day] = (clicks[day] ?? 0) + more;
    }
    return clicks;
  }
  const id = Number(key) || 0;
  const chart = await app.rollups.chart(by === 'groups' ? await membersOf(app, id) : [id], dates, ['visits']);
  return [...(chart.series[0]?.data ?? [])];
}

/** The members of a group, or those in no group. */
async function membersOf(app: Needs, groupId: number): Promise<number[]> {
  const all = [...(await groupOfAffiliates(app.db))];
  return all.filter(([, group]) => (group ?? 0) === groupId).map(([id]) => id);
}
