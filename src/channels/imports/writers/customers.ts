import type { Db, Row } from '../../../platform/database/db.js';
import type { Batch, RowResult } from '../batch.js';
import { isBad } from '../emails.js';
import { insertRows, rowsBy, setIds } from '../repository.js';
import { listedReferrals, type ListedReferral } from './listed.js';
import type { SourceCustomer } from '../../../../adapters/imports.js';
import type { MatchedUsers } from '../users.js';
import { readEmail, readEmailKey, readRef, readText } from '../../../core/imports/values.js';

/** Buyers. An e-mail address is one person: a second row with it lends its orders to the first. */
export async function writeCustomers(
  batch: Batch,
  trx: Db,
  rows: readonly SourceCustomer[],
  users: MatchedUsers,
): Promise<void> {
  const existing = await batch.idsOf(trx, 'customers', rows);
  const emails = await idsByEmail(trx, rows);
  const referrals = await listedReferrals(trx, batch, rows);
  const affiliates = await batch.ownersOf(trx, rows);
  const fresh: Row[] = [];
  for (const row of rows) {
    if (countCustomer(batch, row, existing.has(batch.key(row.id)), emails) === 'imported')
      fresh.push(toRow(batch, row, boundTo(batch, row, { affiliates, referrals }), users));
  }
  await insertRows(trx, 'customers', fresh);
  await nameCustomers(
    trx,
    fresh.map((row) => String(row['source_key'])),
  );
  await linkReferrals(batch, trx, rows, referrals);
}

/** `emails`: those that customers have; the row's is added when it comes in. */
export function countCustomer(
  batch: Batch,
  row: SourceCustomer,
  isHere: boolean,
  emails: Map<string, number | null>,
): RowResult {
  const email = readEmailKey(row.email);
  const reason = row.problem ?? (email !== null && emails.has(email) ? 'email_known_orders_joined' : null);
  const result = batch.countRow(row, isHere && row.problem === undefined, reason);
  if (result === 'imported' && email !== null) emails.set(email, null);
  return result;
}

/** Customers by the e-mail addresses of these rows. */
export async function idsByEmail(
  trx: Db,
  customers: readonly SourceCustomer[],
): Promise<Map<string, number | null>> {
  const keys = customers.map(({ email }) => readEmailKey(email)).filter((key) => key !== null);
  const rows = await rowsBy(trx, 'customer_names', 'name', keys, ['customer_id', 'name', 'kind']);
  return new Map(
    rows
      .filter((row) => row['kind'] === 'email')
      .map((row) => [String(row['name']), Number(row['customer_id'])]),
  );
}

/** The names by which later orders find these customers; names that a customer already has are skipped. */
async function nameCustomers(trx: Db, keys: readonly string[]): Promise<void> {
  const rows = await rowsBy(trx, 'customers', 'source_key', keys, [
    'id',
    'email',
    'email_key',
    'user_id',
    'created_at',
  ]);
  const names = rows.flatMap((row) => {
    const name = (kind: string, value: unknown, label: unknown): Row[] =>
      value === null
        ? []
        : [{ customer_id: row['id'], kind, name: String(value), label, since: row['created_at'] }];
    return [...name('email', row['email_key'], row['email']), ...name('user', row['user_id'], null)];
  });
  // what a customer has already is written over itself
  await trx.dialect.upsert(trx, 'customer_names', names, ['name', 'kind'], ['name']);
}

/** Whose customer it is: who is named, else who brought the first order; null once the link has ended. */
function boundTo(
  batch: Batch,
  row: SourceCustomer,
  known: {
    readonly affiliates: ReadonlyMap<string, number>;
    readonly referrals: ReadonlyMap<string, ListedReferral>;
  },
): number | null {
  const until = row.bound_until ?? null;
  const isOver = until !== null && until < batch.app.clock.now();
  if (until !== null) batch.note(row, isOver ? 'expired_link' : 'link_ends', new Date(until).toISOString());
  if (isOver) return null;
  const ref = readRef(row.affiliate_id);
  const named = known.affiliates.get(batch.key(ref ?? ''));
  if (ref !== null && named === undefined) batch.note(row, 'customer_affiliate_missing', ref);
  const [first] = row.referral_ids.flatMap((id) => known.referrals.get(batch.key(id)) ?? []);
  return named ?? first?.affiliate_id ?? null;
}

function toRow(batch: Batch, row: SourceCustomer, affiliateId: number | null, users: MatchedUsers): Row {
  const created = batch.time(row);
  const email = readEmail(row.email);
  if (email === null) batch.note(row, 'email_missing');
  if (isBad(row.email)) batch.note(row, 'email_unusable', String(row.email));
  return {
    user_id: users.get(row.id)?.id ?? null,
    by_affiliate_id: affiliateId,
    bound_at: affiliateId === null ? null : created,
    email,
    email_key: readEmailKey(row.email),
    first_name: readText(row.first_name ?? row.user?.first_name, 191),
    last_name: readText(row.last_name ?? row.user?.last_name, 191),
    ip: batch.app.tracking.storedAddress(readText(row.ip, 100)),
    settings: null,
    source_key: batch.key(row.id),
    created_at: created,
    updated_at: created,
  };
}

async function linkReferrals(
  batch: Batch,
  trx: Db,
  rows: readonly SourceCustomer[],
  referrals: ReadonlyMap<string, ListedReferral>,
): Promise<void> {
  const own = await batch.idsOf(trx, 'customers', rows);
  const byEmail = await idsByEmail(trx, rows);
  const pairs = new Map<number, number>();
  for (const row of rows) {
    if (row.problem !== undefined) continue;
    const customer = own.get(batch.key(row.id)) ?? byEmail.get(readEmailKey(row.email) ?? '');
    if (customer === undefined || customer === null) continue;
    for (const id of row.referral_ids) {
      const referral = referrals.get(batch.key(id));
      if (referral !== undefined) pairs.set(referral.id, customer);
    }
  }
  await setIds(trx, 'referrals', 'customer_id', pairs);
}
