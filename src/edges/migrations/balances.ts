import type { Needs } from './needs.js';
import { earningsOf, rowsBy } from './repository.js';
import { BalanceSums } from './sources/source.js';
import type { BalanceComparison, Migrator, SourceBalance } from './types.js';

const NOTHING = { unpaid_minor: 0, processing_minor: 0, paid_minor: 0 };

/** Compares the balances of the old system with the imported ones, per currency, by id of the source. */
export async function compareBalances(
  app: Needs,
  migrator: Migrator,
  ids: readonly string[],
  { currency, words }: { readonly currency: string; readonly words: Readonly<Record<string, string>> },
): Promise<Map<string, BalanceComparison[]>> {
  if (migrator.balances === undefined || ids.length === 0) return new Map();
  const source = byPlace(await migrator.balances(ids, currency, words));
  const here = byPlace(await storedBalances(app, migrator, ids));
  const found = new Map<string, BalanceComparison[]>();
  for (const place of [...new Set([...source.keys(), ...here.keys()])].sort()) {
    const [there, now] = [source.get(place) ?? NOTHING, here.get(place) ?? NOTHING];
    const at = place.lastIndexOf(' ');
    const id = place.slice(0, at);
    const differs = (Object.keys(NOTHING) as (keyof typeof NOTHING)[]).some(
      (name) => there[name] !== now[name],
    );
    const list = found.get(id) ?? [];
    found.set(id, list);
    list.push({ currency: place.slice(at + 1), source: figures(there), here: figures(now), differs });
  }
  return found;
}

const figures = ({ unpaid_minor, processing_minor, paid_minor }: typeof NOTHING): typeof NOTHING => ({
  unpaid_minor,
  processing_minor,
  paid_minor,
});

const byPlace = (balances: readonly SourceBalance[]): Map<string, SourceBalance> =>
  new Map(balances.map((balance) => [`${balance.source_id} ${balance.currency}`, balance]));

/** Counts imported commissions only: what was earned here since does not belong to the old system. */
async function storedBalances(
  app: Needs,
  migrator: Migrator,
  ids: readonly string[],
): Promise<SourceBalance[]> {
  const keyOf = (id: string): string => `${migrator.slug}:${id}`;
  const affiliates = await rowsBy(app.db, 'affiliates', 'source_key', ids.map(keyOf), ['id', 'source_key']);
  const sourceIds = new Map(
    affiliates.map((row) => [Number(row['id']), String(row['source_key']).slice(migrator.slug.length + 1)]),
  );
  const sums = new BalanceSums();
  const { db } = app;
  for (const { affiliate_id: id, currency, counted, minor } of await earningsOf(
    db,
    [...sourceIds.keys()],
    migrator.slug,
  ))
    sums.add(sourceIds.get(id) ?? '', currency, counted, minor);
  return sums.list();
}
