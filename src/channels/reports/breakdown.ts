import { chartBuckets, siteDay } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { ChartDates } from '../../accounting/rollups/types.js';
import type { Deps } from './deps.js';
import {
  earnedParts,
  earnedSlotsOf,
  groupOfAffiliates,
  namedSlots,
  type Part,
  type Slot,
} from './breakdown-queries.js';
import { productParts, productSlots } from './product-queries.js';
import { namedClicks, type Span } from './earned-queries.js';
import { spanOf } from './earned.js';
import { listProviders } from './providers.js';
import type { BreakdownQuery, BreakdownDto } from './schemas.js';
import { isNamedInLinks, NAMED_IN_LINKS, type ColumnBreakdown, type Sections } from './types.js';

/** The most parts that are listed for their earnings, and the most of the others for their clicks. */
const MOST = 100;
/** The name for no campaign, no sub id, no shop or no group. */
export const NONE = '(none)';
const SITE = 'site_';

type Row = BreakdownDto['rows'][number];
type Days = ReturnType<typeof chartBuckets>;
interface BreakdownRequest {
  readonly by: ColumnBreakdown;
  readonly span: Span;
  readonly dates: ChartDates;
  readonly may: Sections;
}

/** The results of campaigns, sub ids, shops, affiliates or groups in these days; with `of`, one of them day by day. */
export async function breakdown(
  app: Deps,
  { by, of = '', ...dates }: BreakdownQuery,
  may: Sections,
): Promise<BreakdownDto> {
  const { range, span } = await spanOf(app, dates);
  const days = chartBuckets(range.start, range.end);
  if (by === 'products') return products(app, span, days, of);
  const asked: BreakdownRequest = { by, span, dates, may };
  return {
    currency: span.currency,
    rows: await partRows(app, asked),
    course: of === '' ? null : await courseOf(app, asked, days, of),
  };
}

/** What was only clicked is listed after what earned, most clicks first. */
async function partRows(app: Deps, asked: BreakdownRequest): Promise<Row[]> {
  const { by, span } = asked;
  const parts = await earnedParts(app.db, by, span, { limit: MOST });
  const listed = parts.map((part) => keyOf(by, part));
  const clicks = await clicksOf(app, asked, listed);
  const clicked = [...(clicks?.keys() ?? [])].filter((key) => !listed.includes(key));
  const earned = new Map(parts.map((part, at) => [listed[at]!, part]));
  // fewer parts than the limit are all that earned
  if (parts.length === MOST && clicked.length > 0) {
    const among = clicked.map((key) => partOf(by, key)[0] ?? null);
    for (const part of await earnedParts(app.db, by, span, { limit: MOST, among }))
      earned.set(keyOf(by, part), part);
  }
  const keys = [...listed, ...clicked];
  const names = await namesOf(app, by, keys);
  return keys.map((key) => ({
    key,
    name: names.get(key) ?? '',
    clicks: clicks === null ? null : (clicks.get(key) ?? 0),
    ...sumsOf(earned.get(key), span.currency),
  }));
}

/** Between the shop and the id of a product in a key; no name of a shop has it. */
const IN_SHOP = ':';

async function products(app: Deps, span: Span, days: Days, of: string): Promise<BreakdownDto> {
  const parts = await productParts(app.db, span, MOST);
  return {
    currency: span.currency,
    rows: parts.map((part) => ({
      key: `${part.provider}${IN_SHOP}${part.product}`,
      name: part.title === '' ? part.product : part.title,
      clicks: null,
      ...sumsOf(part, span.currency),
    })),
    course: of === '' ? null : await productCourse(app, span, days, of),
  };
}

async function productCourse(
  app: Deps,
  span: Span,
  days: Days,
  key: string,
): Promise<NonNullable<BreakdownDto['course']>> {
  const at = key.indexOf(IN_SHOP);
  const one = { provider: key.slice(0, Math.max(0, at)), product: key.slice(at + 1) };
  return { ...daily(app, days, span, await productSlots(app.db, span, one)), clicks: null };
}

const sumsOf = (
  part: Pick<Part, 'orders' | 'amount' | 'order_total'> | undefined,
  currency: string,
): Omit<Row, 'key' | 'name' | 'clicks'> => ({
  orders: part?.orders ?? 0,
  earnings: toWire(minor(part?.amount ?? 0), currency),
  order_total: toWire(minor(part?.order_total ?? 0), currency),
});

