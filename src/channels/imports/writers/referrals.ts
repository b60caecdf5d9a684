import { isMap } from '../../../core/is-map.js';
import { minor } from '../../../core/money.js';
import { orderKey as orderKeyOf } from '../../../core/order-key.js';
import { own } from '../../../core/own.js';
import type { Db, Row } from '../../../platform/database/db.js';
import { STATUSES, type ReferralStatus } from '../../../accounting/referrals/types.js';
import type { Batch, RowResult } from '../batch.js';
import {
  addCounters,
  idsByKey,
  insertRows,
  noChange,
  rowsBy,
  setIds,
  type CounterDelta,
} from '../repository.js';
import type { SourceReferral } from '../../../../adapters/imports.js';
import {
  isBlank,
  readAmount,
  readCurrency,
  readRef,
  readText,
  readTree,
  roundingOf,
} from '../../../core/imports/values.js';
import { SKIP } from '../../../core/imports/words.js';
import { hashOf } from './changes.js';
import {
  ADJUSTMENT,
  comparableReferral,
  findStored,
  type RepeatedRow,
  type ReferralSnapshot,
  takeReferralChanges,
} from './referral-changes.js';

const isStatus = (word: string): word is ReferralStatus => STATUSES.some((each) => each === word);
const isEarned = (status: string): boolean => status === 'unpaid' || status === 'paid';
const MAX_JSON = 65_000;
const TYPES = new Set(['sale', 'opt_in', 'payment', 'recurring_sale', 'lifetime_sale', 'lead', ADJUSTMENT]);

/** A commission, by its key. */
type KeyedParent = Parent & { readonly key: string };

interface ReadReferral {
  readonly row: SourceReferral;
  readonly status: ReferralStatus;
  readonly currency: string;
  readonly amount: number;
  readonly rounding: bigint;
}
interface Owner {
  readonly id: number;
  readonly created_at: number;
}
interface ImportedRows {
  readonly stored: ReadonlyMap<string, ReferralSnapshot>;
  readonly affiliates: ReadonlyMap<string, Owner>;
  readonly parents: Map<string, Parent>;
  /** Of deductions: the commission of the same order and affiliate. */
  readonly ofOrder: Map<string, KeyedParent>;
  /** Orders that are credited already. */
  readonly orders: Set<string>;
}
interface Parent {
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
}

/**
 * Commissions with their counters, ledger entries and day figures. Paid ones are outside our payouts until
 * the payouts stage.
 */
export async function writeReferrals(batch: Batch, trx: Db, rows: readonly SourceReferral[]): Promise<void> {
  const keysOf = (refs: readonly unknown[]): string[] =>
    refs
      .map(readRef)
      .filter((ref) => ref !== null)
      .map((ref) => batch.key(ref));
  const affiliates = await findOwners(batch, trx, rows);
  await batch.app.ledger.lock(trx, ...[...affiliates.values()].map(({ id }) => id));
  const stored = await findStored(
    trx,
    rows.map((row) => batch.key(row.id)),
  );
  const known: ImportedRows = {
    stored,
    affiliates,
    parents: await findParents(trx, keysOf(rows.map((row) => row.parent_id))),
    ...(await findOrders(
      trx,
      rows.map((row) => orderKey(batch, row)),
    )),
  };
  const fresh: Row[] = [];
  const again: RepeatedRow[] = [];
  for (const row of rows) {
    const referral = readReferral(batch, row);
    if (typeof referral === 'string') batch.skip(row, referral, String(row.amount ?? ''));
    else take(batch, referral, known, { fresh, again });
  }
  await insertRows(
    trx,
    'referrals',
    fresh.map(({ parent_key: _parent, ...row }) => row),
  );
  const ids = await idsByKey(trx, 'referrals', [
    ...stored.keys(),
    ...fresh.flatMap((row) => [String(row['source_key']), String(row['parent_key'] ?? '')]),
  ]);
  await linkParents(trx, fresh, ids);
  await post(batch, trx, fresh, ids);
  await recordOrders(batch, trx, fresh, ids);
  await recordDeductions(batch, trx, fresh, ids);
  await takeReferralChanges(batch, trx, again);
}

async function findOwners(
  batch: Batch,
  trx: Db,
  referrals: readonly SourceReferral[],
): Promise<Map<string, Owner>> {
  const ids = await batch.ownersOf(trx, referrals);
  const rows = await rowsBy(trx, 'affiliates', 'id', ids.values(), ['id', 'created_at']);
  const since = new Map(rows.map((row) => [Number(row['id']), Number(row['created_at'])]));
  return new Map([...ids].map(([key, id]) => [key, { id, created_at: since.get(id) ?? 0 }]));
}

async function findParents(trx: Db, keys: readonly string[]): Promise<Map<string, Parent>> {
  const rows = await rowsBy(trx, 'referrals', 'source_key', keys, [
    'source_key',
    'amount_minor',
    'currency',
    'status',
  ]);
  return new Map(rows.map((row) => [String(row['source_key']), parentOf(row)]));
}

