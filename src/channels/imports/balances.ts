import type { Deps } from './deps.js';
import { earningsOf, paymentsOf, rowsBy } from './repository.js';
import { BalanceSums } from '../../core/imports/balance-sums.js';
import type { BalanceComparison, PaymentComparison } from './types.js';
import type { Migrator } from '../../../adapters/imports.js';
import type { SourceBalance } from '../../core/imports/balance-sums.js';

const NOTHING = { unpaid_minor: 0, processing_minor: 0, paid_minor: 0 };

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
  const here = byPlace(stored);
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

/** Compares the payments of the old system with those stored here, per currency, by id of the source. */
export async function comparePayments(
  app: Deps,
  migrator: Migrator,
  ids: readonly string[],
  { currency, words }: BalanceMapping,
): Promise<Map<string, PaymentComparison[]>> {
  const found = new Map<string, PaymentComparison[]>();
  if (migrator.payments === undefined || ids.length === 0) return found;
  const there = new Map<string, number>();
  for (const { source_id: id, currency: own, minor } of await migrator.payments(ids, currency, words))
    there.set(`${id} ${own}`, minor);
  const sourceIds = await sourceIdsOf(app, migrator, ids);
  const here = new Map<string, number>();
  for (const { affiliate_id: id, currency: own, minor } of await paymentsOf(
    app.db,
    [...sourceIds.keys()],
    migrator.slug,
  ))
    here.set(`${sourceIds.get(id) ?? ''} ${own}`, minor);
  for (const place of [...new Set([...there.keys(), ...here.keys()])].sort()) {
    const at = place.lastIndexOf(' ');
    const [source, now] = [there.get(place) ?? 0, here.get(place) ?? 0];
    const list = found.get(place.slice(0, at)) ?? [];
    found.set(place.slice(0, at), list);
    list.push({
      currency: place.slice(at + 1),
      source_minor: source,
      here_minor: now,
      differs: source !== now,
    });
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
export async function storedBalances(
  app: Deps,
  migrator: Migrator,
  ids: readonly string[],
): Promise<SourceBalance[]> {
  const sourceIds = await sourceIdsOf(app, migrator, ids);
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
