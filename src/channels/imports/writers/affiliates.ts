import type { HostUser } from '../../../../adapters/host.js';
import type { Db, Row } from '../../../platform/database/db.js';
import { importedColumns } from '../../../program/api-schemas.js';
import type { Batch, RowResult } from '../batch.js';
import { isBad } from '../emails.js';
import { saveRewards } from '../rewards.js';
import { insertRows, mergedByKey, rowsBy, takenIds } from '../repository.js';
import type { SourceAffiliate } from '../../../../adapters/imports.js';
import type { MatchedUsers } from '../users.js';
import { statedEarnings } from '../source-earnings.js';
import {
  readEmail,
  readLongText,
  readRate,
  readRef,
  readText,
  readTime,
} from '../../../core/imports/values.js';
import { LINKS, registeredForms } from '../../../core/link-name.js';
import { IMPORTED_NAME } from '../../../core/imports/names.js';
import { SKIP } from '../../../core/imports/words.js';
import { storeAliases, type NewAlias } from './aliases.js';
import { bindCoupons } from './coupons.js';
import { changedColumns, hashOf, type Comparable } from './changes.js';

const STATUSES = new Set(['pending', 'active', 'inactive']);
const FULL_PERCENTAGE = 1_000_000;
const PARAM = /^[a-z0-9_-]{2,100}$/u;

/**
 * Affiliates with the host's user where there is one; of two on one user the second comes without login.
 * Their ids do not change where these are free.
 */
export async function writeAffiliates(
  batch: Batch,
  trx: Db,
  rows: readonly SourceAffiliate[],
  users: MatchedUsers,
): Promise<void> {
  const keys = rows.map((row) => batch.key(row.id));
  const existing = await findExisting(trx, keys);
  const merged = await mergedByKey(trx, keys);
  const taken = await takenValues(trx, rows, users);
  const fresh: Row[] = [];
  for (const row of rows) {
    countStated(batch, row);
    const known = existing.get(batch.key(row.id));
    const result = countAffiliate(batch, row, known !== undefined || merged.has(batch.key(row.id)));
    if (result === 'existing' && known !== undefined) {
      await linkLater(batch, trx, { row, known, user: users.get(row.id), taken: taken.users });
      await takeChanges(batch, trx, row, known);
    } else if (result === 'imported')
      fresh.push(toRow(batch, row, loginOf(batch, row, users, taken.users), taken.params));
  }
  await insertWithIds(batch, trx, fresh);
  const ids = await batch.idsOf(trx, 'affiliates', rows);
  batch.app.rollups.add(
    trx,
    ...fresh.map((row) => ({
      affiliateId: ids.get(String(row['source_key'])) ?? 0,
      at: Number(row['created_at']),
      affiliates: 1,
    })),
  );
  saveRates(batch, rows, ids);
  await storeAliases(batch, trx, aliasesOf(batch, rows, ids));
  await bindCoupons(batch, trx, rows, ids);
}

export function countAffiliate(batch: Batch, row: SourceAffiliate, isHere: boolean): RowResult {
  const reason = row.problem ?? (batch.word(row.status) === SKIP ? 'left_out_on_request' : null);
  return batch.countRow(row, isHere && row.problem === undefined, reason);
}

function saveRates(batch: Batch, rows: readonly SourceAffiliate[], ids: ReadonlyMap<string, number>): void {
  for (const row of rows) {
    const id = ids.get(batch.key(row.id));
    if (id !== undefined) saveRewards(batch.state, 'affiliate', id, row.rewards);
  }
}

/** Adds their earnings by the old system's figures, for the report. */
function countStated({ state, sourceCurrency }: Batch, row: SourceAffiliate): void {
  const stated = statedEarnings(row, sourceCurrency);
  state.stated.total_minor += stated?.total ?? 0;
  state.stated.unpaid_minor += stated?.unpaid ?? 0;
}

/**
 * Links, cookies and habits name people by these ids. Ids of deleted affiliates that the books still contain
 * are not given again.
 */
async function insertWithIds(batch: Batch, trx: Db, fresh: readonly Row[]): Promise<void> {
  const idOf = (row: Row): number => {
    const id = String(row['source_key']).slice(batch.source.length + 1);
    return /^[1-9]\d{0,14}$/u.test(id) ? Number(id) : 0;
  };
  const taken = await takenIds(
    trx,
    fresh.map(idOf).filter((id) => id > 0),
  );
  const mayKeepId = (row: Row): boolean => idOf(row) > 0 && !taken.has(idOf(row));
  await insertRows(
    trx,
    'affiliates',
    fresh.filter(mayKeepId).map((row) => ({ id: idOf(row), ...row })),
  );
  if (fresh.some(mayKeepId)) await trx.dialect.idsInserted(trx, 'affiliates');
  await insertRows(
    trx,
    'affiliates',
    fresh.filter((row) => !mayKeepId(row)),
  );
}