/** So that an order reported again later is known; a second row of one order has no key. */
function orderKey(batch: Batch, row: SourceReferral): string | null {
  const [provider, reference] = [batch.provider(readText(row.provider, 100)), readText(row.provider_id, 191)];
  return provider === null || reference === null
    ? null
    : orderKeyOf(provider, { reference, sub_reference: readText(row.provider_sub_id, 192) });
}

async function findOrders(
  trx: Db,
  keys: readonly (string | null)[],
): Promise<Pick<ImportedRows, 'orders' | 'ofOrder'>> {
  const rows = await rowsBy(
    trx,
    'referrals',
    'dedup_key',
    keys.filter((key) => key !== null),
    ['dedup_key', 'source_key', 'affiliate_id', 'amount_minor', 'currency', 'status'],
  );
  return {
    orders: new Set(rows.map((row) => String(row['dedup_key']))),
    ofOrder: new Map(
      rows
        .filter((row) => row['source_key'] !== null && Number(row['amount_minor']) > 0)
        .map((row) => [
          `${Number(row['affiliate_id'])} ${String(row['dedup_key'])}`,
          { key: String(row['source_key']), ...parentOf(row) },
        ]),
    ),
  };
}

const parentOf = (row: Row): Parent => ({
  amount: Number(row['amount_minor']),
  currency: String(row['currency']),
  status: row['status'] as ReferralStatus,
});

/** What the row is worth, or why it cannot be read. */
export function readReferral(batch: Batch, row: SourceReferral): ReadReferral | string {
  const given = readCurrency(row.currency);
  const isUnknown = given === null && !isBlank(row.currency);
  const currency = given ?? batch.sourceCurrency;
  const amount = readAmount(row.amount, currency);
  if (amount === null) return row.problem ?? 'amount_unusable';
  const word = batch.word(row.status);
  const status = isStatus(word) ? word : 'pending';
  if (status !== word && word !== SKIP) batch.note(row, 'status_unknown', String(row.status));
  const problem = word === SKIP ? 'left_out_on_request' : isUnknown ? 'currency_unknown' : undefined;
  return {
    row: problem === undefined ? row : { ...row, problem: row.problem ?? problem },
    status,
    currency,
    amount,
    rounding: roundingOf(row.amount, amount, currency),
  };
}

function take(
  batch: Batch,
  referral: ReadReferral,
  known: ImportedRows,
  { fresh, again }: { fresh: Row[]; again: RepeatedRow[] },
): void {
  const { row, status, currency, amount } = referral;
  const owner = known.affiliates.get(batch.ownerKey(row));
  const stored = known.stored.get(batch.key(row.id));
  const result = countReferral(batch, referral, {
    isHere: stored !== undefined,
    hasOwner: owner !== undefined,
  });
  if (stored !== undefined) again.push({ row, stored, status, amount, currency });
  if (result !== 'imported' || owner === undefined) return;
  const order = orderKey(batch, row);
  const place = placeOf(batch, referral, known, { owner, order });
  known.parents.set(batch.key(row.id), { amount, currency, status });
  fresh.push({
    ...toRow(batch, referral, owner),
    ...place,
    dedup_key: order === null || place.type === ADJUSTMENT || known.orders.has(order) ? null : order,
  });
  countProvider(batch, row);
  if (order !== null) addOrder(known, { owner, order }, { key: batch.key(row.id), amount, currency, status });
}

export function countReferral(
  batch: Batch,
  { row, status, currency, amount, rounding }: ReadReferral,
  { isHere, hasOwner }: { readonly isHere: boolean; readonly hasOwner: boolean },
): RowResult {
  const reason = row.problem ?? (hasOwner ? null : 'affiliate_missing');
  const result = batch.countRow(row, isHere, reason);
  batch.sum(status, currency, result, amount, rounding);
  return result;
}

function earnedOf(known: ImportedRows, key: string | null): KeyedParent | undefined {
  const parent = known.parents.get(key ?? '');
  return key === null || parent === undefined ? undefined : { ...parent, key };
}

/** What the first commission of an order earned is what later rows of it may take back. */
function addOrder(
  known: ImportedRows,
  { owner, order }: { owner: Owner; order: string },
  earned: KeyedParent,
): void {
  known.orders.add(order);
  const name = `${owner.id} ${order}`;
  if (earned.amount > 0 && !known.ofOrder.has(name)) known.ofOrder.set(name, earned);
}

function countProvider(batch: Batch, row: SourceReferral): void {
  const provider = batch.provider(readText(row.provider, 100));
  if (provider !== null) batch.state.providers[provider] = (own(batch.state.providers, provider) ?? 0) + 1;
}

/**
 * The commission a row belongs to. A deduction without one, larger than it, or of one without an amount is a
 * correction of the balance: the sum that is owed is that of the old system.
 */
