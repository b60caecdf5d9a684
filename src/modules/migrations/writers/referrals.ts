import type { Db, Row } from '../../../database/db.js';
import type { Batch } from '../batch.js';
import {
  addCounters,
  idsByKey,
  insertRows,
  noChange,
  rowsBy,
  setIds,
  type CounterDelta,
} from '../repository.js';
import type { SourceReferral } from '../types.js';
import { isBlank, readAmount, readCurrency, readRef, readText, readTree, roundingOf } from '../values.js';

const STATUSES = new Set(['paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing']);
const MAX_JSON = 65_000;
const TYPES = new Set(['sale', 'opt_in', 'payment', 'recurring_sale', 'lifetime_sale', 'lead', 'adjustment']);

interface Judged {
  readonly row: SourceReferral;
  readonly status: string;
  readonly currency: string;
  readonly amount: number;
  readonly rounding: bigint;
}
interface Known {
  readonly ids: ReadonlyMap<string, number>;
  readonly affiliates: ReadonlyMap<string, number>;
  readonly parents: Map<string, Parent>;
  /** Orders that are credited already. */
  readonly orders: Set<string>;
}
interface Parent {
  readonly amount: number;
  readonly currency: string;
}

/** Commissions with their counters, ledger entries and day figures. Paid ones stand outside our payouts until the payouts stage. */
export async function writeReferrals(batch: Batch, trx: Db, rows: readonly SourceReferral[]): Promise<void> {
  const keysOf = (refs: readonly unknown[]): string[] =>
    refs
      .map(readRef)
      .filter((ref) => ref !== null)
      .map((ref) => batch.key(ref));
  const affiliates = await idsByKey(trx, 'affiliates', keysOf(rows.map((row) => row.affiliate_id)));
  await batch.app.ledger.lock(trx, ...affiliates.values());
  const known: Known = {
    affiliates,
    ids: await idsByKey(trx, 'referrals', [
      ...rows.map((row) => batch.key(row.id)),
      ...keysOf(rows.map((row) => row.parent_id)),
    ]),
    parents: await findParents(trx, keysOf(rows.map((row) => row.parent_id))),
    orders: await findOrders(
      trx,
      rows.map((row) => orderKey(batch, row)),
    ),
  };
  const fresh: Row[] = [];
  for (const row of rows) {
    const judged = judge(batch, row);
    if (typeof judged === 'string') batch.skip(row, judged);
    else take(batch, judged, known, fresh);
  }
  await insertRows(
    trx,
    'referrals',
    fresh.map(({ parent_key: _parent, ...row }) => row),
  );
  const ids = await idsByKey(trx, 'referrals', [
    ...known.ids.keys(),
    ...fresh.map((row) => String(row['source_key'])),
  ]);
  await linkParents(trx, fresh, ids);
  await post(batch, trx, fresh, ids);
}

async function findParents(trx: Db, keys: readonly string[]): Promise<Map<string, Parent>> {
  const rows = await rowsBy(trx, 'referrals', 'source_key', keys, ['source_key', 'amount_minor', 'currency']);
  return new Map(
    rows.map((row) => [
      String(row['source_key']),
      { amount: Number(row['amount_minor']), currency: String(row['currency']) },
    ]),
  );
}

/** So that an order reported again later is known; a second row of one order stands without the key. */
function orderKey(batch: Batch, row: SourceReferral): string | null {
  const [provider, reference] = [readText(row.provider, 100), readText(row.provider_id, 191)];
  return provider === null || reference === null
    ? null
    : batch.app.conversions.keyOf(provider, { reference, sub_reference: readText(row.provider_sub_id, 192) });
}

async function findOrders(trx: Db, keys: readonly (string | null)[]): Promise<Set<string>> {
  const rows = await rowsBy(
    trx,
    'referrals',
    'dedup_key',
    keys.filter((key) => key !== null),
    ['dedup_key'],
  );
  return new Set(rows.map((row) => String(row['dedup_key'])));
}

/** What the row is worth, or why it can not be read. */
function judge(batch: Batch, row: SourceReferral): Judged | string {
  const given = readCurrency(row.currency);
  if (given === null && !isBlank(row.currency)) batch.note(row, 'currency_unknown');
  const currency = given ?? batch.currency;
  const amount = readAmount(row.amount, currency);
  if (amount === null) return row.problem ?? 'amount_unusable';
  const status = STATUSES.has(row.status) ? row.status : 'pending';
  if (status !== row.status) batch.note(row, 'status_unknown');
  return { row, status, currency, amount, rounding: roundingOf(row.amount, amount, currency) };
}