function aliasesOf(
  batch: Batch,
  rows: readonly SourceAffiliate[],
  ids: ReadonlyMap<string, number>,
): NewAlias[] {
  return rows.flatMap((row) => {
    const affiliateId = ids.get(batch.key(row.id));
    if (affiliateId === undefined) return [];
    const slug = readText(row.custom_param, 191);
    const login = readText(row.user?.login, 191);
    return [
      { row, affiliateId, kind: 'id' as const, value: row.id },
      ...(login === null ? [] : [{ row, affiliateId, kind: 'login' as const, value: login }]),
      ...(slug === null ? [] : [{ row, affiliateId, kind: 'slug' as const, value: slug }]),
      ...(row.aliases ?? []).map(({ kind, value }) => ({ row, affiliateId, kind, value })),
      ...(row.coupons ?? []).map(({ code }) => ({ row, affiliateId, kind: 'coupon' as const, value: code })),
    ];
  });
}

interface ImportedAffiliate {
  readonly id: number;
  readonly user_id: number | null;
  readonly source_hash: string | null;
  readonly row: Row;
}

const COMPARED = ['status', 'rate_type', 'rate_e4', 'group_id', 'payment_email', 'note', ...importedColumns];

async function findExisting(trx: Db, keys: readonly string[]): Promise<Map<string, ImportedAffiliate>> {
  const rows = await rowsBy(trx, 'affiliates', 'source_key', keys, [
    'id',
    'source_key',
    'user_id',
    'source_hash',
    ...COMPARED,
  ]);
  return new Map(
    rows.map((row) => [
      String(row['source_key']),
      {
        id: Number(row['id']),
        user_id: row['user_id'] === null ? null : Number(row['user_id']),
        source_hash: row['source_hash'] === null ? null : String(row['source_hash']),
        row,
      },
    ]),
  );
}

/** What changed in the old system since the last run is taken over, unless the affiliate was changed here. */
async function takeChanges(
  batch: Batch,
  trx: Db,
  row: SourceAffiliate,
  known: ImportedAffiliate,
): Promise<void> {
  const now: Comparable = comparable(batch, row);
  const changed = changedColumns({ stored: known.source_hash, here: pick(known.row), there: now });
  if (changed === 'same') return;
  if (changed === 'changed_here') {
    batch.note(row, 'changed_here');
    return;
  }
  const set = { ...now, source_hash: hashOf(now), updated_at: batch.app.clock.now() };
  await trx('affiliates').where({ id: known.id }).update(set);
  await batch.app.audit.write(trx, 'import.affiliate_changed', ['affiliate', known.id], {
    before: withoutNote(pick(known.row)),
    after: withoutNote(now),
  });
  batch.note(row, 'changed_there');
}

const withoutNote = ({ note: _note, ...rest }: Comparable): Comparable => rest;

const pick = (row: Row): Comparable =>
  Object.fromEntries(
    COMPARED.map((column) => [
      column,
      row[column] === null || row[column] === undefined
        ? null
        : column === 'rate_e4' || column === 'group_id'
          ? Number(row[column])
          : String(row[column]),
    ]),
  );

function comparable(batch: Batch, row: SourceAffiliate): Comparable {
  const more = batch.app.affiliates.imported(row.columns ?? {});
  for (const name of more.unusable) batch.note(row, 'column_unusable', name);
  return {
    status: statusOf(batch, row),
    ...rateOf(batch, row),
    payment_email: readEmail(row.payment_email),
    note: readLongText(row.note, 10_000),
    ...(more.row as Comparable), // stored values are texts and numbers
  };
}

/** An affiliate that came without login gets the host's user once there is one. */
async function linkLater(
  batch: Batch,
  trx: Db,
  {
    row,
    known,
    user,
    taken,
  }: { row: SourceAffiliate; known: ImportedAffiliate; user: HostUser | undefined; taken: Set<number> },
): Promise<void> {
  if (known.user_id !== null || user === undefined || taken.has(user.id)) return;
  taken.add(user.id);
  await trx('affiliates').where({ id: known.id }).whereNull('user_id').update({ user_id: user.id });
  await batch.app.audit.write(trx, 'import.user_linked', ['affiliate', known.id], {
    after: { user_id: user.id },
  });
  batch.note(row, 'user_linked_later');
}

interface TakenValues {
  readonly users: Set<number>;
  readonly params: Set<string>;
}

const foldedParam = (row: SourceAffiliate): string | null =>
  readText(row.custom_param, 100)?.toLowerCase() ?? null;