function placeOf(
  batch: Batch,
  { row, status, currency, amount }: ReadReferral,
  known: ImportedRows,
  { owner, order }: { owner: Owner; order: string | null },
): { readonly parent_key: string | null; readonly type: string } {
  const type = TYPES.has(String(row.type)) ? String(row.type) : 'sale';
  const reference = readRef(row.parent_id);
  const parentKey = reference === null ? null : batch.key(reference);
  if (amount >= 0 && type !== ADJUSTMENT) return { parent_key: parentKey, type };
  const named = earnedOf(known, parentKey);
  if (type === ADJUSTMENT) return { parent_key: cameToNothing(named) ? null : parentKey, type };
  const parent = named ?? known.ofOrder.get(`${owner.id} ${order ?? ''}`);
  if (parent !== undefined && isPartOf(parent, { currency, amount }))
    return { parent_key: parent.key, type: isEarned(status) ? ADJUSTMENT : type };
  batch.note(row, 'negative_as_correction');
  return { parent_key: null, type: ADJUSTMENT };
}

const cameToNothing = (parent: Parent | undefined): boolean => parent?.status === 'rejected';

const isPartOf = (parent: Parent, { currency, amount }: Pick<ReadReferral, 'currency' | 'amount'>): boolean =>
  !cameToNothing(parent) && parent.currency === currency && amount >= -parent.amount;

function toRow(batch: Batch, { row, status, currency, amount }: ReadReferral, owner: Owner): Row {
  const created = batch.time(row, owner.created_at);
  return {
    affiliate_id: owner.id,
    description: readText(row.description, 500),
    status,
    amount_minor: amount,
    order_total_minor: readAmount(row.order_total, currency),
    currency,
    utm_campaign: readText(row.utm_campaign, 100),
    provider: batch.provider(readText(row.provider, 100)),
    provider_id: readText(row.provider_id, 191),
    provider_sub_id: readText(row.provider_sub_id, 192),
    products: storedJson(batch, row, 'products'),
    paid_elsewhere: status === 'paid' ? 1 : 0,
    settings: storedJson(batch, row, 'settings'),
    source_key: batch.key(row.id),
    source_hash: hashOf(comparableReferral(status, amount, currency)),
    created_at: created,
    updated_at: created,
  };
}

/**
 * A structure as JSON text; one that is too long is dropped, since a part of it would not be JSON. Settings
 * of old systems have a key of their own.
 */
function storedJson(batch: Batch, row: SourceReferral, column: 'products' | 'settings'): string | null {
  const value = row[column];
  const fits = column === 'products' ? Array.isArray(value) : isMap(value);
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

/** The records by which what happens to these orders later finds their commissions. */
async function recordOrders(
  batch: Batch,
  trx: Db,
  fresh: readonly Row[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const credited = fresh.filter((row) => row['dedup_key'] !== null && Number(row['amount_minor']) >= 0);
  await batch.app.orders.recordImported(
    trx,
    credited.map((row) => {
      const total = row['order_total_minor'] as number | null; // as toRow made it
      return {
        name: {
          provider: String(row['provider']),
          account: '',
          reference: String(row['provider_id']),
          sub_reference: String(row['provider_sub_id'] ?? ''),
        },
        referral: {
          id: ids.get(String(row['source_key'])) ?? 0,
          affiliate_id: Number(row['affiliate_id']),
          customer_id: null,
          visit_id: null,
          status: row['status'] as ReferralStatus, // one of STATUSES
          amount_minor: minor(Number(row['amount_minor'])),
          created_at: Number(row['created_at']),
        },
        currency: String(row['currency']),
        base_minor: total,
        grand_total_minor: total,
      };
    }),
  );
}

/** What is taken back of a commission reaches its order. */
async function recordDeductions(
  batch: Batch,
  trx: Db,
  fresh: readonly Row[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const deductions = fresh.filter((row) => row['type'] === ADJUSTMENT && row['parent_key'] !== null);
  await batch.app.orders.deductImported(
    trx,
    deductions.map((row) => ({
      referral_id: ids.get(String(row['parent_key'])) ?? 0,
      source_key: String(row['source_key']),
      amount_minor: -Number(row['amount_minor']),
      at: Number(row['created_at']),
    })),
  );
}

/** Adjustments are not counted as referrals. */
const isOrder = (row: Row): boolean => row['type'] !== ADJUSTMENT;

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
    const total = isEarned(String(row['status'])) ? amount : 0;
    const unpaid = row['status'] === 'unpaid' ? amount : 0;
    if (isOrder(row)) delta.referrals += 1;
    if (row['currency'] === batch.currency) {
      // earnings count in the program currency only (docs/reliability.md §2, I1)
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
  batch.app.rollups.add(
    trx,
    ...fresh.filter(isOrder).map((row) => ({
      affiliateId: Number(row['affiliate_id']),
      at: Number(row['created_at']),
      referrals: 1,
    })),
  );
}