function take(batch: Batch, judged: Judged, known: Known, fresh: Row[]): void {
  const { row, status, currency, amount, rounding } = judged;
  const affiliateId = known.affiliates.get(batch.key(readRef(row.affiliate_id) ?? ''));
  const reason =
    row.problem ?? (affiliateId === undefined ? 'affiliate_missing' : refusal(batch, judged, known));
  const outcome = known.ids.has(batch.key(row.id)) ? 'existing' : reason === null ? 'imported' : 'skipped';
  batch.sum(status, currency, outcome, amount, rounding);
  if (outcome === 'skipped') batch.skip(row, reason ?? '');
  else batch.count(row, outcome);
  if (outcome !== 'imported') return;
  known.parents.set(batch.key(row.id), { amount, currency });
  const order = orderKey(batch, row);
  fresh.push({
    ...toRow(batch, judged, affiliateId ?? null),
    dedup_key: order === null || known.orders.has(order) ? null : order,
  });
  if (order !== null) known.orders.add(order);
}

/** A negative amount is a correction of a commission, and never more than all of it (reliability I13). */
function refusal(batch: Batch, { row, currency, amount }: Judged, known: Known): string | null {
  if (amount >= 0) return null;
  const parent = known.parents.get(batch.key(readRef(row.parent_id) ?? ''));
  if (parent === undefined) return 'negative_without_commission';
  return parent.currency !== currency || amount < -parent.amount ? 'negative_beyond_commission' : null;
}

function toRow(batch: Batch, { row, status, currency, amount }: Judged, affiliateId: number | null): Row {
  const created = batch.time(row);
  const total = readAmount(row.order_total, currency);
  const parent = readRef(row.parent_id);
  return {
    affiliate_id: affiliateId,
    description: readText(row.description, 500),
    status,
    amount_minor: amount,
    order_total_minor: total,
    currency,
    utm_campaign: readText(row.utm_campaign, 100),
    provider: readText(row.provider, 100),
    provider_id: readText(row.provider_id, 191),
    provider_sub_id: readText(row.provider_sub_id, 192),
    products: storedJson(batch, row, 'products'),
    paid_elsewhere: status === 'paid' ? 1 : 0,
    type: TYPES.has(String(row.type)) ? String(row.type) : 'sale',
    settings: storedJson(batch, row, 'settings'),
    source_key: batch.key(row.id),
    created_at: created,
    updated_at: created,
    parent_key: parent === null ? null : batch.key(parent),
  };
}

/** A structure as JSON text; one that is too long is left out whole, for a part of it would be none. Settings of old systems keep a place of their own. */
function storedJson(batch: Batch, row: SourceReferral, column: 'products' | 'settings'): string | null {
  const value = row[column];
  const fits =
    column === 'products'
      ? Array.isArray(value)
      : typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!fits) return null;
  const text = JSON.stringify(column === 'products' ? readTree(value) : { source: readTree(value) });
  if (text.length <= MAX_JSON) return text;
  batch.note(row, `${column}_too_long`);
  return null;
}

/** Parents come before their corrections in every source; one that is missing leaves the row on its own. */
async function linkParents(trx: Db, fresh: readonly Row[], ids: ReadonlyMap<string, number>): Promise<void> {
  const pairs = new Map<number, number>();
  for (const row of fresh) {
    const parent = row['parent_key'] === null ? undefined : ids.get(String(row['parent_key']));
    const id = ids.get(String(row['source_key']));
    if (parent !== undefined && id !== undefined && parent !== id) pairs.set(id, parent);
  }
  await setIds(trx, 'referrals', 'parent_id', pairs);
}

async function post(
  batch: Batch,
  trx: Db,
  fresh: readonly Row[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const deltas = new Map<number, CounterDelta>();
  const entries: Row[] = [];
  for (const row of fresh) {
    const affiliateId = Number(row['affiliate_id']);
    const delta = deltas.get(affiliateId) ?? noChange();
    const amount = Number(row['amount_minor']);
    const total = row['status'] === 'paid' || row['status'] === 'unpaid' ? amount : 0;
    const unpaid = row['status'] === 'unpaid' ? amount : 0;
    delta.referrals += 1;
    if (row['currency'] === batch.currency) {
      // earnings count in the program currency only (reliability I1)
      delta.total += total;
      delta.unpaid += unpaid;
    }
    deltas.set(affiliateId, delta);
    if (total === 0) continue;
    entries.push({
      affiliate_id: affiliateId,
      referral_id: ids.get(String(row['source_key'])) ?? null,
      payout_id: null,
      transaction_id: null,
      kind: 'earned',
      currency: row['currency'],
      total_delta_minor: total,
      unpaid_delta_minor: unpaid,
      actor_id: null,
      reason: 'import',
      created_at: row['created_at'],
    });
  }
  await insertRows(trx, 'ledger_entries', entries);
  await addCounters(trx, deltas);
  await batch.app.ledger.countNew(
    trx,
    fresh.flatMap((row) => ids.get(String(row['source_key'])) ?? []),
  );
  await batch.app.rollups.add(
    trx,
    ...fresh.map((row) => ({
      affiliateId: Number(row['affiliate_id']),
      at: Number(row['created_at']),
      referrals: 1,
    })),
  );
}