async function takenValues(
  trx: Db,
  rows: readonly SourceAffiliate[],
  users: MatchedUsers,
): Promise<TakenValues> {
  const params = rows.map(foldedParam).filter((param) => param !== null);
  const held = await rowsBy(trx, 'affiliates', 'custom_param', params, ['custom_param']);
  const forms = new Map(params.flatMap((param) => registeredForms(param).map((form) => [form, param])));
  const remembered = (
    await rowsBy(trx, 'affiliate_names', 'name', [...forms.keys()], ['space', 'name'])
  ).filter((row) => row['space'] === LINKS);
  return {
    users: new Set(
      (
        await rowsBy(
          trx,
          'affiliates',
          'user_id',
          [...users.values()].map((user) => user.id),
          ['user_id'],
        )
      ).map((row) => Number(row['user_id'])),
    ),
    params: new Set([
      ...held.map((row) => String(row['custom_param'])),
      ...remembered.map((row) => forms.get(String(row['name'])) ?? ''),
    ]),
  };
}

function loginOf(batch: Batch, row: SourceAffiliate, users: MatchedUsers, taken: Set<number>): number | null {
  const user = users.get(row.id);
  if (user === undefined) {
    batch.note(row, row.user === null ? 'user_deleted' : 'user_missing');
    return null;
  }
  if (taken.has(user.id)) {
    batch.note(row, 'user_has_another_affiliate');
    return null;
  }
  taken.add(user.id);
  return user.id;
}

function toRow(batch: Batch, row: SourceAffiliate, userId: number | null, params: Set<string>): Row {
  const created = batch.time(row, readTime(row.user?.registered_at, 'UTC'));
  const compared = comparable(batch, row);
  const bad = [row.user?.email, row.payment_email].find(isBad);
  if (bad !== undefined) batch.note(row, 'email_unusable', String(bad));
  return {
    user_id: userId,
    contact_id: Number(readRef(row.contact_id)) || null,
    ...compared,
    source_hash: hashOf(compared),
    custom_param: paramOf(batch, row, params),
    settings: JSON.stringify({
      disable_new_ref_email: row.disable_new_ref_email === 'yes' ? 'yes' : 'no',
      bank_details: readLongText(row.bank_details, 5000) ?? '',
    }),
    lead_counts: wholeCount(row.lead_counts),
    custom_fields: JSON.stringify({ ...customFields(row), ...(userId === null && nameOf(row)) }),
    source_key: batch.key(row.id),
    created_at: created,
    updated_at: created,
  };
}

const customFields = (row: SourceAffiliate): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row.custom_fields ?? {})
      .map(([name, value]) => [readText(name, 100), readLongText(value, 5000)] as const)
      .filter((entry): entry is readonly [string, string] => entry[0] !== null && entry[1] !== null),
  );

/** An affiliate without a user keeps the name that the old system has. */
function nameOf({ user }: SourceAffiliate): Record<string, string> {
  const parts = [readText(user?.first_name, 191), readText(user?.last_name, 191)];
  const name = parts.filter((part) => part !== null).join(' ');
  return name === '' ? {} : { [IMPORTED_NAME]: name };
}

const wholeCount = (value: SourceAffiliate['lead_counts']): number =>
  /^\d{1,9}$/u.test(String(value ?? '')) ? Number(value) : 0;

function statusOf(batch: Batch, row: SourceAffiliate): string {
  const status = batch.word(row.status);
  if (STATUSES.has(status)) return status;
  batch.note(row, 'status_unknown', String(row.status ?? ''));
  return 'inactive';
}

function rateOf(
  batch: Batch,
  row: SourceAffiliate,
): { group_id: number | null; rate_type: string; rate_e4: number | null } {
  const group = readRef(row.group_id);
  const groupId = batch.state.groups[group ?? ''] ?? null;
  if (group !== null && groupId === null) batch.note(row, 'group_missing');
  if (row.rate_type === 'group' && groupId !== null)
    return { group_id: groupId, rate_type: 'group', rate_e4: null };
  const rate = ownRateOf(batch, row);
  return rate === null
    ? { group_id: groupId, rate_type: 'default', rate_e4: null }
    : { group_id: groupId, rate_type: String(row.rate_type), rate_e4: rate };
}

/** A rate × 10,000 of the affiliate's own; null where the program's applies. */
function ownRateOf(batch: Batch, row: SourceAffiliate): number | null {
  if (row.rate_type !== 'percentage' && row.rate_type !== 'flat') return null;
  const rate = readRate(row.rate);
  if (rate === null) batch.note(row, 'rate_unusable', String(row.rate ?? ''));
  if (rate === null || row.rate_type === 'flat') return rate;
  if (rate > FULL_PERCENTAGE) batch.note(row, 'percentage_beyond_hundred');
  return Math.min(rate, FULL_PERCENTAGE);
}

/** Folded like names given here. What cannot be a name of ours works as an alias of the old links only. */
function paramOf(batch: Batch, row: SourceAffiliate, taken: Set<string>): string | null {
  const param = foldedParam(row);
  if (param === null) return null;
  if (!PARAM.test(param) || /^\d+$/u.test(param) || taken.has(param)) {
    batch.note(row, taken.has(param) ? 'custom_param_taken' : 'custom_param_unusable');
    return null;
  }
  taken.add(param);
  return param;
}
