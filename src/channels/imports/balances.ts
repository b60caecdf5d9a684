import type { Deps } from './deps.js';
import { earningsOf, paymentsOf, rowsBy } from './repository.js';
import { BalanceSums, type SourceBalance } from '../../core/imports/balance-sums.js';
import type { BalanceComparison, PaymentComparison } from './types.js';
import type { Migrator } from '../../../adapters/imports.js';

type Figures = BalanceComparison['source'];
const NOTHING: Figures = { unpaid_minor: 0, processing_minor: 0, paid_minor: 0 };
const FIGURES = Object.keys(NOTHING) as readonly (keyof Figures)[];

interface BalanceMapping {
  readonly currency: string;
  readonly words: Readonly<Record<string, string>>;
}

/** Compares the balances of the old system with the imported ones, per currency, by id of the source. */
export async function compareBalances(
  migrator: Migrator,
  ids: readonly string[],
  stored: readonly SourceBalance[],
  { currency, words }: BalanceMapping,
): Promise<Map<string, BalanceComparison[]>> {
  if (migrator.balances === undefined || ids.length === 0) return new Map();
  const source = byPlace(await migrator.balances(ids, currency, words));
  return comparePlaces(source, byPlace(stored), NOTHING, (own, there, here) => ({
    currency: own,
    source: figures(there),
    here: figures(here),
    differs: FIGURES.some((figure) => there[figure] !== here[figure]),
  }));
}

/** Compares the payments of the old system with those stored here, per currency, by id of the source. */
export async function comparePayments(
  app: Deps,
  migrator: Migrator,
  ids: readonly string[],
  { currency, words }: BalanceMapping,
): Promise<Map<string, PaymentComparison[]>> {
  if (migrator.payments === undefined || ids.length === 0) return new Map();
  const there = (await migrator.payments(ids, currency, words)).map(
    ({ source_id: id, currency: own, minor }) => [`${id} ${own}`, minor] as const,
  );
  const sourceIds = await sourceIdsOf(app, migrator, ids);
  const here = (await paymentsOf(app.db, [...sourceIds.keys()], migrator.slug)).map(
    ({ affiliate_id: id, currency: own, minor }) => [`${sourceIds.get(id) ?? ''} ${own}`, minor] as const,
  );
  return comparePlaces(new Map(there), new Map(here), 0, (own, source, now) => ({
    currency: own,
    source_minor: source,
    here_minor: now,
    differs: source !== now,
  }));
}

/** Compares both sides of each affiliate and currency, by id of the source; `none` where a side has nothing. */
function comparePlaces<T, C>(
  source: ReadonlyMap<string, T>,
  here: ReadonlyMap<string, T>,
  none: T,
  compare: (currency: string, source: T, here: T) => C,
): Map<string, C[]> {
  const found = new Map<string, C[]>();
  for (const place of [...new Set([...source.keys(), ...here.keys()])].sort()) {
    const at = place.lastIndexOf(' ');
    const [id, currency] = [place.slice(0, at), place.slice(at + 1)];
    const compared = compare(currency, source.get(place) ?? none, here.get(place) ?? none);
    found.set(id, [...(found.get(id) ?? []), compared]);
  }
  return found;
}

const figures = (balance: Figures): Figures => ({
  unpaid_minor: balance.unpaid_minor,
  processing_minor: balance.processing_minor,
  paid_minor: balance.paid_minor,
});

const byPlace = (balances: readonly SourceBalance[]): Map<string, Figures> =>
  new Map(balances.map((balance) => [`${balance.source_id} ${balance.currency}`, balance]));

/** Counts imported commissions only: what was earned here since does not belong to the old system. */
export async function storedBalances(
  app: Deps,
  migrator: Migrator,
  ids: readonly string[],
): Promise<SourceBalance[]> {
  const sourceIds = await sourceIdsOf(app, migrator, ids);
  const sums = new BalanceSums();
  const earnings = await earningsOf(app.db, [...sourceIds.keys()], migrator.slug);
  for (const { affiliate_id: id, currency, counted, minor } of earnings)
    sums.add(sourceIds.get(id) ?? '', currency, counted, minor);
  return sums.list();
}

/** Our affiliate → its id in the source. */
async function sourceIdsOf(
  app: Deps,
  { slug }: Migrator,
  ids: readonly string[],
): Promise<Map<number, string>> {
  const keys = ids.map((id) => `${slug}:${id}`);
  const affiliates = await rowsBy(app.db, 'affiliates', 'source_key', keys, ['id', 'source_key']);
  return new Map(
    affiliates.map((row) => [Number(row['id']), String(row['source_key']).slice(slug.length + 1)]),
  );
}