function keyOf(by: ColumnBreakdown, { of: [first, site] }: Part): string {
  if (by === 'shops' && typeof site === 'string') return SITE + site;
  return first || NONE; // a click without a name has '' or null
}

/** The columns of a part, read from its key. */
function partOf(by: ColumnBreakdown, key: string): readonly (string | number | null)[] {
  if (isNamedInLinks(by)) return [key === NONE ? '' : key];
  if (by === 'affiliates' || by === 'groups') return [key === NONE ? null : Number(key) || 0];
  if (key.startsWith(SITE)) return [null, key.slice(SITE.length)];
  return [key === NONE ? null : key, null];
}

async function namesOf(
  app: Deps,
  by: ColumnBreakdown,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (isNamedInLinks(by)) return new Map(keys.map((key) => [key, key === NONE ? '' : key]));
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

/**
 * Clicks of the listed parts and of the others that had most, from the daily figures except for names in links. Shops
 * have none; callers who may not see clicks get null.
 */
async function clicksOf(
  app: Deps,
  { by, dates, span, may }: BreakdownRequest,
  listed: readonly string[],
): Promise<ReadonlyMap<string, number> | null> {
  if (by === 'shops' || !may.visits) return null;
  if (isNamedInLinks(by)) {
    const names = listed.map((key) => (key === NONE ? '' : key));
    const counts = await namedClicks(app.db, span, { column: NAMED_IN_LINKS[by], names });
    return new Map(counts.map(({ name, clicks }) => [name === '' ? NONE : name, clicks]));
  }
  if (by === 'affiliates') {
    const ids = listed.map(Number).filter(Number.isSafeInteger);
    const others = await app.rollups.mostVisited(dates, { except: ids, limit: MOST });
    const counts = [...(await app.rollups.visitsOf(ids, dates)), ...others];
    return new Map(counts.map(([id, visits]) => [String(id), visits]));
  }
  const sums = new Map<string, number>();
  const groups = await groupOfAffiliates(app.db);
  for (const [id, visits] of await app.rollups.visitsOf('all', dates)) {
    const group = String(groups.get(id) ?? NONE);
    sums.set(group, (sums.get(group) ?? 0) + visits);
  }
  const others = [...sums]
    .filter(([group, visits]) => visits > 0 && !listed.includes(group))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST);
  return new Map([...listed.map((group) => [group, sums.get(group) ?? 0] as const), ...others]);
}

async function courseOf(
  app: Deps,
  asked: BreakdownRequest,
  days: Days,
  key: string,
): Promise<NonNullable<BreakdownDto['course']>> {
  const { by, span } = asked;
  const slots = await earnedSlotsOf(app.db, by, span, partOf(by, key));
  return { ...daily(app, days, span, slots), clicks: await clickCourse(app, asked, days, key) };
}

/** The sums of each day on the site's clock. */
function daily(
  app: Deps,
  days: Days,
  { currency }: Span,
  slots: readonly Slot[],
): Omit<NonNullable<BreakdownDto['course']>, 'clicks'> {
  const { timeZone } = app.host.site();
  const earned = days.labels.map(() => ({ orders: 0, amount: 0 }));
  for (const { at, orders, amount } of slots) {
    const day = earned[days.indexOf(siteDay(at, timeZone))];
    if (day === undefined) continue;
    day.orders += orders;
    day.amount += amount;
  }
  return {
    labels: [...days.labels],
    earnings: earned.map(({ amount }) => toWire(minor(Math.round(amount)), currency)),
    orders: earned.map(({ orders }) => orders),
  };
}

async function clickCourse(
  app: Deps,
  { by, span, dates, may }: BreakdownRequest,
  days: Days,
  key: string,
): Promise<number[] | null> {
  if (by === 'shops' || !may.visits) return null;
  if (isNamedInLinks(by)) {
    const named = { column: NAMED_IN_LINKS[by], name: key === NONE ? '' : key };
    const { timeZone } = app.host.site();
    const clicks = days.labels.map(() => 0);
    for (const { at, clicks: more } of await namedSlots(app.db, span, named)) {
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
async function membersOf(app: Deps, groupId: number): Promise<number[]> {
  const all = [...(await groupOfAffiliates(app.db))];
  return all.filter(([, group]) => (group ?? 0) === groupId).map(([id]) => id);
}
